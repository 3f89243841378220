import { dirname } from 'node:path'
import { truth } from '../../core/config/variables.js'
import {
  commonKeys,
  type EnvironmentKey,
  environments,
  type FixedKey,
  isOtherEnvironment,
  ownKeys,
  type TheirEnvironment,
} from './environments.js'
import type { Given, Mapping } from './mapping.js'
import { fromHome, located, type Places } from './paths.js'

/** Maps the `env` section: the environment, its data and its own keys. */
export async function mapEnvironment(mapping: Mapping, places: Places): Promise<void> {
  const name = mapping.text('env.name')
  const theirs = name === undefined ? undefined : environments[String(name.value)]
  for (const key of commonKeys) mapping.handled(key)
  if (name === undefined || theirs === undefined) {
    for (const key of ownKeys) mapping.handled(key)
    mapping.problem(`${whichProblem(name, mapping)}; there are ${Object.keys(environments).join(', ')}`)
    return
  }
  mapping.set(['environment', 'use'], { ...name, value: theirs.ours })
  const skill = mapping.text('env.skill_init')
  if (skill === undefined)
    mapping.problem('env.skill_init is not set: set it to the Markdown file to start from')
  else mapping.set(['skill'], await located(skill, places))
  await mapOwnKeys(mapping, { name: String(name.value), theirs }, places)
  mapTime(mapping, theirs)
  mapWorkers(mapping, theirs)
  await mapSplits(mapping, theirs, places)
  await mapPlaces(mapping, theirs, places)
}

function whichProblem(name: Given | undefined, mapping: Mapping): string {
  if (name === undefined) return 'env.name is not set'
  const shown = `env.name: ${String(name.value)}`
  return isOtherEnvironment(String(name.value))
    ? `${shown} is not supported${mapping.place(name)}`
    : `${shown} is not a Python SkillOpt environment${mapping.place(name)}`
}

async function mapOwnKeys(
  mapping: Mapping,
  { name, theirs }: { readonly name: string; readonly theirs: TheirEnvironment },
  places: Places,
): Promise<void> {
  for (const [key, rule] of Object.entries(theirs.keys)) {
    const given = mapping.text(key)
    if (key === 'env.max_turns' && isSingleTurn(mapping, theirs)) setOneTurn(mapping)
    else if ('fine' in rule) settleFixed(mapping, { key, given }, rule)
    else await mapKey(mapping, { key, written: given, rule }, places)
  }
  for (const key of ownKeys) {
    if (key in theirs.keys || commonKeys.some(common => common === key)) continue
    const why = `it belongs to another environment than ${name}`
    settleFixed(mapping, { key, given: mapping.text(key) }, { fine: [0, false], why })
  }
}

/** Whether a spreadsheet task has a single turn. The mode `single`, the default, is `multi` with one turn. */
function isSingleTurn(mapping: Mapping, { ours }: TheirEnvironment): boolean {
  return ours === 'spreadsheetbench' && (mapping.text('env.mode')?.value ?? 'single') === 'single'
}

function setOneTurn(mapping: Mapping): void {
  const mode = mapping.text('env.mode') ?? mapping.standard('env.mode', 'single')
  mapping.set(['environment', 'maxTurns'], { ...mode, value: 1 })
  mapping.handledQuietly('env.max_turns', 'with env.mode: single there is one turn')
}

interface WrittenKey {
  readonly key: string
  readonly written: Given | undefined
  readonly rule: EnvironmentKey
}

async function mapKey(mapping: Mapping, { key, written, rule }: WrittenKey, places: Places): Promise<void> {
  const given = written ?? (rule.otherwise === undefined ? undefined : mapping.standard(key, rule.otherwise))
  mapping.handled(key)
  if (given === undefined) return
  const path = ['environment', rule.to]
  switch (rule.read) {
    case 'number':
      return mapping.set(path, mapping.number(given))
    case 'boolean':
      return mapping.set(path, mapping.boolean(given))
    case 'path':
      return setFolder(mapping, { key, given, to: rule.to }, places)
    case 'text': {
      const value = rule.map === undefined ? given.value : rule.map(given.value)
      if (value === undefined)
        mapping.problem(
          `${key} must be ${rule.takes}, but is ${JSON.stringify(given.value)}${mapping.place(written)}`,
        )
      else mapping.set(path, { ...given, value })
    }
  }
}

/** Sets an option to a folder. The reference accepts a list of folders; here it must be a single one. */
async function setFolder(
  mapping: Mapping,
  { key, given, to }: { readonly key: string; readonly given: Given; readonly to: string },
  places: Places,
): Promise<void> {
  const folders: readonly unknown[] = Array.isArray(given.value) ? given.value : [given.value]
  if (folders.length !== 1) {
    mapping.problem(
      `${key} names ${folders.length} folders, but only one is supported${mapping.place(given)}: merge them`,
    )
    return
  }
  mapping.set(['environment', to], await located({ ...given, value: folders[0] }, places))
}

function settleFixed(
  mapping: Mapping,
  { key, given }: { readonly key: string; readonly given: Given | undefined },
  rule: FixedKey,
): void {
  mapping.handled(key)
  if (given === undefined) return
  if (asksForNothing(given.value, rule.fine)) mapping.unneeded(key, 'this is always done')
  else
    mapping.problem(
      `${key}: ${JSON.stringify(given.value)} is not supported${mapping.place(given)}: ${rule.why}`,
    )
}

/** Whether a value switches off a feature that is not supported here. */
export function asksForNothing(value: unknown, fine: readonly unknown[]): boolean {
  if (value === '') return true
  return fine.some(one =>
    typeof one === 'boolean' ? truth(value) === one : String(one) === String(value).trim().toLowerCase(),
  )
}

/**
 * Maps the timeout of a call. It is skipped if the environment applies it to a whole task, or if the backend
 * has its own.
 */
function mapTime(mapping: Mapping, { keys }: TheirEnvironment): void {
  const timeout = mapping.text('env.exec_timeout')
  if (timeout === undefined || 'env.exec_timeout' in keys) return
  const timed = [...mapping.fromFile, ...mapping.fromOptions].some(
    ({ path }) => path.join('.') === 'models.target.timeout',
  )
  if (!timed) mapping.set(['models', 'target', 'timeout'], mapping.number(timeout))
}

/** Maps the number of concurrent tasks to concurrent calls. If both are set, the number of calls wins. */
function mapWorkers(mapping: Mapping, { ours, workers }: TheirEnvironment): void {
  const tasks = mapping.text('env.workers')
  const calls = mapping.text('env.max_api_workers')
  const given = (ours === 'alfworld' ? calls : undefined) ?? tasks ?? mapping.standard('env.workers', workers)
  mapping.set(['models', 'target', 'concurrency'], mapping.number(given))
  for (const [key, one] of [
    ['env.workers', tasks],
    ['env.max_api_workers', calls],
  ] as const) {
    if (one !== undefined && one !== given) mapping.unneeded(key, 'the number of calls at once decides')
  }
}

async function mapSplits(mapping: Mapping, theirs: TheirEnvironment, places: Places): Promise<void> {
  const limit = mapping.text('env.limit')
  if (limit !== undefined && mapping.number(limit).value !== 0)
    mapping.set(['environment', 'limit'], mapping.number(limit))
  const folder = mapping.text('env.split_dir')
  const mode = splitMode(mapping, theirs)
  if (mode.value === 'split_dir') {
    if (folder === undefined)
      mapping.problem(`env.split_dir is not set, although env.split_mode is split_dir`)
    else mapping.set(['environment', 'splitDir'], await located(folder, places))
    mapShuffle(mapping, theirs)
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
  mapping.set(['environment', 'path'], await located(data, places))
  mapping.set(
    ['environment', 'ratio'],
    mapping.text('env.split_ratio') ?? mapping.standard('env.split_ratio', '2:1:7'),
  )
  const seed = mapping.number(mapping.text('env.split_seed') ?? mapping.standard('env.split_seed', 42))
  mapping.set(['environment', 'seed'], seed)
  refuseTwoSeeds(mapping, theirs, seed)
}

function splitMode(mapping: Mapping, { splitMode }: TheirEnvironment): Given {
  if (splitMode === 'always split_dir') return mapping.standard('env.split_mode', 'split_dir')
  return mapping.text('env.split_mode') ?? mapping.standard('env.split_mode', splitMode)
}

const shufflesChoices = ({ ours }: TheirEnvironment): boolean => ours === 'livemath'

/** Maps the seed that shuffles the choices. It is the training seed there, the data seed here. */
function mapShuffle(mapping: Mapping, theirs: TheirEnvironment): void {
  if (!shufflesChoices(theirs)) return
  const seed = mapping.text('train.seed')
  if (seed !== undefined) mapping.set(['environment', 'seed'], mapping.number(seed))
}

function refuseTwoSeeds(mapping: Mapping, theirs: TheirEnvironment, split: Given): void {
  const seed = mapping.number(mapping.text('train.seed') ?? mapping.standard('train.seed', 42))
  if (!shufflesChoices(theirs) || seed.value === split.value) return
  mapping.problem(
    `env.split_seed: ${String(split.value)} is not supported beside train.seed: ${String(seed.value)}${mapping.place(seed)}: one seed splits the data and orders the choices; split it with \`skillopt data split\` first`,
  )
}

/** Sets the folders for which the reference has no key. It uses its working directory or a variable. */
async function mapPlaces(mapping: Mapping, { ours }: TheirEnvironment, { cwd, file }: Places): Promise<void> {
  if (ours === 'docvqa') {
    const root = mapping.standard('paths of images', fromHome(cwd, dirname(file)))
    mapping.set(['environment', 'imageRoot'], root)
  }
  const games = mapping.env.ALFWORLD_DATA?.trim() ?? ''
  if (ours === 'alfworld' && games !== '') {
    const origin = 'environment ALFWORLD_DATA'
    const given = { value: games, origin, option: false, theirs: 'ALFWORLD_DATA' }
    mapping.set(['environment', 'gamesDir'], await located(given, { cwd, file }))
  }
}
