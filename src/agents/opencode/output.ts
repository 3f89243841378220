import { z } from 'zod'
import type { Usage } from '../../core/task/task.js'
import { Conversation } from '../shared/output/conversation.js'
import type { AgentStop, ReportedError } from '../shared/output/failure.js'
import { recordsIn } from '../shared/output/json-lines.js'
import {
  type AgentOutput,
  type AgentReading,
  addUsage,
  conclude,
  knownCost,
} from '../shared/output/reading.js'

const state = z.object({
  input: z.unknown(),
  output: z.string().optional(),
  error: z.string().optional(),
})

const finish = z.object({
  reason: z.string(),
  cost: z.number(),
  tokens: z.object({
    input: z.number(),
    output: z.number(),
    reasoning: z.number(),
    cache: z.object({ read: z.number(), write: z.number() }),
  }),
})

const record = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), part: z.object({ messageID: z.string(), text: z.string() }) }),
  z.object({
    type: z.literal('tool_use'),
    part: z.object({ callID: z.string(), tool: z.string(), state }),
  }),
  z.object({ type: z.literal('step_finish'), part: finish }),
  z.object({
    type: z.literal('error'),
    error: z.object({
      name: z.string(),
      data: z.object({ message: z.string().optional(), statusCode: z.number().optional() }).optional(),
    }),
  }),
])

const passed = new Set(['step_start', 'reasoning'])

/** Stop reasons that count as the agent's own failure. */
const stops: Readonly<Record<string, AgentStop>> = { length: 'output-limit', 'content-filter': 'refusal' }

/**
 * Tools that are allowed only in the task's folder. A denial means that the agent tried a path outside, which
 * is its own mistake.
 */
const fileTools = new Set(['read', 'write', 'edit', 'apply_patch', 'glob', 'grep', 'list'])

/** Tokens of the model call that the line reports. */
export function tokensInStep(line: string): number | undefined {
  if (!line.startsWith('{"type":"step_finish"')) return undefined
  const [entry] = recordsIn(line, record).records
  if (entry?.type !== 'step_finish') return undefined
  const { input = 0, output = 0 } = usageOf(entry.part.tokens)
  return input + output
}

/** Reads the output of `opencode run --format json`. */
export function readOpencode(output: AgentOutput): AgentReading {
  const { records, skipped } = recordsIn(output.stdout, record, passed)
  const conversation = new Conversation()
  const denied: string[] = []
  let usage: Usage = {}
  let cost = 0
  let reason: string | undefined
  let error: ReportedError | undefined
  for (const entry of records) {
    if (entry.type === 'text') conversation.addText(entry.part.text, entry.part.messageID)
    else if (entry.type === 'tool_use') {
      const { callID, tool, state: call } = entry.part
      conversation.addCall({ id: callID, name: tool, arguments: JSON.stringify(call.input ?? {}) })
      conversation.addResult(callID, call.error ?? call.output ?? '')
      const isRefused = /permission|rule which prevents/i.test(call.error ?? '')
      if (isRefused && !fileTools.has(tool)) denied.push(`${tool}: ${call.error}`)
    } else if (entry.type === 'step_finish') {
      usage = addUsage(usage, usageOf(entry.part.tokens))
      cost += entry.part.cost
      reason = entry.part.reason
    } else {
      error = { message: entry.error.data?.message ?? entry.error.name, status: entry.error.data?.statusCode }
    }
  }
  const seen = { messages: conversation.messages, usage, ...knownCost(cost), skipped }
  const stop = reason === undefined ? undefined : stops[reason]
  return conclude(seen, { finished: reason === 'stop', stop, error, denied }, output)
}

/**
 * Adds cache tokens to the input and reasoning tokens to the output, because OpenCode counts them separately.
 */
function usageOf({ input, output, reasoning, cache }: z.infer<typeof finish>['tokens']): Usage {
  return {
    input: input + cache.read + cache.write,
    output: output + reasoning,
    cachedInput: cache.read,
    cacheWrite: cache.write,
    reasoning,
  }
}
