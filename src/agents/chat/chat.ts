import { messageOf, stopsRun, WorldFailure } from '../../core/errors/errors.js'
import type { Session } from '../../core/ports/environment.js'
import type { Harness, Job } from '../../core/ports/harness.js'
import type { ModelReply, ModelRequest } from '../../core/ports/model.js'
import { promptParts, userMessage } from '../../core/task/parts.js'
import type { Message, StopReason, ToolCall, Trajectory } from '../../core/task/task.js'
import { firstMessages, toolSpecs, withSkill } from '../shared/harness/first-messages.js'

/** A harness that calls the model directly: one question, tool calls, or turns with an environment. */
export function createHarness(): Harness {
  return { id: 'chat', supports: ['chat', 'tools', 'turns', 'images', 'documents'], run }
}

async function run({ session, skill, call }: Job, signal: AbortSignal): Promise<Trajectory> {
  const messages = firstMessages(session, skill)
  const started = performance.now()
  let answer = ''
  const end = (stop: StopReason): Trajectory => ({ messages, answer, stop })
  for (let turn = 0; turn < session.turnLimit; turn++) {
    signal.throwIfAborted()
    if (isOver(session, started)) return end('time-limit')
    const reply = await call(requestOf(session.stateless ? latest(messages) : messages, session), turn)
    const said = messageFrom(reply)
    if (said !== undefined) {
      messages.push(said)
      answer = said.text
    }
    const failed = ownFailure(reply)
    if (failed !== undefined) return end(failed)
    if (reply.toolCalls !== undefined && reply.toolCalls.length > 0) {
      messages.push(...(await useTools(session, reply.toolCalls, signal)))
      continue
    }
    const next = await session.reply?.(reply.text)
    if (next === undefined || next === 'done') return end('answered')
    // A stateless session sends the skill with every message; a conversation sends it once.
    messages.push(userMessage(session.stateless ? withSkill(session, skill, next) : promptParts(next)))
  }
  return end('turn-limit')
}

/** Checks the time limit only between turns, so that a reply already paid for is used. */
function isOver({ secondsLimit }: Session, started: number): boolean {
  return secondsLimit !== undefined && performance.now() - started > secondsLimit * 1000
}

/** The system messages and the last message, for sessions where each turn stands alone. */
function latest(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1)
  return messages.filter(message => message.role === 'system' || message === last)
}

function requestOf(messages: readonly Message[], session: Session): ModelRequest {
  // The messages are copied, because later turns append to them and a recorded request must not change.
  const request = { messages: [...messages] }
  if (session.tools.length === 0) return request
  return { ...request, tools: toolSpecs(session) }
}

/** The reply as a message; undefined if the prompt exceeded the context window and there is no reply. */
function messageFrom(reply: ModelReply): Message | undefined {
  const toolCalls = reply.toolCalls ?? []
  if (reply.stop === 'context-overflow' && reply.text === '' && toolCalls.length === 0) return undefined
  return { role: 'assistant', text: reply.text, ...(toolCalls.length === 0 ? {} : { toolCalls }) }
}

function ownFailure(reply: ModelReply): StopReason | undefined {
  switch (reply.stop) {
    case 'length':
      return 'output-limit'
    case 'content-filter':
      return 'refusal'
    case 'context-overflow':
      return 'context-overflow'
    default:
      return undefined
  }
}

/** Runs the calls one at a time, because tools of one session may depend on each other. */
async function useTools(
  session: Session,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): Promise<Message[]> {
  const results: Message[] = []
  for (const call of calls) {
    results.push({ role: 'tool', text: await useTool(session, call, signal), toolCallId: call.id })
  }
  return results
}

async function useTool(session: Session, call: ToolCall, signal: AbortSignal): Promise<string> {
  const tool = session.tools.find(candidate => candidate.name === call.name)
  if (tool === undefined) {
    const names = session.tools.map(candidate => candidate.name).join(', ')
    return `There is no tool called ${call.name}. ${names === '' ? 'There are no tools.' : `Tools: ${names}.`}`
  }
  try {
    return await tool.call(call.arguments, signal)
  } catch (error) {
    // The agent sees errors that its own call caused; external failures and aborts are rethrown.
    if (signal.aborted || error instanceof WorldFailure || stopsRun(error)) throw error
    return `The tool failed: ${messageOf(error)}`
  }
}
