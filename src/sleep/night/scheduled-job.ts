import { tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import { closeModels } from '../../models/index.js'
import { withAgentDefaults } from '../../project/agents.js'
import type { LoadedProject } from '../../project/load.js'
import { variablesOf } from '../../project/models.js'
import { checkLimits } from '../../run/budget.js'
import { isFree } from '../../trainer/loops/setup.js'
import { isKeyName, type NightlyJob } from '../schedule/index.js'
import type { SleepProject, Surroundings } from '../settings/places.js'
import type { SleepSettings } from '../settings/settings.js'
import { checkParts, type NamedModels, namedRoles, openNamedModels, refuseSimulated } from './check.js'

/**
 * Prepares a night that the system's scheduler will start. Everything is checked now, because nobody will be
 * there to fix problems.
 */

type Variables = Surroundings['env']

export interface NightJobOptions {
  readonly project: SleepProject
  readonly settings: SleepSettings
  readonly command: NightlyJob['command']
  readonly at: { readonly hour: number; readonly minute: number }
  readonly surroundings: Surroundings
}

export async function nightJob(
  options: NightJobOptions,
): Promise<{ readonly job: NightlyJob; readonly remarks: readonly string[] }> {
  const { project, settings, command, at, surroundings } = options
  try {
    const loaded = await withAgentDefaults(settings.loaded)
    refuseSimulated(settings)
    await checkParts(settings)
    const models = await openNamedModels(loaded)
    checkCaps(loaded, models)
    const variables = await namesOf(loaded)
    const { environment, remarks } = environmentFor(variables, loaded, surroundings)
    const files = [...new Set([loaded.baseDir, project.root])].map(folder => join(folder, '.env'))
    const job: NightlyJob = {
      project: project.root,
      folder: project.folder,
      command,
      ...at,
      environment,
      needs: variables.keys,
      variableFiles: files,
    }
    return { job, remarks: [...remarks, ...unnamed(models), ...passing(command)] }
  } finally {
    await closeModels()
  }
}

function checkCaps({ config: { limits } }: LoadedProject, models: NamedModels): void {
  checkLimits(limits, models)
  const isCapped = Object.values(limits).some(limit => limit !== undefined)
  if (isCapped || (models.target !== undefined && isFree(models))) return
  throw new InputError('A night that nobody watches needs a limit, and there is none.', {
    hint: 'Give at least one of --max-cost, --max-tokens, --max-calls and --max-time, or `limits` in the settings. It holds for each night.',
  })
}

async function namesOf(loaded: LoadedProject) {
  const found = await Promise.all(namedRoles(loaded).map(role => variablesOf(role, loaded)))
  const isSet = (name: string) => (loaded.env[name] ?? '') !== ''
  const keys = new Set(found.flatMap(one => one.keys))
  // An AWS secret is useless without its key id, so both are passed on.
  if (keys.has('AWS_SECRET_ACCESS_KEY'))
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SESSION_TOKEN'].filter(isSet)) keys.add(name)
  const others = new Set(found.flatMap(one => one.others))
  for (const name of others) if (isKeyName(name)) keys.add(name)
  return { keys: [...keys], others: [...others] }
}

/** Variables that the scheduled night needs for agents' session folders, network access and locale. */
const takenOver = [
  'PATH',
  'HOME',
  'USERPROFILE',
  'LANG',
  'LC_ALL',
  'TZ',
  'SKILLOPT_HOME',
  'SKILLOPT_LOCAL_WEIGHTS',
  'SKILLOPT_LOCAL_THREADS',
  'SKILLOPT_LOCAL_GPU',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'COPILOT_HOME',
  'CURSOR_DATA_DIR',
  'GEMINI_CLI_HOME',
  'QWEN_HOME',
  'QWEN_RUNTIME_DIR',
  'PI_CODING_AGENT_DIR',
  'PI_CODING_AGENT_SESSION_DIR',
  'OPENCODE_DB',
  'VSCODE_PORTABLE',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
  'AWS_PROFILE',
]

function environmentFor(
  { keys, others }: { readonly keys: readonly string[]; readonly others: readonly string[] },
  { sources }: LoadedProject,
  { env, cwd }: Surroundings,
): { readonly environment: Record<string, string>; readonly remarks: readonly string[] } {
  const options = Object.values(sources).flatMap(source => /^environment (\w+)$/.exec(source)?.[1] ?? [])
  const names = [...new Set([...takenOver, ...options, ...others])].filter(name => !keys.includes(name))
  const set = names.flatMap(name => {
    const value = settingOf(name, env, cwd)
    return value === undefined ? [] : [[name, value] as const]
  })
  const withPassword = set.filter(([, value]) => /^\w+:\/\/[^/]*@/.test(value)).map(([name]) => name)
  return {
    environment: Object.fromEntries(set.filter(([name]) => !withPassword.includes(name))),
    remarks: withPassword.map(
      name =>
        `${name} holds a password, so it is not written down: a night has it only if the system sets it.`,
    ),
  }
}

/** Makes a relative SKILLOPT_HOME absolute, because the scheduled night does not run in this folder. */
function settingOf(name: string, env: Variables, cwd: string): string | undefined {
  const value = env[name]
  if (value === undefined || value === '') return undefined
  return name === 'SKILLOPT_HOME' ? resolve(cwd, value) : value
}

function unnamed(models: NamedModels): string[] {
  if (models.target !== undefined) return []
  return ['Nobody is named who tries the tasks, so it is the agent of most of your sessions (--target).']
}

/** Warns if the program is in a temporary folder, which may be gone when the night starts. */
function passing(command: NightlyJob['command']): string[] {
  const file = command.find(word => /[\\/]cli[\\/]main\.[jt]s$/.test(word)) ?? ''
  const isPassing = file.split(/[\\/]/).includes('_npx') || file.startsWith(`${tmpdir()}${sep}`)
  return isPassing
    ? [
        `skillopt runs from ${file}, which may be removed at any time: install it (npm install -g skillopt), then schedule again.`,
      ]
    : []
}
