import { contentHash } from '../../core/text/hash.js'
import { shorten } from '../../core/text/shorten.js'
import type { Transcript, TranscriptEntry } from '../../core/transcript/transcript.js'
import {
  isRework,
  type RequestEvidence,
  type SessionRequest,
  type ToolUse,
} from '../model/session-request.js'
import { followUpKind } from './follow-up.js'
import { personText } from './person-text.js'
import { type Reacted, reactionTo } from './reactions.js'
import { isSameRequest, wordSet } from './same-request.js'

interface OpenRequest {
  readonly text: string
  readonly words: ReadonlySet<string>
  readonly at: number | undefined
  readonly followed: TranscriptEntry[]
  readonly evidence: RequestEvidence[]
  /** Number of entries in `followed` up to the last rejection. Answers among these entries were rejected. */
  rejected: number
}

/** Shorter requests, such as "fix it" or "tests", make no sense without their context. */
const fewestLetters = 8

/** Maximum characters kept of each text, because tens of thousands of requests are held in memory at once. */
const longest = { request: 4_000, before: 600, answer: 1_500, evidence: 600 }
const requestsBefore = 2

/** A request is compared with this many previous ones, because repetitions usually follow soon. */
const requestsRemembered = 20

/**
 * Splits a session into requests. A prompt that makes no new request is either evidence about the previous
 * one ("no, …", "undo that", the same request again) or ignored ("yes", commands, injected text). The first
 * thing that a person says is always a request.
 */
export function requestsOf(transcript: Transcript): readonly SessionRequest[] {
  const open: OpenRequest[] = []
  for (const entry of transcript.entries) {
    const current = open.at(-1)
    if (entry.kind !== 'prompt') {
      current?.followed.push(entry)
      if (entry.kind === 'broken-off' && current !== undefined)
        hear(current, { kind: 'broken-off', text: entry.text, at: entry.at })
      continue
    }
    const text = personText(entry.text)
    if (text === '') continue
    const { reaction, rest } =
      current === undefined ? { reaction: undefined, rest: text } : reactionAfter(current, text)
    if (current !== undefined && reaction !== undefined && reaction !== 'go-on')
      hear(current, { kind: reaction, text, at: entry.at })
    if (lettersIn(rest) < fewestLetters) continue
    const words = wordSet(rest)
    const earlier = open.slice(-requestsRemembered).findLast(request => isSameRequest(request.words, words))
    if (earlier === undefined)
      open.push({ text: rest, words, at: entry.at, followed: [], evidence: [], rejected: 0 })
    else hear(earlier, { kind: 'asked-again', text: rest, at: entry.at })
  }
  const session = `${transcript.source}:${transcript.id}`
  const { file, project, branch, skills } = transcript
  return open.map(({ text, at, followed, evidence, rejected }, index) => ({
    id: contentHash(`${session}\n${index}\n${text}`).slice(0, 16),
    session,
    file,
    project,
    branch,
    skills,
    at,
    text: shorten(text, longest.request),
    before: open
      .slice(Math.max(0, index - requestsBefore), index)
      .map(earlier => shorten(earlier.text, longest.before)),
    answer: answerIn(followed.slice(rejected)),
    tools: toolsIn(followed),
    evidence: evidence.map(heard => ({ ...heard, text: shorten(heard.text, longest.evidence) })),
  }))
}

function hear(request: OpenRequest, heard: RequestEvidence): void {
  request.evidence.push(heard)
  if (isRework(heard)) request.rejected = request.followed.length
}

/**
 * Classifies a prompt that follows an answer. Praise and corrections in the usual words are recognised first;
 * for other prompts their form decides between reaction and request.
 */
function reactionAfter(current: OpenRequest, text: string): Reacted {
  const heard = reactionTo(text, endsWithQuestion(current))
  const answer = lastAnswer(current.followed)
  if (heard.reaction !== undefined || answer === undefined) return heard
  const kind = followUpKind({ text, request: current.text, answer })
  if (kind === 'request') return heard
  return { reaction: kind === 'approval' || endsWithQuestion(current) ? 'go-on' : 'correction', rest: '' }
}

const lastAnswer = (followed: readonly TranscriptEntry[]): string | undefined =>
  followed.findLast(entry => entry.kind === 'answer')?.text

function answerIn(followed: readonly TranscriptEntry[]): string | undefined {
  const last = lastAnswer(followed)
  return last === undefined ? undefined : shorten(last, longest.answer)
}

function toolsIn(followed: readonly TranscriptEntry[]): readonly ToolUse[] {
  const tools = new Map<string, { calls: number; failures: number }>()
  for (const entry of followed) {
    if (entry.kind !== 'tool') continue
    const { calls, failures } = tools.get(entry.name) ?? { calls: 0, failures: 0 }
    tools.set(entry.name, { calls: calls + 1, failures: failures + (entry.failed === true ? 1 : 0) })
  }
  return [...tools].map(([name, used]) => ({ name, ...used }))
}

/**
 * Drops copied requests. Agents copy the beginning of a session into the file of the session that continues
 * it, so requests with the same text and time are one request, and the first record is kept.
 */
export function withoutCopies(requests: readonly SessionRequest[]): readonly SessionRequest[] {
  const seen = new Set<string>()
  return requests.filter(({ at, text }) => {
    if (at === undefined) return true
    const moment = `${at}\n${text}`
    const isNew = !seen.has(moment)
    seen.add(moment)
    return isNew
  })
}

function endsWithQuestion({ followed }: OpenRequest): boolean {
  const answer = lastAnswer(followed)
  return answer !== undefined && /\?[\s*_`)"']*$/.test(answer)
}

function lettersIn(text: string): number {
  return text.match(/[\p{L}\d]/gu)?.length ?? 0
}
