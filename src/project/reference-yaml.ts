import { stat } from 'node:fs/promises'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { InputError } from '../core/errors.js'
import { readDocument } from './document.js'
import { nearest, refuse } from './problems.js'
import { directKeys, environmentKeys, flatNames, harmless, onlyOff } from './reference-keys.js'
import { type Assignment, type Given, Mapping } from './reference-mapping.js'
import { mapModels } from './reference-models.js'
import { modelKeys } from './reference-settings.js'
import { isSecretKey } from './secrets.js'
import { isSection } from './tree.js'
import { scalar, splitOption, truth, type Variables } from './variables.js'

const sections = ['model', 'train', 'gradient', 'optimizer', 'evaluation', 'env', 'human_feedback']
const onlyTheirs = ['model', 'gradient', 'env']
const onlyOurs = ['$schema', 'name', 'skill', 'environment', 'models', 'reflect', 'prompts', 'limits']

/** Whether a config is one of the Python reference: it inherits with `_base_`, or has sections that ours does not. */
export function isReferenceYaml(data: Readonly<Record<string, unknown>>): boolean {
  if ('_base_' in data) return true
  return onlyTheirs.some(key => isSection(data[key])) && !onlyOurs.some(key => key in data)
}

export interface ReferenceOptions {
  readonly file: string
  readonly shownAs: string
  readonly cwd: string
  readonly env: Variables
  readonly cfgOptions: readonly string[]
}

export interface MappedReference {
  readonly fromFile: readonly Assignment[]
  readonly fromOptions: readonly Assignment[]
  readonly labels: ReadonlyMap<string, string>
  readonly mapped: readonly string[]
  readonly warnings: readonly string[]
  readonly out?: string
  readonly expectedTrainSize?: number
}

/** Reads a YAML of the Python reference, with all it inherits, and maps it onto our options. */
export async function loadReference(options: ReferenceOptions): Promise<MappedReference> {
  const given = await readLayers(options.file, [], dirname(options.file))
  for (const option of options.cfgOptions) addOption(given, option)
  const mapping = new Mapping(given, options.env)
  for (const [key, one] of given) refuseSecret(key, one, mapping)
  mapDirect(mapping)
  mapModels(mapping)
  await mapEnvironment(mapping, options)
  const trainSize = takeTrainSize(mapping)
  const out = mapping.text('env.out_root')
  mapping.handled('env.out_root')
  refuseWhatIsLeft(mapping)
  if (mapping.problems.length > 0) refuse(options.shownAs, mapping.problems)
  return {
    fromFile: mapping.fromFile,
    fromOptions: mapping.fromOptions,
    labels: mapping.labels,
    mapped: mapping.lines(),
    warnings: mapping.warnings,
    ...(out === undefined ? {} : { out: resolve(options.cwd, String(out.value)) }),
    ...(trainSize === undefined ? {} : { expectedTrainSize: trainSize }),
  }
}

/** The keys of a file over those of the files it names in `_base_`; of several bases, the later one wins. */
async function readLayers(file: string, chain: readonly string[], home: string): Promise<Map<string, Given>> {
  const shownAs = relative(home, file).split(sep).join('/')
  if (chain.includes(file)) {
    const circle = [...chain.slice(chain.indexOf(file)), file].map(name =>
      relative(home, name).split(sep).join('/'),
    )
    throw new InputError(`_base_ goes round in a circle: ${circle.join(' -> ')}.`, {
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
  for (const [key, value] of Object.entries(data)) {
    if (key === '_base_') continue
    const inner = sections.includes(key) && isSection(value) ? Object.entries(value) : undefined
    for (const [name, one] of inner ?? [[undefined, value] as const]) {
      const written = name === undefined ? key : `${key}.${name}`
      const theirs = name === undefined ? structuredName(key) : written
      const origin = `file ${shownAs}:${lines.get(written) ?? lines.get(key) ?? 1}`
      if (one === null) layers.delete(theirs)
      else layers.set(theirs, { value: one, origin, option: false, theirs })
    }
  }
  return layers
}

const structured = [...Object.keys(directKeys), ...Object.keys(onlyOff), ...environmentKeys, ...modelKeys]

/** Old files and options name some keys without their section. */
function structuredName(key: string): string {
  return flatNames[key] ?? structured.find(known => known.split('.')[1] === key) ?? key
}

function addOption(given: Map<string, Given>, option: string): void {
  const { key, text } = splitOption(option)
  const theirs = key.includes('.') ? key : structuredName(key)
  given.set(theirs, { value: scalar(text), origin: `flag --cfg-options ${key}`, option: true, theirs })
}

/** The reference takes keys in its files; here they would end up in logs and copies. */
function refuseSecret(key: string, given: Given, mapping: Mapping): void {
  const name = key.split('.').at(-1) ?? key
  if (!isSecretKey(name) || given.value === '') return
  const variable = name.replace(/^azure_api/, 'azure_openai_api').toUpperCase()
  mapping.handled(key)
  mapping.problem(
    `${key} holds a secret${mapping.place(given)}: put the key into the environment variable ${variable} instead`,
  )
}

function mapDirect(mapping: Mapping): void {
  for (const [key, rule] of Object.entries(directKeys)) {
    const written =
      mapping.text(key) ?? (rule.otherwise === undefined ? undefined : mapping.standard(key, rule.otherwise))
    mapping.handled(key)
    if (written === undefined) continue
    const read =
      rule.read === 'number'
        ? mapping.number(written)
        : rule.read === 'boolean'
          ? mapping.boolean(written)
          : written
    if (rule.map === undefined) {
      mapping.set(rule.to.split('.'), read)
      continue
    }
    const value =
      rule.read === 'boolean' && typeof read.value !== 'boolean' ? undefined : rule.map(read.value)
    if (value === undefined) {
      mapping.problem(
        `${key} must be ${rule.takes ?? 'true or false'}, but is ${JSON.stringify(read.value)}${mapping.place(written)}`,
      )
    } else mapping.set(rule.to.split('.'), { ...read, value })
  }
}

async function mapEnvironment(mapping: Mapping, options: ReferenceOptions): Promise<void> {
  const name = mapping.text('env.name')
  for (const key of environmentKeys) mapping.handled(key)
  if (name?.value !== 'searchqa') {
    const which =
      name === undefined
        ? 'env.name is not set'
        : `env.name: ${String(name.value)} is not built yet${mapping.place(name)}`
    mapping.problem(`${which}; the environment of the reference that can be used is searchqa`)
    return
  }
  mapping.set(['environment', 'use'], name)
  const skill = mapping.text('env.skill_init')
  if (skill === undefined)
    mapping.problem('env.skill_init is not set: name the skill to start from, a Markdown file')
  else mapping.set(['skill'], await located(skill, options))

  const timeout = mapping.text('env.exec_timeout')
  const timed = [...mapping.fromFile, ...mapping.fromOptions].some(
    ({ path }) => path.join('.') === 'models.target.timeout',
  )
  if (timeout !== undefined && !timed) mapping.set(['models', 'target', 'timeout'], mapping.number(timeout))
  await mapSplits(mapping, options)
}

async function mapSplits(mapping: Mapping, options: ReferenceOptions): Promise<void> {
  const folder = mapping.text('env.split_dir')
  const mode = mapping.text('env.split_mode') ?? mapping.standard('env.split_mode', 'ratio')
  if (mode.value === 'split_dir') {
    if (folder === undefined)
      mapping.problem('env.split_dir is not set, although env.split_mode is split_dir')
    else mapping.set(['environment', 'splitDir'], await located(folder, options))
    return
  }
  if (mode.value !== 'ratio') {
    mapping.problem(
      `env.split_mode must be one of ratio, split_dir, but is "${String(mode.value)}"${mapping.place(mode)}`,
    )
    return
  }
  const data = mapping.text('env.data_path')
  if (data === undefined) {
    mapping.problem(
      'env.data_path is not set, although env.split_mode is ratio; or set env.split_mode to split_dir',
    )
    return
  }
  mapping.set(['environment', 'path'], await located(data, options))
  mapping.set(
    ['environment', 'ratio'],
    mapping.text('env.split_ratio') ?? mapping.standard('env.split_ratio', '2:1:7'),
  )
  mapping.set(
    ['environment', 'seed'],
    mapping.number(mapping.text('env.split_seed') ?? mapping.standard('env.split_seed', 42)),
  )
}

/**
 * The reference starts paths from where it is run; a config that was copied together with its data has them beside
 * itself. What exists decides, the former first. Our config then has them relative to its own folder.
 */
async function located(given: Given, { cwd, file }: ReferenceOptions): Promise<Given> {
  const path = String(given.value)
  if (isAbsolute(path)) return given
  const home = dirname(file)
  const fromShell = resolve(cwd, path)
  const beside = !(await exists(fromShell)) && (await exists(resolve(home, path)))
  const value = beside ? path : relative(home, fromShell).split(sep).join('/')
  return { ...given, value }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

function takeTrainSize(mapping: Mapping): number | undefined {
  const given = mapping.text('train.train_size')
  if (given === undefined) return undefined
  const { value } = mapping.number(given)
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0)
    return value === 0 ? undefined : value
  mapping.problem(
    `train.train_size must be a whole number of at least 0, but is ${JSON.stringify(value)}${mapping.place(given)}`,
  )
  return undefined
}

function refuseWhatIsLeft(mapping: Mapping): void {
  for (const [key, given] of mapping.left()) {
    const rule = onlyOff[key]
    const reason = harmless.find(({ keys }) => keys.test(key))
    if (rule !== undefined) {
      if (asksForNothing(given.value, rule.fine)) mapping.unneeded(key, 'asks for what is done anyway')
      else {
        mapping.problem(
          `${key}: ${JSON.stringify(given.value)} cannot be honoured${mapping.place(given)}: ${rule.why}`,
        )
      }
    } else if (reason !== undefined) mapping.unneeded(key, reason.why)
    else {
      const near = nearest(key, structured)
      mapping.problem(
        `${key} is not a key of the reference's config${mapping.place(given)}${near === undefined ? '' : `; did you mean ${near}?`}`,
      )
    }
  }
}

function asksForNothing(value: unknown, fine: readonly unknown[]): boolean {
  if (value === '') return true
  return fine.some(one =>
    typeof one === 'boolean' ? truth(value) === one : String(one) === String(value).trim().toLowerCase(),
  )
}
