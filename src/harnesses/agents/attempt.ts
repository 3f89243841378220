import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, relative, sep } from 'node:path'
import { promptParts } from '../../core/parts.js'
import type { Session } from '../../core/ports.js'
import { hideSecrets, redactSecrets } from '../../core/secrets.js'
import type { AgentDefinition, AgentJob, AgentOutcome, AgentPreparation } from './definition.js'
import { type RunningToolServer, startToolServer } from './mcp-http.js'
import { outcomeOf } from './outcome.js'
import { type AgentPlace, closePlace, openPlace } from './place.js'
import { type AgentLimits, environmentOf, runAgent, type Variables } from './process.js'
import { skillForAgent, writeSkillFolder } from './skill-folder.js'
import { bringBack, copyWorkspace } from './workspace.js'

export interface AgentAttempt {
  readonly session: Session
  /** Empty for none. */
  readonly skill: string
  /** As `locateProgram` found it. */
  readonly program: string
  readonly model: string | undefined
  readonly env: Variables
  readonly fullAccess: boolean
  /** Its seconds are for an agent that hangs; the session's own limit, if it is shorter, is the agent's to keep. */
  readonly limits: AgentLimits
  /** Where the attempt's folders are made; the system's temporary folder if not given. */
  readonly root?: string
}

/**
 * One attempt of an agent at a session, in folders of its own that are gone afterwards. What the agent made is in the
 * session's workspace then, if it ended. A failure that the agent tells of is an outcome, with what it had used by then;
 * all else that keeps it from ending is thrown: one that cannot be started, a tool that is broken, an abort.
 */
export async function runAttempt(
  definition: AgentDefinition,
  attempt: AgentAttempt,
  signal: AbortSignal,
): Promise<AgentOutcome> {
  signal.throwIfAborted()
  const { session } = attempt
  const place = await openPlace(attempt.root)
  try {
    if (session.workspace !== undefined) await copyWorkspace(session.workspace, place.workspace)
    return await withTools(session, signal, (tools, stopped) =>
      work(definition, attempt, place, tools, stopped),
    )
  } finally {
    await closePlace(place)
  }
}

/** A tool that fails for reasons outside of the agent ends the attempt with that failure. */
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

async function work(
  definition: AgentDefinition,
  attempt: AgentAttempt,
  place: AgentPlace,
  tools: RunningToolServer | undefined,
  signal: AbortSignal,
): Promise<AgentOutcome> {
  const { session, env } = attempt
  const skill = skillForAgent(attempt.skill)
  const skillFolder =
    skill === undefined ? [] : [await writeSkillFolder(definition.skillsFolder(place), skill)]
  const prepared = definition.prepare(jobOf(attempt, skill, tools), place)
  await writeFiles(prepared)
  const { limits } = attempt
  const seconds = Math.min(limits.seconds, session.secondsLimit ?? Number.POSITIVE_INFINITY)
  const secrets = secretsOf(definition, env, tools)
  const lines: string[] = []
  const named = [...definition.variables, ...definition.secrets]
  const end = await runAgent(
    {
      title: definition.title,
      program: attempt.program,
      arguments: prepared.arguments,
      environment: environmentOf(place, env, named, prepared.environment),
      stdin: prepared.stdin,
    },
    place,
    { ...limits, seconds },
    line => {
      // An agent that looks at its environment would bring its keys into the log.
      if (definition.isNoise?.(line) !== true) lines.push(hideSecrets(line, secrets))
    },
    signal,
  )
  const heard = { ...end, stderr: redactSecrets(end.stderr, secrets) }
  const reading = definition.read({
    stdout: lines.join('\n'),
    stderr: heard.stderr,
    exitCode: end.signal === undefined ? end.exitCode : undefined,
  })
  const isTaskLimit = seconds === session.secondsLimit
  const turns = tools?.turns() ?? 'none'
  const outcome = outcomeOf(definition, reading, { end: heard, seconds, isTaskLimit, turns, secrets })
  if (outcome.status === 'failed' || session.workspace === undefined) return outcome
  const ours = [...skillFolder, ...prepared.files.map(({ path }) => path)]
  const isBack = await bringBack(place.workspace, session.workspace, inWorkspace(place, ours))
  return isBack ? outcome : { ...outcome, stop: 'output-limit' }
}

function jobOf(
  { session, model, env, fullAccess }: AgentAttempt,
  skill: AgentJob['skill'],
  tools: RunningToolServer | undefined,
): AgentJob {
  const { instructions, turnLimit } = session
  return {
    instructions,
    prompt: promptParts(session.prompt),
    skill,
    tools,
    turnLimit,
    model,
    env,
    fullAccess,
  }
}

/** Anything shorter is no key, and would be found in harmless words. */
const shortestSecret = 6

function secretsOf(
  { secrets }: AgentDefinition,
  env: Variables,
  tools: RunningToolServer | undefined,
): readonly string[] {
  return [...secrets.map(name => env[name] ?? ''), tools?.token ?? ''].filter(
    secret => secret.length >= shortestSecret,
  )
}

async function writeFiles({ files }: AgentPreparation): Promise<void> {
  for (const { path, content } of files) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
}

function inWorkspace({ workspace }: AgentPlace, paths: readonly string[]): string[] {
  return paths.map(path => relative(workspace, path)).filter(path => path.split(sep)[0] !== '..')
}
