import type { EventBody, EventOf } from '../../../core/log/event.js'
import { readMessage } from '../../../core/task/messages.js'
import type { BlobRef, StoredMessage, StoredPart } from '../../../core/task/task.js'
import type { AttemptDetail, CutText, MoreText, NamedFile, SaidMessage } from '../../contract/attempts.js'
import { NotFoundError } from '../not-found.js'

/** Number of characters sent of a text at first, and in each later part. */
const firstPart = 20_000
const nextPart = 200_000
/** Messages per response. */
export const messagesAtOnce = 100

export type AttemptEvent = EventOf<'attempt.finished'> | EventOf<'attempt.failed'>
type Get = (ref: BlobRef) => Promise<string>

/** Slices a text without splitting a surrogate pair. */
function partOf(text: string, from: number, size: number): string {
  const end = from + size
  const isSplit = /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') && end < text.length
  return text.slice(from, isSplit ? end - 1 : end)
}

const cut = (text: string): CutText => ({ text: partOf(text, 0, firstPart), length: text.length })

/** The conversation and the texts of an attempt, which the list leaves out. */
export async function saidIn(
  { type, body }: AttemptEvent,
  get: Get,
): Promise<Omit<AttemptDetail, 'line' | 'ofTask' | 'ofTaskCount'>> {
  if (type === 'attempt.failed')
    return { messages: [], messageCount: 0, votes: [], problem: cut(body.message) }
  const { outcome, hidden, tokens, ms, reward } = body
  return {
    messages: await messagesOf(body, 0, get),
    messageCount: body.messages.length,
    ...(outcome.status === 'scored' ? { feedback: cut(outcome.score.feedback) } : {}),
    votes: votesOf(body).map(({ score, reason }) => ({ score, reason: cut(reason) })),
    ...(outcome.status === 'failed' ? { problem: cut(outcome.failure.message) } : {}),
    ...(hidden === undefined ? {} : { hidden: cut(await get(hidden)) }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(ms === undefined ? {} : { ms }),
    ...(reward === undefined ? {} : { reward }),
  }
}

export async function messagesOf(
  { messages }: Pick<EventBody<'attempt.finished'>, 'messages'>,
  from: number,
  get: Get,
): Promise<readonly SaidMessage[]> {
  const wanted = messages.slice(from, from + messagesAtOnce) as readonly StoredMessage[]
  return Promise.all(wanted.map(stored => said(stored, get)))
}

async function said(stored: StoredMessage, get: Get): Promise<SaidMessage> {
  const { role, text, toolCalls, toolCallId } = await readMessage(withoutFiles(stored), get)
  return {
    role,
    text: cut(text),
    files: (stored.parts ?? []).flatMap(named),
    calls: (toolCalls ?? []).map(call => ({ id: call.id, name: call.name, arguments: cut(call.arguments) })),
    ...(toolCallId === undefined ? {} : { answers: toolCallId }),
  }
}

/** Removes files from a message's content, because they are listed separately. */
function withoutFiles(stored: StoredMessage): StoredMessage {
  if (stored.parts === undefined) return stored
  return { ...stored, parts: stored.parts.filter(part => part.type === 'text') }
}

function named(part: StoredPart): readonly NamedFile[] {
  if (part.type === 'text') return []
  const { type, name, mediaType, bytes, pages } = part
  return [{ type, name, mediaType, bytes, ...(pages === undefined ? {} : { pages }) }]
}

function votesOf({ outcome }: EventBody<'attempt.finished'>) {
  return outcome.status === 'scored' ? (outcome.score.votes ?? []) : []
}

/** The part of an attempt's text that starts at `from`. */
export async function moreText(
  event: AttemptEvent,
  { of, from }: { readonly of: string; readonly from: number },
  get: Get,
): Promise<MoreText> {
  const text = await textNamed(event, of, get)
  if (text === undefined || from > text.length) {
    throw new NotFoundError('The attempt has no such text.', { hint: 'Load its page again.' })
  }
  return { from, text: partOf(text, from, nextPart), length: text.length }
}

async function textNamed(event: AttemptEvent, of: string, get: Get): Promise<string | undefined> {
  const [kind, ...numbers] = of.split('.')
  const [first = 0, second = 0] = numbers.map(Number)
  if (event.type === 'attempt.failed') return kind === 'problem' ? event.body.message : undefined
  const { outcome, hidden, messages } = event.body
  const message = messages[first] as StoredMessage | undefined
  switch (kind) {
    case 'message':
      return message && (await readMessage(withoutFiles(message), get)).text
    case 'call':
      return message?.toolCalls?.[second]?.arguments
    case 'vote':
      return votesOf(event.body)[first]?.reason
    case 'feedback':
      return outcome.status === 'scored' ? outcome.score.feedback : undefined
    case 'problem':
      return outcome.status === 'failed' ? outcome.failure.message : undefined
    default:
      return hidden === undefined ? undefined : get(hidden)
  }
}
