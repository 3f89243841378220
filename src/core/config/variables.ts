import { parse } from 'yaml'
import { InputError } from '../errors/errors.js'
import { nearest } from '../text/nearest.js'
import { configNode, knownPaths, type SchemaNode } from './schema-nodes.js'
import { assign, type ConfigTree } from './tree.js'

export type Variables = Readonly<Record<string, string | undefined>>

const prefix = 'SKILLOPT_'
/**
 * Variables that are not config options: folders (such as `SKILLOPT_HANDOFF`), the engine of local weights, the test vectors, and the
 * Python package's own nightly mode.
 */
const notOptions = /^SKILLOPT_(DEBUG$|HANDOFF$|HOME$|VECTORS$|LOCAL_|SLEEP_)/

const variableOf = (path: readonly string[]): string =>
  prefix + path.map(key => key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()).join('_')

/** Every option that takes a single value, by the name of its environment variable. */
function optionVariables(): Map<string, { path: readonly string[]; node: SchemaNode }> {
  const options = knownPaths(configNode).filter(
    ({ path, node }) => path[0] !== '$schema' && takesOneValue(node),
  )
  return new Map(options.map(({ path, node }) => [variableOf(path), { path, node }]))
}

function takesOneValue(node: SchemaNode): boolean {
  return node.anyOf?.some(takesOneValue) ?? (node.type !== 'object' || node.enum !== undefined)
}

/** Assigns the `SKILLOPT_…` variables and returns warnings about those that match no option. */
export function assignVariables(tree: ConfigTree, env: Variables): string[] {
  const options = optionVariables()
  const warnings: string[] = []
  // Short names go first, because SKILLOPT_MODELS_TARGET sets the model to which
  // SKILLOPT_MODELS_TARGET_TEMPERATURE adds an option.
  for (const name of Object.keys(env).sort((left, right) => left.length - right.length)) {
    const text = env[name]
    if (!name.startsWith(prefix) || text === undefined || text === '' || notOptions.test(name)) continue
    const option = options.get(name) ?? environmentOption(name)
    if (option === undefined) {
      const near = nearest(
        name.slice(prefix.length),
        [...options.keys()].map(known => known.slice(prefix.length)),
      )
      const sentence = `The environment variable ${name} names no option${near === undefined ? '' : `; did you mean ${prefix}${near}?`}`
      if (sections.some(section => name.startsWith(section)))
        throw new InputError(sentence.replace(/(?<!\?)$/, '.'))
      warnings.push(sentence)
      continue
    }
    assign(tree, option.path, { value: typed(text, option.node), origin: `environment ${name}` })
  }
  return warnings
}

/** Prefixes of the config's sections. An unknown variable with one was probably meant as an option. */
const sections = knownPaths(configNode)
  .filter(({ path, node }) => path.length === 1 && node.type === 'object')
  .map(({ path }) => `${variableOf(path)}_`)

/** Environments define their own options, so any name is accepted here and checked by the environment. */
function environmentOption(name: string): { path: readonly string[]; node: SchemaNode } | undefined {
  const start = `${prefix}ENVIRONMENT_`
  if (!name.startsWith(start)) return undefined
  const key = name
    .slice(start.length)
    .toLowerCase()
    .replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase())
  return { path: ['environment', key], node: {} }
}

/**
 * Converts shell text to the option's type. Text that does not fit stays text, and validation then reports
 * it.
 */
export function typed(text: string, node: SchemaNode | undefined): unknown {
  switch (node?.type) {
    case 'integer':
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
    case 'boolean':
      return truth(text) ?? text
    case 'array':
      return text.split(',').flatMap(part => (part.trim() === '' ? [] : [part.trim()]))
    case undefined:
      if (node?.anyOf === undefined) return scalar(text)
      return node.anyOf.some(({ type }) => type === 'boolean') ? (truth(text) ?? text) : text
    default:
      return text
  }
}

/** Parses text as YAML for options of unknown type; only scalars are converted. */
export function scalar(text: string): unknown {
  if (text.trim() === '') return ''
  try {
    const value: unknown = parse(text)
    return value !== null && typeof value === 'object' ? text : value
  } catch {
    // Invalid YAML, such as `[a`, is plain text.
    return text
  }
}

/**
 * Splits `section.key=value` at the first equals sign. The value may be a secret, so errors do not repeat
 * it.
 */
export function splitOption(option: string): { readonly key: string; readonly text: string } {
  const at = option.indexOf('=')
  const key = (at < 0 ? option : option.slice(0, at)).trim()
  if (at < 0 || !/^[\w$-]+(\.[\w$-]+)*$/.test(key)) {
    throw new InputError(`--cfg-options takes section.key=value, but one of its values is "${key}".`, {
      hint: 'For example: --cfg-options train.seed=7 train.accumulation=2',
    })
  }
  return { key, text: option.slice(at + 1) }
}

export function truth(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const text = String(value).trim().toLowerCase()
  if (['true', 'yes', 'on', '1'].includes(text)) return true
  return ['false', 'no', 'off', '0'].includes(text) ? false : undefined
}
