import { asList, asRecord, type JsonRecord } from '../shared/transcripts/values.js'

/**
 * Which parts of a value are kept: named fields, the items of a list, or the result of a function. Nothing
 * else is followed, so unknown names such as `__proto__` and paths of any length have no effect.
 */
export type Shape = Leaf | { readonly fields: Readonly<Record<string, Shape>> } | { readonly each: Shape }
type Leaf = (value: unknown) => unknown

/** Limits of the state that is kept: characters of text, and items per list. */
const mostText = 32_000_000
const mostItems = 50_000
const textOfAnything = 16

type Outcome =
  | 'done'
  /** The operation changes something that is not kept. */
  | 'passed'
  /** The operation changes a value that does not exist, because an earlier operation was lost. */
  | 'misfit'
  | 'no-room'
  | 'unknown'

/**
 * Replays a log of operations: 0 replaces everything, 1 sets a value, 2 truncates a list and appends to it, 3
 * removes a value. If the beginning of the log is missing, the rest is still read.
 */
export function createOperationLog(shape: Shape): {
  apply(operation: JsonRecord): Outcome
  state(): unknown
} {
  let state: unknown = {}
  let written = 0
  let isFull = false

  /** Replaced values stay counted until the limit is exceeded; only then is the size computed again. */
  const hasRoomFor = (value: unknown): boolean => {
    written += sizeOf(value)
    if (written > mostText && !isFull) written = sizeOf(state) + sizeOf(value)
    isFull ||= written > mostText
    return !isFull
  }
  const set = ({ holder, name, shape: inner }: Place, given: unknown): Outcome => {
    const value = keptOf(given, inner)
    if (!hasRoomFor(value)) return 'no-room'
    return put(holder, name, value) ? 'done' : 'misfit'
  }
  const add = ({ holder, name, shape: inner }: Place, given: unknown, from: unknown): Outcome => {
    if (!('each' in inner)) return 'passed'
    const items = asList(given).map(item => keptOf(item, inner.each))
    const list = valueAt(holder, name) ?? []
    if (!Array.isArray(list) || !put(holder, name, list)) return 'misfit'
    if (isIndex(from) && from < list.length) list.length = from
    if (list.length + items.length > mostItems || !hasRoomFor(items)) return 'no-room'
    for (const item of items) list.push(item)
    return 'done'
  }
  return {
    apply({ kind, k: path, v: value, i: from }) {
      if (kind === 0) {
        state = keptOf(value, shape)
        written = sizeOf(state)
        isFull = written > mostText
        return 'done'
      }
      if (kind !== 1 && kind !== 2 && kind !== 3) return 'unknown'
      const place = placeOf(state, shape, asList(path))
      if (place === undefined) return 'passed'
      return kind === 2 ? add(place, value, from) : set(place, kind === 1 ? value : undefined)
    },
    state: () => state,
  }
}

/** Where a kept value is stored. */
interface Place {
  readonly holder: unknown
  readonly name: unknown
  readonly shape: Shape
}

function placeOf(state: unknown, shape: Shape, path: readonly unknown[]): Place | undefined {
  let place: Place | undefined
  for (const name of path) {
    const inner = innerOf(place?.shape ?? shape, name)
    if (inner === undefined) return undefined
    const holder: unknown = place === undefined ? state : valueAt(place.holder, place.name)
    place = { holder, name, shape: inner }
  }
  return place
}

function innerOf(shape: Shape, name: unknown): Shape | undefined {
  if (typeof shape === 'function') return undefined
  if ('each' in shape) return isIndex(name) ? shape.each : undefined
  return typeof name === 'string' && Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined
}

function valueAt(holder: unknown, name: unknown): unknown {
  if (Array.isArray(holder)) return isIndex(name) ? holder[name] : undefined
  return typeof name === 'string' ? asRecord(holder)?.[name] : undefined
}

/**
 * Sets a value and returns whether its container exists. A list may grow by one item and must have no gaps.
 */
function put(holder: unknown, name: unknown, value: unknown): boolean {
  if (Array.isArray(holder)) {
    if (!isIndex(name) || name > holder.length || name >= mostItems) return false
    holder[name] = value
    return true
  }
  const record = asRecord(holder) as Record<string, unknown> | undefined
  if (record === undefined || typeof name !== 'string') return false
  record[name] = value
  return true
}

function keptOf(value: unknown, shape: Shape): unknown {
  if (typeof shape === 'function') return shape(value)
  if ('each' in shape)
    return asList(value)
      .slice(0, mostItems)
      .map(item => keptOf(item, shape.each))
  const record = asRecord(value)
  if (record === undefined) return undefined
  const names = Object.keys(shape.fields).filter(name => Object.hasOwn(record, name))
  return Object.fromEntries(names.map(name => [name, keptOf(record[name], shape.fields[name] ?? nothing)]))
}

const nothing: Leaf = () => undefined

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return textOfAnything
  return Object.values(value).reduce<number>((sum, inner) => sum + sizeOf(inner), textOfAnything)
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
