import { relative, sep } from 'node:path'
import type { Effort } from '../../../core/config/config.js'
import { messageOf, PausedError } from '../../../core/errors/errors.js'
import type { Session } from '../../../core/ports/environment.js'
import { hideSecrets, redactSecrets } from '../../../core/redaction/known-secrets.js'
import { promptParts } from '../../../core/task/parts.js'
import type { Part } from '../../../core/task/task.js'
import type { AgentReading } from '../output/reading.js'
import type { AgentAccess, AgentDefinition, AgentJob, AgentOutcome } from './definition.js'
import { lendFiles, reportIn, returnLogin, tokensOf, writeFiles } from './files.js'
import { loginAdvice } from './login.js'
import { type RunningToolServer, startToolServer } from './mcp-http.js'
import { outcomeOf } from './outcome.js'
import { type AgentPlace, closePlace, nowhere, openPlace } from './place.js'
import { type AgentEnd, type AgentLimits, environmentOf, runAgent, type Variables } from './process.js'
import { skillForAgent, writeSkillFolder } from './skill-folder.js'
import { bringBack, copyWorkspace, type Given } from './workspace.js'

/** Settings that apply to every run of an agent, whatever the task. */
export interface AgentSettings {
  /** Path returned by `locateProgram`. */
  readonly program: string
  readonly model: string | undefined
  readonly effort: Effort | undefined
  readonly endpoint: string | undefined
  readonly key: string | undefined
  readonly env: Variables
  readonly access: AgentAccess
  readonly inherit: boolean
  /**
   * `seconds` is for agents that hang; a shorter time limit of the session is the agent's own
   * responsibility.
   */
  readonly limits: AgentLimits & {
    /** For all calls of one attempt together; an agent that exceeds it is terminated. */
    readonly tokens: number
  }
  /** Parent of the attempt's folders; defaults to the system's temporary folder. */
  readonly root?: string
}

export interface AgentTask {
  readonly session: Session
  /** Empty for none. */
  readonly skill: string
}

/**
 * Runs one attempt of an agent at a session, in its own folders, which are removed afterwards. If the agent
 * ended, its work is in the session's workspace. A failure that the agent reports is an outcome, with the
 * usage up to then. Everything else that stops it is thrown: a failed start, a broken tool, an abort.
 */
export async function runAttempt(
  definition: AgentDefinition,
  settings: AgentSettings,
  task: AgentTask,
  signal: AbortSignal,
): Promise<AgentOutcome> {
  signal.throwIfAborted()
  const { session } = task
  const folder = session.toolsOnly === true ? undefined : session.workspace
  const place = await openPlace(settings.root).catch(error => notMade(definition, error))
  try {
    const given = folder === undefined ? undefined : await copyWorkspace(folder, place.workspace)
    return await withTools(session, signal, (tools, stopped) =>
      work(definition, settings, task, { place, given, tools }, stopped),
    )
  } finally {
    await closePlace(place)
  }
}

/** Throws `InputError` for settings with which this agent cannot start, before anything is started. */
export function checkSettings(
  definition: AgentDefinition,
  settings: AgentSettings,
  kind: AgentJob['kind'],
): void {
  const task = { instructions: '', prompt: [], tools: undefined, turnLimit: 1 }
  const skill = kind === 'work' ? { name: 'skill', text: '' } : undefined
  const hasWorkspace = kind === 'work'
  definition.prepare({ kind, ...task, skill, hasWorkspace, ...fromSettings(settings) }, nowhere)
}

/** A full or read-only disk is not the agent's fault, and the next attempt would fail too. */
function notMade({ title }: AgentDefinition, error: unknown): never {
  throw new PausedError(`The folders for an attempt of ${title} could not be made: ${messageOf(error)}.`, {
    hint: 'Make room in the temporary folder (TMPDIR), then run the same command again: it goes on where it stopped.',
    cause: error,
  })
}

export interface AgentQuestion {
  readonly instructions: string
  readonly prompt: readonly Part[]
}

/** Uses the agent as a plain model: no tools, no skill, an empty folder. */
export async function askAgent(
  definition: AgentDefinition,
  settings: AgentSettings,
  question: AgentQuestion,
  signal: AbortSignal,
): Promise<AgentOutcome> {
  signal.throwIfAborted()
  const place = await openPlace(settings.root).catch(error => notMade(definition, error))
  try {
    const none = { skill: undefined, tools: undefined, hasWorkspace: false, turnLimit: 1 }
    // The user's set-up is meant for work: it would add tools and instructions to a question.
    const job = { kind: 'chat' as const, ...question, ...none, ...fromSettings(settings), inherit: false }
    const { reading, heard } = await listen(definition, settings, job, place, signal)
    const { seconds } = settings.limits
    const secrets = secretsOf(definition, job)
    return outcomeOf(speaker(definition, job), reading, {
      end: heard,
      seconds,
      isTaskLimit: false,
      tools: undefined,
      secrets,
    })
  } finally {
    await closePlace(place)
  }
}

/** A tool that fails for external reasons ends the attempt with that failure. */
async function withTools<T>(
  session: Session,
  signal: AbortSignal,
  run: (tools: RunningToolServer | undefined, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (session.tools.length === 0 && session.reply === undefined) return run(undefined, signal)
  const broken = new AbortController()
  const stopped = AbortSignal.any([signal, broken.signal])
  const tools = await startToolServer(session, {
    signal: stopped,
    onFailure: error => broken.abort(error),
  })
  try {
    return await run(tools, stopped)
  } finally {
    await tools.close()
  }
}

interface Surroundings {
  readonly place: AgentPlace
  readonly given: Given | undefined
  readonly tools: RunningToolServer | undefined
}

async function work(
  definition: AgentDefinition,
  settings: AgentSettings,
  { session, skill: text }: AgentTask,
  { place, given, tools }: Surroundings,
  signal: AbortSignal,
): Promise<AgentOutcome> {
  const skill = skillForAgent(text)
  const skillFolder =
    skill === undefined ? [] : [await writeSkillFolder(definition.skillsFolder(place), skill)]
  const job: AgentJob = {
    kind: 'work',
    instructions: session.instructions,
    prompt: promptParts(session.prompt),
    skill,
    tools,
    hasWorkspace: given !== undefined,
    turnLimit: session.turnLimit,
    ...fromSettings(settings),
  }
  const seconds = Math.min(settings.limits.seconds, session.secondsLimit ?? Number.POSITIVE_INFINITY)
  const timed = { ...settings, limits: { ...settings.limits, seconds } }
  const { reading, heard, written } = await listen(definition, timed, job, place, signal)
  const isTaskLimit = seconds === session.secondsLimit
  const secrets = secretsOf(definition, job)
  const outcome = outcomeOf(speaker(definition, job), reading, {
    end: heard,
    seconds,
    isTaskLimit,
    tools,
    secrets,
  })
  if (outcome.status === 'failed' || session.workspace === undefined || given === undefined) return outcome
  const ours = inWorkspace(place, [...skillFolder, ...written])
  const changes = await bringBack(place.workspace, session.workspace, given, ours)
  return changes === undefined ? { ...outcome, stop: 'output-limit' } : { ...outcome, changes }
}

function speaker({ title, login }: AgentDefinition, job: AgentJob) {
  return { title, login: loginAdvice({ login }, job) }
}

function fromSettings({ model, effort, endpoint, key, env, access, inherit }: AgentSettings) {
  return { model, effort, endpoint, key, env, access, inherit }
}

interface Heard {
  readonly reading: AgentReading
  readonly heard: AgentEnd
  /** Paths of the files written for the agent. */
  readonly written: readonly string[]
}

/** Starts the agent on its job and collects its output until it ends. */
async function listen(
  definition: AgentDefinition,
  settings: AgentSettings,
  job: AgentJob,
  place: AgentPlace,
  signal: AbortSignal,
): Promise<Heard> {
  const lent = await lendFiles(definition, job, place)
  try {
    return await hear(definition, settings, job, { place, lent }, signal)
  } finally {
    // Runs however the agent ended: if it renewed its tokens, only the new ones are valid.
    await returnLogin(lent)
  }
}

async function hear(
  definition: AgentDefinition,
  { program, limits }: AgentSettings,
  job: AgentJob,
  { place, lent }: { readonly place: AgentPlace; readonly lent: Awaited<ReturnType<typeof lendFiles>> },
  signal: AbortSignal,
): Promise<Heard> {
  const { env } = job
  const prepared = definition.prepare(job, place)
  await writeFiles(prepared.files)
  const secrets = [...secretsOf(definition, job), ...(await tokensOf(lent))]
  // The attempt's path carries no information, and an optimizer that sees it might put it into a skill.
  const placeless = (text: string) => text.replaceAll(inJson(place.folder), '/attempt')
  const lines: string[] = []
  const named = [...definition.variables, ...definition.secrets]
  let tokens = 0
  const end = await runAgent(
    {
      title: definition.title,
      program,
      arguments: prepared.arguments,
      environment: environmentOf(place, env, named, prepared.environment),
      stdin: prepared.stdin,
    },
    place,
    limits,
    line => {
      // An agent that prints its environment would leak its keys into the log.
      if (definition.isNoise?.(line) !== true) lines.push(placeless(hideSecrets(line, secrets)))
      tokens += definition.tokensIn?.(line) ?? 0
      return tokens > limits.tokens ? 'enough' : undefined
    },
    signal,
  )
  const renewed = await tokensOf(lent)
  const hidden = (text: string) => hideSecrets(text, renewed)
  const heard = { ...end, stderr: placeless(redactSecrets(hidden(end.stderr), secrets)) }
  const reading = definition.read({
    stdout: hidden(lines.join('\n')),
    stderr: heard.stderr,
    exitCode: end.signal === undefined ? end.exitCode : undefined,
    ...(prepared.report === undefined ? {} : await reportIn(prepared.report)),
  })
  return { reading, heard, written: prepared.files.map(({ path }) => path) }
}

/** The path as it appears inside JSON, where each backslash of a Windows path is doubled. */
function inJson(path: string): string {
  return JSON.stringify(path).slice(1, -1)
}

/** A shorter value is not a key and would match harmless text. */
const shortestSecret = 6

function secretsOf({ secrets }: AgentDefinition, { env, key, tools }: AgentJob): readonly string[] {
  return [...secrets.map(name => env[name] ?? ''), key ?? '', tools?.token ?? ''].filter(
    secret => secret.length >= shortestSecret,
  )
}

function inWorkspace({ workspace }: AgentPlace, paths: readonly string[]): string[] {
  return paths.map(path => relative(workspace, path)).filter(path => path.split(sep)[0] !== '..')
}
