import { relative, sep } from 'node:path'
import type { Effort } from '../../../core/config/config.js'
import { messageOf, PausedError } from '../../../core/errors/errors.js'
import type { Session } from '../../../core/ports/environment.js'
import { hideSecrets, redactSecrets } from '../../../core/redaction/known-secrets.js'
import { promptParts } from '../../../core/task/parts.js'
import type { Part } from '../../../core/task/task.js'
import type { AgentReading } from '../output/reading.js'
import type { AgentAccess, AgentDefinition, AgentJob, AgentOutcome } from './definition.js'
import { copyUserFiles, loginTokens, readReport, writeBackLogin, writeFiles } from './files.js'
import { loginHint } from './login.js'
import { type RunningToolServer, startToolServer } from './mcp-http.js'
import { outcomeOf } from './outcome.js'
import { type AgentPlace, closePlace, noPlace, openPlace } from './place.js'
import { type AgentEnd, type AgentLimits, environmentOf, runAgent, type Variables } from './process.js'
import { skillForAgent, writeSkillFolder } from './skill-folder.js'
import { applyChanges, copyWorkspace, type WorkspaceSnapshot } from './workspace.js'

/** Settings that apply to every run of an agent, whatever the task. */
export interface AgentSettings {
  /** Path that `locateProgram` returned. */
  readonly program: string
  readonly model: string | undefined
  readonly effort: Effort | undefined
  readonly endpoint: string | undefined
  readonly key: string | undefined
  readonly env: Variables
  readonly access: AgentAccess
  readonly inherit: boolean
  /**
   * `seconds` catches agents that hang. If the session has a shorter time limit, keeping it is the agent's
   * own task.
   */
  readonly limits: AgentLimits & {
    /** Maximum tokens of all calls in one attempt; an agent that exceeds it is terminated. */
    readonly tokens: number
  }
  /** Parent of the attempt's folders; defaults to the system's temporary folder. */
  readonly root?: string
}

export interface AgentTask {
  readonly session: Session
  /** The text of the skill; empty if there is none. */
  readonly skill: string
}

/**
 * Runs one attempt of an agent at a session. The attempt has its own folders, which are removed afterwards.
 * If the agent ended, its work is in the session's workspace. A failure that the agent reports is returned as
 * an outcome, with the usage so far. A failed start, a broken tool or an abort is thrown.
 */
export async function runAttempt(
  definition: AgentDefinition,
  settings: AgentSettings,
  { task, signal }: { task: AgentTask; signal: AbortSignal },
): Promise<AgentOutcome> {
  signal.throwIfAborted()
  const { session } = task
  const folder = session.toolsOnly === true ? undefined : session.workspace
  const place = await openPlace(settings.root).catch(error => foldersNotCreated(definition, error))
  try {
    const given = folder === undefined ? undefined : await copyWorkspace(folder, place.workspace)
    return await withTools(session, signal, (tools, stopped) =>
      runJob(definition, settings, { ...task, place, given, tools, signal: stopped }),
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
  definition.prepare({ kind, ...task, skill, hasWorkspace, ...jobSettings(settings) }, noPlace)
}

/**
 * A full or read-only disk is not the agent's fault, and the next attempt would fail too, so the run pauses.
 */
function foldersNotCreated({ title }: AgentDefinition, error: unknown): never {
  throw new PausedError(`Could not create the folders for an attempt of ${title}: ${messageOf(error)}.`, {
    hint: 'Free space in the temporary folder (TMPDIR), then rerun the same command to resume.',
    cause: error,
  })
}

export interface AgentQuestion {
  readonly instructions: string
  readonly prompt: readonly Part[]
}

/** Uses the agent as a plain model, without tools or a skill, in an empty folder. */
export async function askAgent(
  definition: AgentDefinition,
  settings: AgentSettings,
  { question, signal }: { question: AgentQuestion; signal: AbortSignal },
): Promise<AgentOutcome> {
  signal.throwIfAborted()
  const place = await openPlace(settings.root).catch(error => foldersNotCreated(definition, error))
  try {
    const withoutTools = { skill: undefined, tools: undefined, hasWorkspace: false, turnLimit: 1 }
    // The user's own set-up is made for work and would add tools and instructions to a plain question.
    const job = {
      kind: 'chat' as const,
      ...question,
      ...withoutTools,
      ...jobSettings(settings),
      inherit: false,
    }
    const { reading, end } = await runWithUserFiles(definition, settings, { job, place, signal })
    const { seconds } = settings.limits
    const secrets = secretsOf(definition, job)
    return outcomeOf(titleAndLogin(definition, job), reading, {
      end,
      seconds,
      isTaskLimit: false,
      tools: undefined,
      secrets,
    })
  } finally {
    await closePlace(place)
  }
}

/** Runs an attempt with its tool server. A tool that fails for external reasons ends the attempt. */
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

interface AttemptContext extends AgentTask {
  readonly place: AgentPlace
  readonly given: WorkspaceSnapshot | undefined
  readonly tools: RunningToolServer | undefined
  readonly signal: AbortSignal
}

async function runJob(
  definition: AgentDefinition,
  settings: AgentSettings,
  { session, skill: text, place, given, tools, signal }: AttemptContext,
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
    ...jobSettings(settings),
  }
  const seconds = Math.min(settings.limits.seconds, session.secondsLimit ?? Number.POSITIVE_INFINITY)
  const timed = { ...settings, limits: { ...settings.limits, seconds } }
  const { reading, end, written } = await runWithUserFiles(definition, timed, { job, place, signal })
  const isTaskLimit = seconds === session.secondsLimit
  const secrets = secretsOf(definition, job)
  const outcome = outcomeOf(titleAndLogin(definition, job), reading, {
    end,
    seconds,
    isTaskLimit,
    tools,
    secrets,
  })
  if (outcome.status === 'failed' || session.workspace === undefined || given === undefined) return outcome
  const ours = relativeToWorkspace(place, [...skillFolder, ...written])
  const changes = await applyChanges(place.workspace, session.workspace, { given, without: ours })
  return changes === undefined ? { ...outcome, stop: 'output-limit' } : { ...outcome, changes }
}

function titleAndLogin({ title, login }: AgentDefinition, job: AgentJob) {
  return { title, login: loginHint({ login }, job) }
}

function jobSettings({ model, effort, endpoint, key, env, access, inherit }: AgentSettings) {
  return { model, effort, endpoint, key, env, access, inherit }
}

interface JobRun {
  readonly job: AgentJob
  readonly place: AgentPlace
  readonly signal: AbortSignal
}

interface ProcessResult {
  readonly reading: AgentReading
  readonly end: AgentEnd
  /** Paths of the files written for the agent. */
  readonly written: readonly string[]
}

/** Starts the agent on its job and collects its output until it ends. */
async function runWithUserFiles(
  definition: AgentDefinition,
  settings: AgentSettings,
  run: JobRun,
): Promise<ProcessResult> {
  const copied = await copyUserFiles(definition, run.job, run.place)
  try {
    return await runAndRead(definition, settings, { ...run, copied })
  } finally {
    // Runs even if the agent failed: it may have renewed its tokens, which makes the user's old ones invalid.
    await writeBackLogin(copied)
  }
}

async function runAndRead(
  definition: AgentDefinition,
  { program, limits }: AgentSettings,
  { job, place, copied, signal }: JobRun & { readonly copied: Awaited<ReturnType<typeof copyUserFiles>> },
): Promise<ProcessResult> {
  const { env } = job
  const prepared = definition.prepare(job, place)
  await writeFiles(prepared.files)
  const secrets = [...secretsOf(definition, job), ...(await loginTokens(copied))]
  // Hides the attempt's path: it carries no information, and an optimizer might copy it into a skill.
  const withoutFolder = (text: string) => text.replaceAll(jsonEscaped(place.folder), '/attempt')
  const lines: string[] = []
  const named = [...definition.variables, ...definition.secrets]
  let tokens = 0
  const end = await runAgent(
    {
      title: definition.title,
      program,
      arguments: prepared.arguments,
      environment: environmentOf(place, env, { named, set: prepared.environment }),
      stdin: prepared.stdin,
    },
    {
      place,
      limits,
      onLine: line => {
        // Secrets are hidden, because an agent that prints its environment would leak its keys into the log.
        if (definition.isNoise?.(line) !== true) lines.push(withoutFolder(hideSecrets(line, secrets)))
        tokens += definition.tokensIn?.(line) ?? 0
        return tokens > limits.tokens ? 'enough' : undefined
      },
      signal,
    },
  )
  const renewed = await loginTokens(copied)
  const hidden = (text: string) => hideSecrets(text, renewed)
  const redacted = { ...end, stderr: withoutFolder(redactSecrets(hidden(end.stderr), secrets)) }
  const reading = definition.read({
    stdout: hidden(lines.join('\n')),
    stderr: redacted.stderr,
    exitCode: end.signal === undefined ? end.exitCode : undefined,
    ...(prepared.report === undefined ? {} : await readReport(prepared.report)),
  })
  return { reading, end: redacted, written: prepared.files.map(({ path }) => path) }
}

/** The path as it appears inside JSON, where each backslash of a Windows path is doubled. */
function jsonEscaped(path: string): string {
  return JSON.stringify(path).slice(1, -1)
}

/** A shorter value is probably not a key, and replacing it would damage harmless text. */
const minSecretLength = 6

function secretsOf({ secrets }: AgentDefinition, { env, key, tools }: AgentJob): readonly string[] {
  return [...secrets.map(name => env[name] ?? ''), key ?? '', tools?.token ?? ''].filter(
    secret => secret.length >= minSecretLength,
  )
}

function relativeToWorkspace({ workspace }: AgentPlace, paths: readonly string[]): string[] {
  return paths.map(path => relative(workspace, path)).filter(path => path.split(sep)[0] !== '..')
}
