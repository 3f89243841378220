import { lstat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { resolveModel } from '../core/config/config.js'
import { dotted, isSection, leafPaths, valueAt } from '../core/config/tree.js'
import type { Role } from '../core/ports/model.js'
import { priceOf } from '../models/index.js'
import { atHome, userHome } from '../system/home.js'
import { codeHash } from './code-hash.js'
import { hostsOf, isLoopback } from './hosts.js'
import type { LoadedProject } from './load.js'
import { isPath } from './modules.js'
import { isWithin, outsideLinks, realPlace } from './outside-links.js'

/** A setting in a config file that takes effect only if the user trusts the file. */
export interface TrustItem {
  /** Dotted path of the option. */
  readonly option: string
  readonly value: string
  /** Says what the setting does, as the end of a sentence. */
  readonly effect: string
  /** Hash of the code that the option names, or of the links in the folder that it names. */
  readonly code?: string
}

export interface TrustScope {
  /** If true, Sleep's settings are included, which decide what is adopted and into which files. */
  readonly forSleep: boolean
}

type Project = Pick<LoadedProject, 'config' | 'sources' | 'baseDir' | 'cwd' | 'env' | 'file' | 'out'>

/**
 * Lists everything in a config file that runs code, names a host, lifts a protection or reaches outside its
 * folder. Values from a flag or the shell are the user's own, so they need no trust.
 */
export async function trustItems(project: Project, scope: TrustScope): Promise<TrustItem[]> {
  return [
    ...(await codeItems(project)),
    ...(await modelItems(project)),
    ...protectionItems(project),
    ...commandItems(project),
    ...(await pathItems(project)),
    ...(scope.forSleep ? sleepItems(project) : []),
  ]
}

/** Matches origins that are the user's own. Any other origin, apart from defaults, counts as the file's. */
const usersOwn = /^(?:flag |environment |preset |default of the reference$)/

function isFromFile(project: Project, option: string): boolean {
  return originsOf(project, option).some(origin => !usersOwn.test(origin))
}

/** True if the user set the option. A default does not count: its path leads to a file in the folder. */
function isUsersOwn(project: Project, option: string): boolean {
  const origins = originsOf(project, option)
  return origins.length > 0 && origins.every(origin => usersOwn.test(origin))
}

function originsOf({ sources }: Project, option: string): string[] {
  return Object.entries(sources)
    .filter(([path]) => path === option || path.startsWith(`${option}.`) || option.startsWith(`${path}.`))
    .map(([, origin]) => origin)
}

const roles = ['target', 'optimizer', 'judge'] as const satisfies readonly Role[]
const runsCode = 'code that runs with your full permissions'

async function codeItems(project: Project): Promise<TrustItem[]> {
  const { config, baseDir } = project
  const named: readonly (readonly [string, string | undefined])[] = [
    ['environment.use', config.environment.use],
    ['evaluation.gate', config.evaluation.gate],
    ['sleep.embedder', config.sleep?.embedder],
    ...roles.map(role => {
      const model = config.models[role]
      return [`models.${role}.provider`, typeof model === 'object' ? model.provider : undefined] as const
    }),
  ]
  const found = named.flatMap(([option, use]) =>
    use !== undefined && isPath(use) && isFromFile(project, option) ? [{ option, value: use }] : [],
  )
  return Promise.all(
    found.map(async item => ({
      ...item,
      effect: runsCode,
      code: await hashOf(resolve(baseDir, item.value)),
    })),
  )
}

/** Hashes a file. A missing one is ignored here and reported by name when it is loaded. */
async function hashOf(file: string): Promise<string> {
  try {
    return await codeHash(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return 'missing'
  }
}

async function modelItems(project: Project): Promise<TrustItem[]> {
  const { config } = project
  const items: TrustItem[] = []
  for (const role of roles) {
    const reference = config.models[role]
    if (reference === undefined) continue
    const model = resolveModel(reference, role)
    const at = (option: string) => `models.${role}.${option}`
    const add = (option: string, value: string, effect: string) => {
      if (isFromFile(project, at(option))) items.push({ option: at(option), value, effect })
    }
    const hosts = await hostsOf(model, project.env)
    // The server runs on this machine, so nothing leaves it.
    const staysHere = hosts.isOwnServer && (hosts.given === undefined || isLoopback(hosts.given))
    if (model.endpoint !== undefined && !hosts.isFolder && !hosts.isOwnHost && !staysHere) {
      add('endpoint', model.endpoint, `gets ${hosts.key ?? 'no key'} and all texts of the ${role}`)
    }
    if (model.apiKeyEnv !== undefined && !hosts.keyVariables.includes(model.apiKeyEnv) && !staysHere) {
      add('apiKeyEnv', model.apiKeyEnv, 'your environment variable, sent as a key')
    }
    const body = JSON.stringify(model.extraBody ?? {})
    if (/:\/\/|"(?:tools|mcp_servers|store)"/.test(body)) {
      add('extraBody', body, 'is added to every request; it may name tools, servers or storage')
    }
    if (model.price !== undefined && hosts.keyNeeded) {
      const { input, output } = model.price
      const known = priceOf(model.model)
      const isLower = known !== undefined && (input < known.input || output < known.output)
      if (input === 0 && output === 0) add('price', 'free', 'paid calls start without asking')
      else if (isLower) {
        const value = `${input} and ${output} dollars per million tokens`
        add('price', value, `below ${known.input} and ${known.output}: cost caps would stop too late`)
      }
    }
  }
  return items
}

function protectionItems(project: Project): TrustItem[] {
  const { sandbox, harness, telemetry } = project.config
  const items: TrustItem[] = []
  const add = (option: string, value: unknown, effect: string) => {
    if (isFromFile(project, option)) items.push({ option, value: String(value), effect })
  }
  if (sandbox === 'none') add('sandbox', sandbox, 'model-written programs run with your full permissions')
  if (harness.access === 'full') add('harness.access', 'full', 'agents act without asking')
  if (harness.inherit) add('harness.inherit', true, 'agents use your own servers, hooks and instructions')
  if (telemetry.spans && telemetry.endpoint !== undefined && !isLoopback(telemetry.endpoint)) {
    const texts = telemetry.texts ? 'spans with prompts and answers' : 'spans of runs and calls'
    add('telemetry.endpoint', telemetry.endpoint, `gets ${texts}`)
  }
  return items
}

/** Lists the scoring programs in the environment's options and the local folders that they may read. */
function commandItems(project: Project): TrustItem[] {
  const effects = {
    command: 'a program that runs in the sandbox',
    python: 'a program that runs in the sandbox',
    readOnly: 'folders that programs in the sandbox may read',
  }
  return leavesOf(project.config.environment, ['environment']).flatMap(({ path, value }) => {
    const name = path.at(-1) ?? ''
    const effect = Object.hasOwn(effects, name) ? effects[name as keyof typeof effects] : undefined
    const option = dotted(path.filter(part => !/^\d+$/.test(part)))
    const isUsual = (Array.isArray(value) && value.length === 0) || value === 'python3'
    return effect === undefined || isUsual || !isFromFile(project, option)
      ? []
      : [{ option, value: JSON.stringify(value), effect }]
  })
}

/** Lists the values in nested sections. A list of plain values counts as one value. */
function leavesOf(
  value: unknown,
  path: readonly string[],
): { readonly path: readonly string[]; readonly value: unknown }[] {
  const inner: readonly (readonly [string, unknown])[] = isSection(value)
    ? Object.entries(value)
    : Array.isArray(value) && value.some(isSection)
      ? value.map((one, index) => [String(index), one] as const)
      : []
  return inner.length === 0 ? [{ path, value }] : inner.flatMap(([key, one]) => leavesOf(one, [...path, key]))
}

/** Lists paths that lead outside the cloned or unpacked project, directly or through a link. */
async function pathItems(project: Project): Promise<TrustItem[]> {
  const { config, baseDir, env, out } = project
  const handoffs = roles.flatMap(role => {
    const model = config.models[role]
    const isHandoff = typeof model === 'object' && model.model.startsWith('handoff/')
    return isHandoff ? [[`models.${role}.endpoint`, model.endpoint] as const] : []
  })
  const named: readonly (readonly [string, unknown])[] = [
    ...['skill', 'prompts', 'cache', 'telemetry.logFile'].map(
      option => [option, valueAt(config, option.split('.'))] as const,
    ),
    ...handoffs,
    ...leavesOf(config.environment, ['environment'])
      .filter(({ path }) => !['use', 'command', 'python', 'readOnly'].includes(path.at(-1) ?? ''))
      .flatMap(({ path, value }) =>
        (Array.isArray(value) ? value : [value]).map(one => [dotted(path), one] as const),
      ),
    ['env.out_root', out],
  ]
  const home = userHome(env)
  const roots = await rootsOf(project)
  const items: TrustItem[] = []
  for (const [option, value] of named) {
    if (typeof value !== 'string' || value === '' || value.length > longestPath || value.includes('\n'))
      continue
    if (isUsersOwn(project, option)) continue
    const path = resolve(baseDir, atHome(value, home))
    // Most text options of an environment are not paths, so only those that exist count.
    if (option.startsWith('environment.') && !(await isThere(path))) continue
    const place = await realPlace(path)
    if (!roots.some(root => isWithin(root, place))) {
      items.push({ option, value, effect: 'is outside the project' })
      continue
    }
    // Links matter only here: other folders are only written to, or their readers follow no links.
    if (option !== 'prompts' && !option.startsWith('environment.')) continue
    const links = await outsideLinks(place, roots)
    if (links === undefined) continue
    const named = join(value, links.text)
    items.push({ option, value: named, effect: 'is a link to a place outside the project', code: links.hash })
  }
  return items
}

const longestPath = 4096

/**
 * Returns the folders that count as the project: the config's folder, the repository around it, and the
 * working directory if it contains the config. The home folder does not count, because it contains
 * everything.
 */
async function rootsOf({ baseDir, cwd, env }: Project): Promise<string[]> {
  const [base, here, home] = await Promise.all([baseDir, cwd, userHome(env)].map(realPlace))
  if (base === undefined || here === undefined || home === undefined) return []
  const isNarrow = (folder: string) => !isWithin(folder, home)
  const repository = await repositoryAround(base)
  return [
    base,
    ...(repository !== undefined && isNarrow(repository) ? [repository] : []),
    ...(isWithin(here, base) && isNarrow(here) ? [here] : []),
  ]
}

async function repositoryAround(folder: string): Promise<string | undefined> {
  for (let place = folder; ; place = dirname(place)) {
    if (await isThere(join(place, '.git'))) return place
    if (dirname(place) === place) return undefined
  }
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

function sleepItems(project: Project): TrustItem[] {
  const { evaluation, optimizer, sleep } = project.config
  const items: TrustItem[] = []
  const add = (option: string, value: unknown, effect: string) => {
    if (isFromFile(project, option)) items.push({ option, value: JSON.stringify(value), effect })
  }
  if (evaluation.gate === 'always') add('evaluation.gate', 'always', 'proposals are not checked')
  if (optimizer.slowUpdate.accept === 'force')
    add('optimizer.slowUpdate.accept', 'force', 'guidance bypasses the gate')
  if (sleep === undefined) return items
  const { embedder } = sleep
  // The embedder's packages come from the config's folder, even if a flag named the embedder.
  if (embedder !== undefined && !isPath(embedder))
    items.push({
      option: 'sleep.embedder',
      value: embedder,
      effect: `${runsCode}, of packages in node_modules`,
    })
  if (sleep.autoAdopt) add('sleep.autoAdopt', true, 'changes your files without a review')
  const places = leafPaths({ places: sleep.places ?? {}, skillRoots: sleep.skillRoots })
  for (const path of places) {
    const value = valueAt(sleep, path)
    if (Array.isArray(value) && value.length > 0)
      add(`sleep.${dotted(path)}`, value, 'folders that are read or changed')
  }
  if (isPath(sleep.skill)) add('sleep.skill', sleep.skill, 'the file that is changed')
  return items
}
