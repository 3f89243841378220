import { z } from 'zod'
import type { Usage } from '../../core/task/task.js'
import { Conversation } from '../shared/output/conversation.js'
import type { AgentStop } from '../shared/output/failure.js'
import { recordsIn, textIn } from '../shared/output/json-lines.js'
import {
  type AgentOutput,
  type AgentReading,
  addUsage,
  conclude,
  type Ending,
  knownCost,
} from '../shared/output/reading.js'

const block = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('toolCall'), id: z.string(), name: z.string(), arguments: z.unknown() }),
  z.object({ type: z.string() }).transform(() => ({ type: 'other' as const })),
])

const assistant = z.object({
  role: z.literal('assistant'),
  content: z.array(block),
  stopReason: z.string(),
  errorMessage: z.string().optional(),
  usage: z.object({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number(),
    cacheWrite: z.number(),
    cost: z.object({ total: z.number() }),
  }),
})

/**
 * A record of pi's output. pi prints each message again while it grows and in summaries; only its final form
 * is read.
 */
const record = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message_end'),
    message: z.union([
      assistant,
      z.object({ role: z.literal('toolResult'), toolCallId: z.string(), content: z.array(z.unknown()) }),
      z.object({ role: z.literal('user') }),
    ]),
  }),
  z.object({ type: z.literal('agent_end') }),
])

type AssistantRecord = z.infer<typeof assistant>

const passed = new Set([
  'session',
  'agent_start',
  'turn_start',
  'turn_end',
  'message_start',
  'message_update',
  'tool_execution_start',
  'tool_execution_update',
  'tool_execution_end',
  'auto_retry_start',
  'auto_retry_end',
  'compaction_start',
  'compaction_end',
  'queue_update',
])

/**
 * Reads the output of `pi --mode json`. pi always exits with 0 and never asks for permission to use a tool.
 */
export function readPi(output: AgentOutput): AgentReading {
  const { records, skipped } = recordsIn(output.stdout, record, passed)
  const conversation = new Conversation()
  let usage: Usage = {}
  let cost = 0
  let last: AssistantRecord | undefined
  let ended = false
  for (const entry of records) {
    if (entry.type === 'agent_end') {
      ended = true
      continue
    }
    const { message } = entry
    ended = false
    if (message.role === 'toolResult') conversation.addResult(message.toolCallId, textIn(message.content))
    if (message.role !== 'assistant') continue
    last = message
    usage = addUsage(usage, usageOf(message.usage))
    cost += message.usage.cost.total
    // A reply cut off by an error is incomplete, and a retry repeats it.
    if (message.stopReason !== 'error') addReply(conversation, message)
  }
  const seen = { messages: conversation.messages, usage, ...knownCost(cost), skipped }
  return conclude(seen, endOf(last, ended), output)
}

function addReply(conversation: Conversation, { content }: AssistantRecord): void {
  conversation.addText(content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n'))
  for (const part of content) {
    if (part.type !== 'toolCall') continue
    conversation.addCall({ id: part.id, name: part.name, arguments: JSON.stringify(part.arguments ?? {}) })
  }
}

/** Derives the ending from the last reply only, because earlier errors were followed by a retry. */
function endOf(last: AssistantRecord | undefined, ended: boolean): Ending {
  if (last === undefined) return { finished: false }
  const stop: AgentStop | undefined = last.stopReason === 'length' ? 'output-limit' : undefined
  if (last.stopReason === 'stop' || stop !== undefined) return { finished: ended, stop }
  if (last.stopReason === 'toolUse') return { finished: false }
  return { finished: true, error: { message: last.errorMessage ?? last.stopReason } }
}

function usageOf({ input, output, cacheRead, cacheWrite }: AssistantRecord['usage']): Usage {
  return { input: input + cacheRead + cacheWrite, output, cachedInput: cacheRead, cacheWrite }
}
