import { z } from 'zod'
import type { Usage } from '../../core/task/task.js'
import { Conversation } from '../shared/output/conversation.js'
import { recordsIn, textIn } from '../shared/output/json-lines.js'
import { type AgentOutput, type AgentReading, addUsage, conclude } from '../shared/output/reading.js'

const item = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agent_message'), id: z.string(), text: z.string() }),
  z.object({
    type: z.literal('command_execution'),
    id: z.string(),
    command: z.string(),
    aggregated_output: z.string(),
    exit_code: z.number().nullish(),
    status: z.string(),
  }),
  z.object({
    type: z.literal('mcp_tool_call'),
    id: z.string(),
    server: z.string(),
    tool: z.string(),
    arguments: z.unknown(),
    result: z.object({ content: z.array(z.unknown()) }).nullish(),
    error: z.object({ message: z.string() }).nullish(),
    status: z.string(),
  }),
  z.object({
    type: z.literal('file_change'),
    id: z.string(),
    changes: z.array(z.unknown()),
    status: z.string(),
  }),
  z.object({ type: z.literal('web_search'), id: z.string(), query: z.string() }),
  z.object({ type: z.enum(['reasoning', 'todo_list', 'error']) }),
])

const record = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['item.started', 'item.completed']), item }),
  z.object({
    type: z.literal('turn.completed'),
    usage: z.object({
      input_tokens: z.number(),
      cached_input_tokens: z.number().optional(),
      cache_write_input_tokens: z.number().optional(),
      output_tokens: z.number(),
      reasoning_output_tokens: z.number().optional(),
    }),
  }),
  z.object({ type: z.literal('turn.failed'), error: z.object({ message: z.string() }) }),
])

type Item = z.infer<typeof item>

/** Skipped: `error` repeats the message of the next `turn.failed` and is also sent before a retry. */
const passed = new Set(['thread.started', 'turn.started', 'item.updated', 'error'])

/** Reads the output of `codex exec --json`. It lacks commands whose writes the sandbox blocked. */
export function readCodex(output: AgentOutput): AgentReading {
  const { records, skipped } = recordsIn(output.stdout, record, passed)
  const conversation = new Conversation()
  let usage: Usage = {}
  let finished = false
  let failed: string | undefined
  for (const entry of records) {
    if (entry.type === 'turn.completed') {
      usage = addUsage(usage, usageOf(entry.usage))
      finished = true
    } else if (entry.type === 'turn.failed') failed = entry.error.message
    else addItem(conversation, entry.item, entry.type === 'item.completed')
  }
  const broken = records.flatMap(entry => ('item' in entry ? brokenSandbox(entry.item) : []))
  const denied = records.flatMap(entry => ('item' in entry ? denialIn(entry.item) : []))
  const message = failed ?? broken[0]
  const error = message === undefined ? undefined : { message }
  return conclude({ messages: conversation.messages, usage, skipped }, { finished, error, denied }, output)
}

function addItem(conversation: Conversation, entry: Item, completed: boolean): void {
  switch (entry.type) {
    case 'agent_message':
      if (completed) conversation.addText(entry.text)
      return
    case 'command_execution':
      conversation.addCall(callOf(entry.id, 'shell', { command: entry.command }))
      if (completed) conversation.addResult(entry.id, commandResult(entry))
      return
    case 'mcp_tool_call':
      conversation.addCall(callOf(entry.id, `${entry.server}.${entry.tool}`, entry.arguments))
      if (completed)
        conversation.addResult(entry.id, entry.error?.message ?? textIn(entry.result?.content ?? []))
      return
    case 'file_change':
      conversation.addCall(callOf(entry.id, 'apply_patch', { changes: entry.changes }))
      if (completed) conversation.addResult(entry.id, entry.status)
      return
    case 'web_search':
      if (completed) conversation.addCall(callOf(entry.id, 'web_search', { query: entry.query }))
  }
}

function callOf(id: string, name: string, given: unknown) {
  return { id, name, arguments: JSON.stringify(given ?? {}) }
}

function commandResult({
  aggregated_output,
  exit_code,
}: Extract<Item, { type: 'command_execution' }>): string {
  return exit_code === 0
    ? aggregated_output
    : `${aggregated_output}\n(exit code ${exit_code ?? 'unknown'})`.trim()
}

/**
 * Reports a broken sandbox. No command runs then and the model is told so, yet the turn ends successfully.
 */
function brokenSandbox(entry: Item): string[] {
  if (entry.type !== 'command_execution' || entry.status !== 'failed') return []
  return /^bwrap: .*codex-linux-sandbox/m.test(entry.aggregated_output)
    ? [`Its sandbox does not work: ${entry.aggregated_output}`]
    : []
}

function denialIn(entry: Item): string[] {
  const words = entry.type === 'mcp_tool_call' ? (entry.error?.message ?? '') : ''
  return /requires approval|user (cancelled|rejected)/i.test(words) ? [words] : []
}

function usageOf(usage: Extract<z.infer<typeof record>, { type: 'turn.completed' }>['usage']): Usage {
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cachedInput: usage.cached_input_tokens,
    cacheWrite: usage.cache_write_input_tokens,
    reasoning: usage.reasoning_output_tokens,
  }
}
