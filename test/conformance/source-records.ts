import type { PythonRandom } from '../../src/core/statistics/random.js'

/** Structural fields that identify and link records; all others may have any value. */
const structure = new Set([
  'type',
  'role',
  'kind',
  'subtype',
  'provenance',
  'status',
  'source',
  'thread_source',
  'stopReason',
  'id',
  'uuid',
  'parentUuid',
  'parentId',
  'call_id',
  'tool_use_id',
  'toolCallId',
  'callId',
  'agentId',
  'timestamp',
  'startTime',
  'lastUpdated',
  'content_item_kinds',
  'event.name',
  'model',
])

/** Changes every content text of the record. Takes the names of further structural fields. */
export function textsChanged(
  line: string,
  further: readonly string[] | undefined,
  change: (text: string) => string,
): string {
  return JSON.stringify(changed(JSON.parse(line), new Set([...structure, ...(further ?? [])]), change))
}

/** Changes every text of the record, including times and folders. */
export function everyText(line: string, change: (text: string) => string): string {
  return JSON.stringify(changed(JSON.parse(line), new Set(), change))
}

function changed(
  value: unknown,
  kept: ReadonlySet<string>,
  change: (text: string) => string,
  field = '',
): unknown {
  if (kept.has(field)) return value
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map(item => changed(item, kept, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, changed(inner, kept, change, name)]),
  )
}

const strange: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  '',
  'x',
  '\u0000',
  '\ud800',
  '<skill>',
  '../..',
  '{"',
  [],
  {},
  [null],
  [[]],
  [{}],
  { type: 'text' },
  { text: 7 },
  { toString: 1 },
  JSON.parse('{"__proto__":{"a":1}}'),
  '2026-13-45T99:99:99Z',
  'file://%zz',
  'x'.repeat(5_000),
]

/** Corrupts the line, in its bytes or in a value. It often remains a valid record. */
export function mutated(line: string, random: PythonRandom): string {
  const way = random.below(4)
  if (way === 0) return line.slice(0, random.below(line.length))
  if (way === 1) {
    const place = random.below(line.length)
    return `${line.slice(0, place)}${String.fromCharCode(32 + random.below(95))}${line.slice(place + 1)}`
  }
  const nested = random.below(50) === 0 ? deep(random.below(2_000)) : strange[random.below(strange.length)]
  return JSON.stringify(withOneChanged(JSON.parse(line), nested, random))
}

function withOneChanged(value: unknown, by: unknown, random: PythonRandom): unknown {
  if (typeof value !== 'object' || value === null || random.below(4) === 0) return by
  const names = Object.keys(value)
  if (names.length === 0) return by
  const name = names[random.below(names.length)]
  const changed = Object.entries(value).map(([field, inner]) => [
    field,
    field === name ? withOneChanged(inner, by, random) : inner,
  ])
  return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed)
}

function deep(levels: number): unknown {
  let value: unknown = 'the bottom'
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}
