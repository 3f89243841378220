import { z } from 'zod'
import type { Usage } from '../../core/task/task.js'
import { Conversation } from '../shared/output/conversation.js'
import type { ReportedError } from '../shared/output/failure.js'
import { recordsIn } from '../shared/output/json-lines.js'
import { type AgentOutput, type AgentReading, addUsage, conclude } from '../shared/output/reading.js'

/** Set on a sub-agent's records, which are left out: its answer returns as the result of a tool. */
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

/** Usage per model, reported at the end; the input count includes cached tokens. */
const usageReport = z.object({
  modelMetrics: z.record(
    z.string(),
    z.object({
      usage: z.object({
        inputTokens: z.number(),
        outputTokens: z.number(),
        cacheReadTokens: z.number(),
        cacheWriteTokens: z.number(),
        reasoningTokens: z.number().optional(),
      }),
    }),
  ),
})

/**
 * Tools that are allowed only in the task's folder. A denial means that the agent tried a path outside, which
 * is its own mistake.
 */
const fileTools = new Set(['view', 'create', 'edit', 'apply_patch', 'grep', 'rg', 'glob'])

/**
 * Reads the output of `copilot -p … --output-format json`. The report is the file of `--usage-output-file`,
 * because Copilot prints no token counts. It prints nothing about a truncated or filtered reply.
 */
export function readCopilot(output: AgentOutput): AgentReading {
  const { records, skipped } = recordsIn(output.stdout, record, passed)
  const conversation = new Conversation()
  const denied: string[] = []
  const names = new Map<string, string>()
  let finished = false
  let error: ReportedError | undefined
  for (const entry of records) {
    if (entry.type === 'result') finished = true
    else if (entry.type === 'session.error')
      error = { message: entry.data.message, status: entry.data.statusCode }
    else if (entry.data.parentToolCallId !== undefined) continue
    else if (entry.type === 'assistant.message') {
      conversation.addText(entry.data.content)
      for (const { toolCallId, name, arguments: given } of entry.data.toolRequests ?? []) {
        names.set(toolCallId, name)
        conversation.addCall({ id: toolCallId, name, arguments: JSON.stringify(given ?? {}) })
      }
    } else {
      const { toolCallId, result, error: failed } = entry.data
      conversation.addResult(toolCallId, failed?.message ?? result?.content ?? '')
      const isPath = fileTools.has(names.get(toolCallId) ?? '')
      if (failed?.code === 'denied' && !isPath) denied.push(failed.message)
    }
  }
  const seen = { messages: conversation.messages, usage: usageIn(output.report), skipped }
  return conclude(seen, { finished, error, denied }, output)
}

function usageIn(report: string | undefined): Usage {
  const told =
    report === undefined ? undefined : recordsIn(report.replaceAll('\n', ' '), usageReport).records[0]
  return Object.values(told?.modelMetrics ?? {}).reduce<Usage>(
    (sum, { usage }) => addUsage(sum, usageOf(usage)),
    {},
  )
}

function usageOf(told: z.infer<typeof usageReport>['modelMetrics'][string]['usage']): Usage {
  return {
    input: told.inputTokens,
    output: told.outputTokens,
    cachedInput: told.cacheReadTokens,
    cacheWrite: told.cacheWriteTokens,
    reasoning: told.reasoningTokens,
  }
}
