import { chmod, lstat, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { WorldFailure } from '../../../core/errors/errors.js'
import type { Session, Tool } from '../../../core/ports/environment.js'
import type { Harness, Job } from '../../../core/ports/harness.js'
import type { ModelReply } from '../../../core/ports/model.js'
import type { AgentWork, ChangedFile } from '../../../core/task/agent-work.js'
import { promptParts, userMessage } from '../../../core/task/parts.js'
import type { Message, Trajectory } from '../../../core/task/task.js'
import { readPlainFile } from '../../../system/plain-file.js'
import { type AgentSettings, runAttempt } from './attempt.js'
import type { AgentDefinition, AgentOutcome } from './definition.js'
import { firstMessages, toolSpecs } from './first-messages.js'
import { createSessionTools } from './mcp.js'
import type { Changes } from './workspace.js'

/**
 * Creates a harness that runs an agent on tasks. An attempt is one call, during which the agent talks to its
 * model on its own.
 */
export function createAgentHarness(definition: AgentDefinition, settings: AgentSettings): Harness {
  return {
    id: definition.id,
    supports: definition.supports,
    run: (job, signal) => run(definition, settings, { ...job, signal }),
  }
}

async function run(
  definition: AgentDefinition,
  settings: AgentSettings,
  { skill, call, reopen, signal, ...job }: Job & { readonly signal: AbortSignal },
): Promise<Trajectory> {
  signal.throwIfAborted()
  // The messages that a plain model would get. The agent builds its own prompt, but the log identifies an
  // attempt by these messages.
  const messages = firstMessages(job.session, skill)
  const tools = toolSpecs(job.session)
  let open = recordSession(job.session)
  let tries = 0
  let running: Promise<ModelReply> | undefined

  const worker = (stop: AbortSignal): Promise<ModelReply> => {
    const before = running
    tries += 1
    const isRetry = tries > 1
    running = (async () => {
      // An aborted try may still be shutting down and must not overlap with the next one.
      await before?.catch(() => undefined)
      if (isRetry) open = recordSession(await reopen())
      const { session } = open
      const outcome = await runAttempt(definition, settings, { task: { session, skill }, signal: stop })
      return replyOf(outcome, session)
    })()
    return running
  }

  try {
    const reply = await call({ messages, ...(tools.length === 0 ? {} : { tools }) }, 0, worker)
    const { work, text } = reply
    if (work === undefined) throw new Error(`A call of the agent ${definition.id} has no record of its work.`)
    if (tries === 0) await replayWork(open.session, work, signal)
    const turns = open.conversation()
    if (turns === undefined)
      return { messages: [...messages, ...work.messages], answer: text, stop: work.stop }
    const said = turns.findLast(({ role }) => role === 'assistant')?.text ?? ''
    return { messages: [...messages, ...turns], answer: said, stop: work.stop }
  } finally {
    // An aborted call returns before the agent has ended, but the session may be closed only after that.
    await running?.catch(() => undefined)
  }
}

async function replyOf(outcome: AgentOutcome, { workspace }: Session): Promise<ModelReply> {
  if (outcome.status === 'failed') throw outcome.failure
  const { messages, answer, stop, usage, cost, calls, changes } = outcome
  const files = workspace === undefined || changes === undefined ? [] : await readChanges(workspace, changes)
  return {
    text: answer,
    stop: 'stop',
    usage,
    cost,
    work: { messages, stop, calls, files: files ?? [], isWhole: files !== undefined },
  }
}

/** Maximum size of all changed files of one attempt; more would bloat the log. */
const maxChangeBytes = 16 * 1024 * 1024

/** Reads the content of the changed files; undefined if they are too large for the log. */
async function readChanges(
  folder: string,
  { removed, folders, files }: Changes,
): Promise<readonly ChangedFile[] | undefined> {
  const changed: ChangedFile[] = removed.map(path => ({ path: portable(path) }))
  for (const path of folders) changed.push({ path: `${portable(path)}/`, content: '' })
  let bytes = 0
  for (const path of files) {
    const { size, mode } = await lstat(join(folder, path))
    bytes += size
    if (bytes > maxChangeBytes) return undefined
    const content = (await readPlainFile(join(folder, path))).toString('base64')
    changed.push({ path: portable(path), content, mode: mode & 0o777 })
  }
  return changed
}

const portable = (path: string) => path.split(sep).join('/')

/**
 * Repeats an agent's recorded tool calls and file changes in a new session, so that it reaches the same
 * state. The tools' output is already in the log and is dropped.
 */
async function replayWork(session: Session, { calls, files }: AgentWork, signal: AbortSignal): Promise<void> {
  let failure: unknown
  const onFailure = (error: unknown) => {
    failure ??= error
  }
  const tools = createSessionTools({ session, signal, onFailure })
  for (const [id, { tool, arguments: given }] of calls.entries()) {
    const params = { name: tool, arguments: JSON.parse(given) as unknown }
    await tools.handle({ jsonrpc: '2.0', id, method: 'tools/call', params })
    if (failure !== undefined) throw failure
  }
  if (files.length === 0) return
  if (session.workspace === undefined) {
    throw new WorldFailure('harness', 'The agent changed files, but the task no longer has a workspace.', {
      retryable: false,
    })
  }
  for (const file of files) await applyChange(session.workspace, file)
}

async function applyChange(folder: string, { path, content, mode }: ChangedFile): Promise<void> {
  const target = join(folder, ...path.split('/'))
  if (content === undefined) return rm(target, { recursive: true, force: true })
  if (path.endsWith('/')) {
    await mkdir(target, { recursive: true })
    return
  }
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, content, 'base64')
  if (mode !== undefined) await chmod(target, mode)
}

interface RecordedSession {
  /** Wraps the given session; use this one instead. */
  readonly session: Session
  /** Messages between the agent and the session, in order; undefined if the environment does not reply. */
  conversation(): readonly Message[] | undefined
}

/**
 * Records an agent's conversation with an environment that replies. An agent talks to it through a tool,
 * beside its own reasoning; for scoring and analysis, only what the environment received and replied counts.
 * Recording it at the session works the same for every agent and for replayed attempts.
 */
export function recordSession(session: Session): RecordedSession {
  if (session.reply === undefined) return { session, conversation: () => undefined }
  const messages: Message[] = []
  const recorded = (tool: Tool): Tool => ({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    async call(given, signal) {
      const id = `call-${messages.length}`
      messages.push({ role: 'assistant', text: '', toolCalls: [{ id, name: tool.name, arguments: given }] })
      const text = await tool.call(given, signal)
      messages.push({ role: 'tool', text, toolCallId: id })
      return text
    },
  })
  const own: Partial<Session> = {
    tools: session.tools.map(recorded),
    async reply(said) {
      messages.push({ role: 'assistant', text: said })
      const next = (await session.reply?.(said)) ?? 'done'
      if (next !== 'done') messages.push(userMessage(promptParts(next)))
      return next
    },
  }
  return { session: withOverrides(session, own), conversation: () => messages }
}

/** A proxy rather than a copy of fields, because an environment's session may be a class instance. */
function withOverrides(session: Session, own: Partial<Session>): Session {
  return new Proxy(session, {
    get: (target, name) => Reflect.get(name in own ? own : target, name),
  })
}
