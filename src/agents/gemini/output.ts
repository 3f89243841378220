import { z } from 'zod'
import type { Usage } from '../../core/task/task.js'
import { Conversation } from '../shared/output/conversation.js'
import { recordsIn } from '../shared/output/json-lines.js'
import { type AgentOutput, type AgentReading, conclude, type Ending } from '../shared/output/reading.js'

const stats = z.object({
  total_tokens: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  cached: z.number().optional(),
})

const record = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), role: z.string(), content: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    tool_name: z.string(),
    tool_id: z.string(),
    parameters: z.unknown(),
  }),
  z.object({
    type: z.literal('tool_result'),
    tool_id: z.string(),
    output: z.string().optional(),
    error: z.object({ type: z.string().optional(), message: z.string() }).optional(),
  }),
  z.object({
    type: z.literal('result'),
    status: z.string(),
    error: z.object({ message: z.string() }).optional(),
    stats: stats.optional(),
  }),
])

type Result = Extract<z.infer<typeof record>, { type: 'result' }>

/** Skipped: `error` is only a warning, and the error that ends a run is in the result record. */
const passed = new Set(['init', 'error'])

/**
 * Reads the output of `gemini -p … --output-format stream-json`. Gemini prints nothing about a reply that
 * was truncated or filtered.
 */
export function readGemini(output: AgentOutput): AgentReading {
  const { records, skipped } = recordsIn(output.stdout, record, passed)
  const conversation = new Conversation()
  const denied: string[] = []
  let turn = 0
  for (const entry of records) {
    if (entry.type === 'message' && entry.role === 'assistant')
      conversation.addText(entry.content, `turn ${turn}`)
    if (entry.type === 'tool_use') {
      const { tool_id: id, tool_name: name, parameters } = entry
      conversation.addCall({ id, name, arguments: JSON.stringify(parameters ?? {}) })
    }
    if (entry.type === 'tool_result') {
      turn++
      conversation.addResult(entry.tool_id, entry.output ?? entry.error?.message ?? '')
      if (entry.error?.type === 'policy_violation') denied.push(entry.error.message)
    }
  }
  const result = records.findLast(entry => entry.type === 'result')
  const seen = { messages: conversation.messages, usage: usageOf(result), skipped }
  return conclude(seen, { ...endOf(result, output), denied }, output)
}

/**
 * How the run ended. Gemini's own exit codes are 41 for a missing login and 53 for the turn limit. For an
 * error of the model's server, the exit code is the HTTP status modulo 256.
 */
function endOf(result: Result | undefined, { exitCode, stderr }: AgentOutput): Ending {
  if (exitCode === 53) return { finished: true, stop: 'turn-limit' }
  if (exitCode === 41 && result === undefined)
    return { finished: false, error: { message: stderr, status: 401 } }
  if (result === undefined) return { finished: false }
  if (result.status === 'success') return { finished: true }
  const status = exitCode !== undefined && exitCode >= 144 ? exitCode + 256 : undefined
  return { finished: true, error: { message: result.error?.message ?? result.status, status } }
}

/** Gemini's output count excludes thoughts, which are billed as output, so the total is used. */
function usageOf(result: Result | undefined): Usage {
  if (result?.stats === undefined) return {}
  const { total_tokens, input_tokens, output_tokens, cached } = result.stats
  const output = total_tokens - input_tokens
  return { input: input_tokens, output, cachedInput: cached, reasoning: output - output_tokens }
}
