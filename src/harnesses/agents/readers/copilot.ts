import { z } from 'zod'
import { Conversation } from './conversation.js'
import type { Complaint } from './failure.js'
import { recordsIn } from './json-lines.js'
import { type AgentOutput, type AgentReading, conclude } from './reading.js'

/** Set on what a sub-agent does on its own; its answer comes back as the result of the tool that started it. */
const parentToolCallId = z.string().optional()

const record = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('assistant.message'),
    data: z.object({
      content: z.string(),
      toolRequests: z
        .array(z.object({ toolCallId: z.string(), name: z.string(), arguments: z.unknown() }))
        .optional(),
      parentToolCallId,
    }),
  }),
  z.object({
    type: z.literal('tool.execution_complete'),
    data: z.object({
      toolCallId: z.string(),
      result: z.object({ content: z.string() }).optional(),
      error: z.object({ message: z.string(), code: z.string().optional() }).optional(),
      parentToolCallId,
    }),
  }),
  z.object({
    type: z.literal('session.error'),
    data: z.object({ message: z.string(), statusCode: z.number().optional() }),
  }),
  z.object({ type: z.literal('result') }),
])

const passed = new Set([
  'user.message',
  'assistant.idle',
  'assistant.intent',
  'assistant.message_delta',
  'assistant.message_start',
  'assistant.reasoning',
  'assistant.reasoning_delta',
  'assistant.tool_call_delta',
  'assistant.turn_end',
  'assistant.turn_retry',
  'assistant.turn_start',
  'model.call_failure',
  'model.call_final_result',
  'model.call_finished',
  'model.call_start',
  'session.background_tasks_changed',
  'session.custom_agents_updated',
  'session.info',
  'session.mcp_server_status_changed',
  'session.mcp_server_tools_loaded',
  'session.mcp_servers_loaded',
  'session.skills_loaded',
  'session.tools_updated',
  'tool.execution_partial_result',
  'tool.execution_start',
  'tool.shell_output',
])

/** `copilot -p … --output-format json`. It prints no tokens, and nothing of a reply that was cut short or filtered. */
export function readCopilot(output: AgentOutput): AgentReading {
  const { records, skipped } = recordsIn(output.stdout, record, passed)
  const conversation = new Conversation()
  const denied: string[] = []
  let finished = false
  let error: Complaint | undefined
  for (const entry of records) {
    if (entry.type === 'result') finished = true
    else if (entry.type === 'session.error')
      error = { words: entry.data.message, status: entry.data.statusCode }
    else if (entry.data.parentToolCallId !== undefined) continue
    else if (entry.type === 'assistant.message') {
      conversation.said(entry.data.content)
      for (const { toolCallId, name, arguments: given } of entry.data.toolRequests ?? []) {
        conversation.called({ id: toolCallId, name, arguments: JSON.stringify(given ?? {}) })
      }
    } else {
      const { toolCallId, result, error: failed } = entry.data
      conversation.returned(toolCallId, failed?.message ?? result?.content ?? '')
      if (failed?.code === 'denied') denied.push(failed.message)
    }
  }
  const seen = { messages: conversation.messages, usage: {}, skipped }
  return conclude(seen, { finished, error, denied }, output)
}
