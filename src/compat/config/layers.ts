import { dirname, relative, resolve, sep } from 'node:path'
import { configNode } from '../../core/config/schema-nodes.js'
import { isSection } from '../../core/config/tree.js'
import { scalar, splitOption } from '../../core/config/variables.js'
import { InputError } from '../../core/errors/errors.js'
import { readDocument } from '../../system/documents.js'
import type { Given } from './mapping.js'
import { isFlatName, structuredName } from './names.js'

const sections = ['model', 'train', 'gradient', 'optimizer', 'evaluation', 'env', 'human_feedback']
const onlyTheirs = ['model', 'gradient', 'env']
const onlyOurs = ['$schema', 'name', 'skill', 'environment', 'models', 'reflect', 'prompts', 'limits']

const ourSections = Object.keys(configNode.properties ?? {})

/**
 * Whether a config belongs to the Python reference. Such a config inherits with `_base_`, has sections that
 * ours lacks or, in the old format, has all keys on one level.
 */
export function isReferenceYaml(data: Readonly<Record<string, unknown>>): boolean {
  if ('_base_' in data) return true
  if (onlyOurs.some(key => key in data)) return false
  if (onlyTheirs.some(key => isSection(data[key]))) return true
  return Object.keys(data).some(key => isFlatName(key) && !ourSections.includes(key))
}

/**
 * Reads a file and its `_base_` files. The file's keys override theirs; later bases override earlier ones.
 */
export async function readLayers(
  file: string,
  chain: readonly string[] = [],
  home = dirname(file),
): Promise<Map<string, Given>> {
  const shownAs = relative(home, file).split(sep).join('/')
  if (chain.includes(file)) {
    const circle = [...chain.slice(chain.indexOf(file)), file].map(name =>
      relative(home, name).split(sep).join('/'),
    )
    throw new InputError(`_base_ is circular: ${circle.join(' -> ')}.`, {
      hint: 'Remove one of these `_base_` lines.',
    })
  }
  const { data, lines } = await readDocument(file, shownAs)
  const bases = data._base_ ?? []
  const layers = new Map<string, Given>()
  for (const base of Array.isArray(bases) ? bases : [bases]) {
    if (typeof base !== 'string') {
      throw new InputError(
        `_base_ must be a path or a list of paths (${shownAs}:${lines.get('_base_') ?? 1}).`,
      )
    }
    for (const [key, value] of await readLayers(resolve(dirname(file), base), [...chain, file], home))
      layers.set(key, value)
  }
  for (const { written, theirs, value } of keysOf(data)) {
    const origin = `file ${shownAs}:${lines.get(written) ?? lines.get(written.split('.')[0] ?? '') ?? 1}`
    if (!isPrintable(value)) {
      throw new InputError(`${written} has a forbidden key (${origin.replace('file ', '')}).`, {
        hint: 'Remove keys such as `toString` from it.',
      })
    }
    if (value === null) layers.delete(theirs)
    else layers.set(theirs, { value, origin, option: false, theirs })
  }
  return layers
}

/**
 * Whether a value can be converted to text, which displaying and comparing it requires. Converting throws for
 * an object with its own `toString` key.
 */
function isPrintable(value: unknown): boolean {
  try {
    String(value)
    return true
  } catch {
    return false
  }
}

interface WrittenKey {
  readonly written: string
  readonly theirs: string
  readonly value: unknown
}

/** The keys of a file. A key in its section overrides the same key without a section, wherever they stand. */
function keysOf(data: Readonly<Record<string, unknown>>): WrittenKey[] {
  const flat: WrittenKey[] = []
  const sectioned: WrittenKey[] = []
  for (const [key, value] of Object.entries(data)) {
    if (key === '_base_') continue
    if (sections.includes(key) && isSection(value)) {
      for (const [name, inner] of Object.entries(value)) {
        const written = `${key}.${name}`
        sectioned.push({ written, theirs: written, value: inner })
      }
    } else flat.push({ written: key, theirs: structuredName(key), value })
  }
  return [...flat, ...sectioned]
}

/**
 * Adds keys from the command line. The reference's flags arrive as `--name=value` and, as in the reference,
 * override `--cfg-options`.
 */
export function addOptions(given: Map<string, Given>, options: readonly string[]): void {
  const isFlag = (option: string) => option.startsWith('--')
  for (const option of [...options.filter(one => !isFlag(one)), ...options.filter(isFlag)]) {
    const { key, text } = splitOption(option)
    const name = key.replace(/^--/, '')
    const theirs = name.includes('.') ? name : structuredName(name)
    const origin = isFlag(option) ? `flag ${key}` : `flag --cfg-options ${key}`
    given.set(theirs, { value: scalar(text), origin, option: true, theirs })
  }
}
