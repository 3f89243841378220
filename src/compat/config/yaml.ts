import { resolve } from 'node:path'
import { refuse } from '../../core/config/config-problems.js'
import { isSecretKey } from '../../core/config/secret-keys.js'
import type { Variables } from '../../core/config/variables.js'
import { nearest } from '../../core/text/nearest.js'
import { asksForNothing, mapEnvironment } from './environment.js'
import { directKeys, harmless, onlyOff, trainingKeys } from './keys.js'
import { addOptions, readLayers } from './layers.js'
import { type Assignment, type Given, Mapping } from './mapping.js'
import { mapModels } from './models.js'
import { knownKeys } from './names.js'

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
  /** For each option in `out`, the YAML key that it comes from. */
  readonly outOrigin?: Readonly<Record<string, string>>
  readonly expectedTrainSize?: number
}

/** Reads a YAML of the Python reference, including inherited files, and maps it onto our options. */
export async function loadReference(options: ReferenceOptions): Promise<MappedReference> {
  const given = await readLayers(options.file)
  addOptions(given, options.cfgOptions)
  const mapping = new Mapping(given, options.env)
  for (const [key, one] of given) refuseSecret(key, one, mapping)
  mapDirect(mapping)
  mapModels(mapping)
  await mapEnvironment(mapping, options)
  for (const key of trainingKeys) mapping.handled(key)
  const trainSize = takeTrainSize(mapping)
  const out = mapping.text('env.out_root')
  if (out !== undefined) mapping.note('env.out_root', 'the directory of a training', out.value)
  refuseWhatIsLeft(mapping)
  if (mapping.problems.length > 0) refuse(options.shownAs, mapping.problems)
  return {
    fromFile: mapping.fromFile,
    fromOptions: mapping.fromOptions,
    labels: mapping.labels,
    mapped: mapping.lines(),
    warnings: mapping.warnings,
    out: out === undefined ? undefined : resolve(options.cwd, String(out.value)),
    outOrigin: out === undefined ? undefined : { 'env.out_root': out.origin },
    expectedTrainSize: trainSize,
  }
}

/** Refuses API keys in a file. The reference accepts them, but here they would end up in logs and copies. */
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
    const reason = harmless.find(({ keys }) => keys.includes(key))
    if (rule !== undefined) {
      if (asksForNothing(given.value, rule.fine)) mapping.unneeded(key, 'this is always done')
      else {
        mapping.problem(
          `${key}: ${JSON.stringify(given.value)} is not supported${mapping.place(given)}: ${rule.why}`,
        )
      }
    } else if (reason !== undefined) mapping.unneeded(key, reason.why)
    else {
      const near = nearest(key, knownKeys)
      mapping.problem(
        `${key} is not a Python SkillOpt setting${mapping.place(given)}${near === undefined ? '' : `; did you mean ${near}?`}`,
      )
    }
  }
}
