import type { CutText, SaidMessage } from '../../../../src/dashboard/contract/attempts.js'

export interface PlacedMessage {
  /** Index of the message in the conversation, from 0. */
  readonly at: number
  readonly message: SaidMessage
}

export interface PlacedCall {
  /** Index of the call in the message, from 0. */
  readonly at: number
  readonly call: SaidMessage['calls'][number]
  readonly answer: PlacedMessage | undefined
}

/** A message with its tool calls, each paired with its result. */
export interface Turn extends PlacedMessage {
  readonly calls: readonly PlacedCall[]
}

/**
 * Pairs each tool result with a call of the message before it, because some agents reuse ids later. A result
 * without a matching call becomes a turn of its own.
 */
export function turnsOf(messages: readonly SaidMessage[], from = 0): readonly Turn[] {
  const placed = messages.map((message, index) => ({ at: from + index, message }))
  const turns: Turn[] = []
  let index = 0
  for (let one = placed[index]; one !== undefined; one = placed[index]) {
    index += 1
    if (one.message.calls.length === 0) {
      turns.push({ ...one, calls: [] })
      continue
    }
    const end = endOfAnswers(placed, index)
    const waiting = placed.slice(index, end)
    const calls = one.message.calls.map((call, at) => ({ at, call, answer: take(waiting, call.id) }))
    turns.push({ ...one, calls }, ...waiting.map(other => ({ ...other, calls: [] })))
    index = end
  }
  return turns
}

function endOfAnswers(placed: readonly PlacedMessage[], start: number): number {
  let end = start
  while (placed[end]?.message.role === 'tool') end += 1
  return end
}

function take(waiting: PlacedMessage[], id: string): PlacedMessage | undefined {
  const found = waiting.findIndex(({ message }) => message.answers === id)
  return found === -1 ? undefined : waiting.splice(found, 1)[0]
}

export interface Field {
  readonly name: string
  readonly value: string
}

/**
 * The arguments of a call as separate fields, so that a script keeps its line breaks. Undefined if the
 * arguments are not an object.
 */
export function fieldsOf({ text, length }: CutText): readonly Field[] | undefined {
  if (text.length < length) return undefined
  const parsed = parseObject(text)
  return parsed === undefined
    ? undefined
    : Object.entries(parsed).map(([name, value]) => ({
        name,
        value: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
      }))
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    return isObject ? (parsed as Readonly<Record<string, unknown>>) : undefined
  } catch {
    // Models do not always write valid JSON. Such arguments are shown as they are.
    return undefined
  }
}

/** Whether two messages are equal in the parts that are loaded. */
function isSame(one: SaidMessage, other: SaidMessage): boolean {
  const words = ({ role, text, calls, files }: SaidMessage) =>
    JSON.stringify([role, text, calls.map(call => [call.name, call.arguments]), files])
  return words(one) === words(other)
}

/**
 * Index of the first message that differs. System messages are skipped, because they mostly consist of the
 * skill. Undefined if one conversation ends before a difference.
 */
export function partingOf(left: readonly SaidMessage[], right: readonly SaidMessage[]): number | undefined {
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const [one, other] = [left[at], right[at]]
    if (one === undefined || other === undefined) return undefined
    if (one.role === 'system' && other.role === 'system') continue
    if (!isSame(one, other)) return at
  }
  return undefined
}
