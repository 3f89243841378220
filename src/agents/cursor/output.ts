import { z } from 'zod'
import type { Usage } from '../../core/task/task.js'
import { Conversation } from '../shared/output/conversation.js'
import { recordsIn } from '../shared/output/json-lines.js'
import { type AgentOutput, type AgentReading, conclude, type Ending } from '../shared/output/reading.js'

const call = z.object({
  args: z.record(z.string(), z.unknown()).optional(),
  /** A single entry; its name is the outcome: `success`, `error`, `rejected` … */
  result: z.record(z.string(), z.unknown()).optional(),
})

const result = z.object({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.boolean(),
  result: z.string().optional(),
  usage: z
    .object({
      inputTokens: z.number(),
      outputTokens: z.number(),
      cacheReadTokens: z.number().optional(),
      cacheWriteTokens: z.number().optional(),
    })
    .optional(),
})

const record = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('assistant'),
    message: z.object({ content: z.array(z.object({ type: z.string(), text: z.string().optional() })) }),
  }),
  z.object({
    type: z.literal('tool_call'),
    subtype: z.enum(['started', 'completed']),
    call_id: z.string(),
    /**
     * The tool call is the entry whose name says the tool, such as `readToolCall`; ids and times are beside
     * it.
     */
    tool_call: z.record(z.string(), z.unknown()),
  }),
  result,
])

const passed = new Set(['system', 'user', 'thinking', 'interaction_query'])

type Result = z.infer<typeof result>
type Call = z.infer<typeof call> & { readonly tool: string }

/**
 * Reads the output of `cursor-agent -p --output-format stream-json` as documented; it could not be tested.
 * Unknown records are skipped and counted. An answer counts only with a success record at the end.
 */
export function readCursor(output: AgentOutput): AgentReading {
  const { records, skipped } = recordsIn(output.stdout, record, passed)
  const conversation = new Conversation()
  const denied: string[] = []
  let last: Result | undefined
  for (const entry of records) {
    if (entry.type === 'result') last = entry
    else if (entry.type === 'assistant') conversation.addText(entry.message.content.map(textOf).join(''))
    else {
      const made = callIn(entry.tool_call)
      if (made === undefined) continue
      const given = givenTo(made)
      conversation.addCall({ id: entry.call_id, name: given.name, arguments: JSON.stringify(given.given) })
      if (entry.subtype === 'started') continue
      const told = outcomeOf(made)
      conversation.addResult(entry.call_id, told)
      if (isDenied(made)) denied.push(`${given.name}: ${told}`)
    }
  }
  const seen = { messages: conversation.messages, usage: usageOf(last), skipped }
  return conclude(seen, { ...endOf(last), denied }, output)
}

function textOf({ text }: { readonly text?: string | undefined }): string {
  return text ?? ''
}

function callIn(calls: Readonly<Record<string, unknown>>): Call | undefined {
  const [name, body] = Object.entries(calls).find(([key]) => key.endsWith('ToolCall')) ?? []
  const known = call.safeParse(body)
  return name === undefined || !known.success
    ? undefined
    : { ...known.data, tool: name.slice(0, -'ToolCall'.length) }
}

/** An MCP tool call carries the tool's name in its arguments. */
const ofServer = z.object({ name: z.string(), args: z.record(z.string(), z.unknown()).optional() })

function givenTo({ tool, args }: Call) {
  const server = tool === 'mcp' ? ofServer.safeParse(args).data : undefined
  return server === undefined
    ? { name: tool, given: args ?? {} }
    : { name: server.name, given: server.args ?? {} }
}

/**
 * Tools that access `workspace` refuses on purpose, because Cursor's tools cannot be removed. The model is
 * told so and continues.
 */
const refusedOnPurpose = new Set(['shell', 'webFetch', 'webSearch', 'fetch'])

function isDenied({ tool, result: came }: Call): boolean {
  return came?.rejected !== undefined && !refusedOnPurpose.has(tool)
}

const words = ['content', 'stdout', 'stderr', 'message', 'errorMessage', 'error', 'reason']

function outcomeOf({ result: came }: Call): string {
  const [kind, body] = Object.entries(came ?? {})[0] ?? ['nothing', '']
  const said = wordsOf(body)
  return kind === 'success' ? said : `${kind}: ${said}`
}

function wordsOf(body: unknown): string {
  if (typeof body === 'string') return body
  if (Array.isArray(body)) return body.map(wordsOf).join('\n')
  if (typeof body !== 'object' || body === null) return ''
  // In an MCP content block, `text` is an object that contains the actual text.
  if ('text' in body) return wordsOf(body.text)
  const said = words.flatMap(name => (name in body ? [wordsOf(body[name as keyof typeof body])] : []))
  const spoken = said.filter(part => part !== '')
  return spoken.length === 0 ? JSON.stringify(body) : spoken.join('\n')
}

function endOf(last: Result | undefined): Ending {
  if (last === undefined) return { finished: false }
  const isFine = !last.is_error && last.subtype === 'success'
  return { finished: true, ...(isFine ? {} : { error: { message: last.result ?? last.subtype } }) }
}

/** Adds cache reads and cache writes to the input, because Cursor reports them separately. */
function usageOf(last: Result | undefined): Usage {
  if (last?.usage === undefined) return {}
  const { inputTokens, outputTokens: output, cacheReadTokens, cacheWriteTokens } = last.usage
  const input = inputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
  return { input, output, cachedInput: cacheReadTokens, cacheWrite: cacheWriteTokens }
}
