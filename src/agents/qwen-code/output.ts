import { relative, resolve, sep } from 'node:path'
import { z } from 'zod'
import type { Message, Usage } from '../../core/task/task.js'
import { recordsIn } from '../shared/output/json-lines.js'
import {
  type AgentOutput,
  type AgentReading,
  addUsage,
  conclude,
  type Ending,
} from '../shared/output/reading.js'
import {
  countedUsage,
  denialsIn,
  readStream,
  type Stream,
  type StreamResult,
} from '../shared/output/stream-json.js'

/** Reads the output of `qwen … --output-format stream-json`. */
export function readQwen(output: AgentOutput): AgentReading {
  const stream = readStream(output.stdout)
  const { conversation, result, skipped } = stream
  const usage = result === undefined ? usageOfCalls(output.stdout) : usageOf(result)
  const seen = { messages: conversation.messages.flatMap(withoutError), usage, skipped }
  return conclude(seen, { ...endOf(stream, output), denied: unexpectedDenials(stream, output) }, output)
}

const started = z.object({
  type: z.literal('system'),
  subtype: z.literal('init'),
  cwd: z.string(),
  tools: z.array(z.string()),
})

const placed = z.object({ file_path: z.string().optional(), path: z.string().optional() })

/**
 * Denials that should not have happened. A denial is expected for a tool that was not offered and for a path
 * outside the workspace; after it, the model is told so and continues.
 */
function unexpectedDenials({ conversation, result }: Stream, { stdout }: AgentOutput): string[] {
  const [start] = recordsIn(stdout, started).records
  const isExpected = ({ tool_name, tool_input }: Denial) =>
    start !== undefined && (!start.tools.includes(tool_name) || isOutside(start.cwd, tool_input))
  const denials = result?.permission_denials?.filter(denial => !isExpected(denial)) ?? []
  return denialsIn({ conversation, result: result && { ...result, permission_denials: denials } })
}

type Denial = NonNullable<StreamResult['permission_denials']>[number]

function isOutside(workspace: string, input: unknown): boolean {
  const { file_path, path = file_path } = placed.safeParse(input).data ?? {}
  return path !== undefined && relative(workspace, resolve(workspace, path)).split(sep)[0] === '..'
}

/**
 * Matches an error of the model's server, which is printed as a successful answer, alone or after partial
 * text. A real answer that ends like this counts as a failure too; otherwise an error message could be
 * scored. After a rate limit, a line of advice follows.
 */
const errorInAnswer =
  /\[API Error: ([\s\S]*)\](?:\n(?:Possible quota limitations|Please wait and try again later)[^\n]*)?\s*$/

/** Errors of Qwen's own login come without the brackets. */
const loginExpired = /^Qwen OAuth (?:quota exceeded:|free tier has been discontinued)/

function endOf({ result }: Stream, { exitCode }: AgentOutput): Ending {
  if (exitCode === 53) return { finished: true, stop: 'turn-limit' }
  if (result === undefined) return { finished: false }
  const inAnswer = errorInAnswer.exec(result.result ?? '')?.[1]
  if (inAnswer !== undefined) return { finished: true, error: { message: inAnswer } }
  if (loginExpired.test(result.result ?? ''))
    return { finished: true, error: { message: result.result ?? '', status: 402 } }
  if (!result.is_error && result.subtype === 'success') return { finished: true }
  if (result.subtype === 'error_max_turns') return { finished: true, stop: 'turn-limit' }
  return { finished: true, error: { message: result.error?.message ?? result.result ?? result.subtype } }
}

/**
 * Removes the error from a message, because it is not the model's text. A message with nothing else is
 * dropped.
 */
function withoutError(message: Message): Message[] {
  if (message.role !== 'assistant') return [message]
  const text = message.text.replace(errorInAnswer, '')
  return text === '' && message.toolCalls === undefined ? [] : [{ ...message, text }]
}

type CountedUsage = NonNullable<StreamResult['usage']>

function usageOf({ usage }: StreamResult): Usage {
  return usage === undefined ? {} : namedUsage(usage)
}

const call = z.object({ type: z.literal('assistant'), message: z.object({ usage: countedUsage }) })

/** Adds up the calls of a run that ended without a result record, which holds the total. */
function usageOfCalls(stdout: string): Usage {
  const { records } = recordsIn(stdout, call)
  return records.map(({ message }) => namedUsage(message.usage)).reduce(addUsage, {})
}

function namedUsage({ input_tokens, output_tokens, cache_read_input_tokens }: CountedUsage): Usage {
  return { input: input_tokens, output: output_tokens, cachedInput: cache_read_input_tokens }
}
