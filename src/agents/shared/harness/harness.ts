import type { Session } from '../../../core/ports/environment.js'
import type { Harness, Job } from '../../../core/ports/harness.js'
import type { ModelReply } from '../../../core/ports/model.js'
import type { Trajectory } from '../../../core/task/task.js'
import { type AgentSettings, runAttempt } from './attempt.js'
import type { AgentDefinition, AgentOutcome } from './definition.js'
import { firstMessages, toolSpecs } from './opening.js'
import { keepChanges, replayWork } from './replay.js'
import { overhear } from './tool-record.js'

/** Runs an agent on tasks: one call per attempt, in which the agent talks to its model on its own. */
export function createAgentHarness(definition: AgentDefinition, settings: AgentSettings): Harness {
  return {
    id: definition.id,
    supports: definition.supports,
    run: (job, signal) => run(definition, settings, job, signal),
  }
}

async function run(
  definition: AgentDefinition,
  settings: AgentSettings,
  { skill, call, reopen, ...job }: Job,
  signal: AbortSignal,
): Promise<Trajectory> {
  signal.throwIfAborted()
  // The messages as a model would get them. The agent builds its own prompt, but the log identifies the
  // attempt by these.
  const messages = firstMessages(job.session, skill)
  const tools = toolSpecs(job.session)
  let open = overhear(job.session)
  let tries = 0
  let atWork: Promise<ModelReply> | undefined

  const worker = (stop: AbortSignal): Promise<ModelReply> => {
    const before = atWork
    tries += 1
    const isAgain = tries > 1
    atWork = (async () => {
      // An abandoned try may still be shutting down; it must not overlap with the next one.
      await before?.catch(() => undefined)
      if (isAgain) open = overhear(await reopen())
      const { session } = open
      const outcome = await runAttempt(definition, settings, { session, skill }, stop)
      return replyOf(outcome, session)
    })()
    return atWork
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
    // An aborted call does not wait for the agent, but the agent must have ended before the session is
    // closed.
    await atWork?.catch(() => undefined)
  }
}

async function replyOf(outcome: AgentOutcome, { workspace }: Session): Promise<ModelReply> {
  if (outcome.status === 'failed') throw outcome.failure
  const { messages, answer, stop, usage, cost, calls, changes } = outcome
  const files = workspace === undefined || changes === undefined ? [] : await keepChanges(workspace, changes)
  return {
    text: answer,
    stop: 'stop',
    usage,
    ...(cost === undefined ? {} : { cost }),
    work: { messages, stop, calls, files: files ?? [], isWhole: files !== undefined },
  }
}
