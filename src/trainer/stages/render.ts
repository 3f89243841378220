import type { Run } from '../../core/ports/run.js'
import type { Edit } from '../../core/skill/edit.js'
import { readMessage } from '../../core/task/messages.js'
import type { Attempt, Outcome } from '../../core/task/task.js'
import { count } from '../../core/text/format.js'
import { shorten } from '../../core/text/shorten.js'

/** A tagged section of the optimizer's user message; empty if the text is absent. */
export function section(tag: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : `<${tag}>\n${text}\n</${tag}>`
}

export function sections(...parts: readonly string[]): string {
  return parts.filter(part => part !== '').join('\n\n')
}

export function editLine(edit: Edit): string {
  const quoted = (text: string) => JSON.stringify(text)
  switch (edit.op) {
    case 'append':
      return `append ${quoted(edit.content)}`
    case 'insert_after':
      return `insert_after ${quoted(edit.target)}: ${quoted(edit.content)}`
    case 'replace':
      return `replace ${quoted(edit.target)} by ${quoted(edit.content)}`
    case 'delete':
      return `delete ${quoted(edit.target)}`
    case 'suggest':
      return `suggest ${quoted(edit.title === '' ? edit.content : `${edit.title}: ${edit.content}`)}`
    case 'rewrite':
      return `rewrite ${quoted(edit.summary === '' ? 'of the whole skill' : edit.summary)}`
    case 'remind':
      return `remind ${quoted(edit.content)}`
  }
}

/** Lists edits with their index, one per line, so that merge and rank can refer to them. */
export function editList(edits: readonly Edit[]): string {
  return edits
    .map((edit, index) => {
      const { op, support, from } = edit
      const texts = editTexts(edit)
      return `[${index}] ${JSON.stringify({ op, ...texts, support_count: support, source_type: from })}`
    })
    .join('\n')
}

/** Uses the field names of the contracts, so that input and requested output look alike. */
function editTexts(edit: Edit): Record<string, string> {
  switch (edit.op) {
    case 'suggest':
      return { title: edit.title, instruction: edit.content }
    case 'rewrite':
      return { new_skill: edit.content, change_summary: edit.summary }
    case 'delete':
      return { target: edit.target }
    case 'append':
    case 'remind':
      return { content: edit.content }
    default:
      return { target: edit.target, content: edit.content }
  }
}

/**
 * An attempt as reflection sees it, without the system prompt, since the skill is shown separately. Long
 * attempts are shortened.
 */
export async function transcript(run: Run, attempt: Attempt): Promise<string> {
  const messages = await Promise.all(attempt.messages.map(stored => readMessage(stored, run.get)))
  let asked = ''
  const turns = messages
    .filter(message => message.role !== 'system')
    .map(message => {
      const text = message.role === 'user' ? withoutRepeats(message.text, asked) : message.text
      if (message.role === 'user') asked = message.text
      const calls = (message.toolCalls ?? []).map(call => `-> ${call.name}(${call.arguments})`)
      return [`[${message.role}]`, text, ...calls].filter(piece => piece !== '')
    })
  return shortenTurns(turns).flat().join('\n')
}

/** Fewer repeated lines than this are kept, since a note about them would take as much room. */
const fewestRepeats = 3

/**
 * Omits lines that an earlier message already had. Interactive environments repeat the skill, the task and
 * most options each turn.
 */
function withoutRepeats(text: string, earlier: string): string {
  const known = new Set(earlier.split('\n'))
  const shown: string[] = []
  let repeated: string[] = []
  const flush = () => {
    if (repeated.length < fewestRepeats) shown.push(...repeated)
    else shown.push(`(${repeated.length} lines as in the message before)`)
    repeated = []
  }
  for (const line of text.split('\n')) {
    if (known.has(line)) repeated.push(line)
    else {
      flush()
      shown.push(line)
    }
  }
  flush()
  return shown.join('\n')
}

/** An attempt to reflect on, and a better one at the same task if the contrast is informative. */
export interface ReviewedAttempt {
  readonly attempt: Attempt
  readonly better?: Attempt | undefined
}

export async function trajectorySection(run: Run, all: readonly ReviewedAttempt[]): Promise<string> {
  const blocks = await Promise.all(
    all.map(async ({ attempt, better }, index) => {
      const hidden = attempt.hidden === undefined ? '' : `[reference]\n${await run.get(attempt.hidden)}`
      const head = `<trajectory number="${index + 1}" type="${attempt.type}" ${resultAttributes(attempt)}>`
      const contrast = better === undefined ? '' : await betterAttempt(run, better)
      const parts = [await transcript(run, attempt), hidden, feedbackText(attempt), contrast]
      return [head, ...parts, '</trajectory>'].filter(line => line !== '').join('\n')
    }),
  )
  return section('trajectories', blocks.join('\n\n'))
}

/** The better attempt without the question, which the prompt already contains. */
async function betterAttempt(run: Run, attempt: Attempt): Promise<string> {
  const replies = repliesIn(await transcript(run, attempt))
  return `<better_attempt ${resultAttributes(attempt)}>\n${replies}\n${feedbackText(attempt)}\n</better_attempt>`
}

/** The transcript from the agent's first message on. */
export function repliesIn(text: string): string {
  return text.slice(Math.max(0, text.indexOf('[assistant]')))
}

function resultAttributes(attempt: Attempt): string {
  const { hard, soft } = scoredOutcome(attempt).score
  const reward = attempt.reward === undefined ? '' : ` reward="${roundToThousandth(attempt.reward)}"`
  const tokens = attempt.tokens === undefined ? '' : ` tokens="${attempt.tokens}"`
  const seconds = attempt.ms === undefined ? '' : ` seconds="${roundToThousandth(attempt.ms / 1000)}"`
  const result = isSuccess(attempt) ? 'passed' : 'failed'
  return `result="${result}" hard="${hard}" soft="${roundToThousandth(soft)}"${reward}${tokens}${seconds}`
}

function feedbackText(attempt: Attempt): string {
  const { score, stop } = scoredOutcome(attempt)
  const ended = stop === 'answered' ? '' : `The attempt ended early: ${stop}.`
  return `[feedback]\n${[score.feedback, ended].filter(line => line !== '').join('\n')}`
}

function scoredOutcome({ outcome }: Attempt): Extract<Outcome, { status: 'scored' }> {
  if (outcome.status === 'failed') throw new Error('A failed attempt has no trajectory to reflect on.')
  return outcome
}

/** Hard scores are mostly 0 or 1; a fraction of at least one half counts as a success. */
export function isSuccess(attempt: Attempt): boolean {
  return attempt.outcome.status === 'scored' && attempt.outcome.score.hard >= 0.5
}

export function roundToThousandth(value: number): number {
  return Math.round(value * 1000) / 1000
}

/**
 * Maximum characters of one attempt shown to reflection. A usual minibatch of eight then has about 80,000
 * tokens.
 */
const longestTranscript = 40_000

/** Pieces shorter than this are no longer informative, so whole turns are dropped instead. */
const shortestPiece = 300

/** A message: its role, its text and its tool calls, each a piece that can be shortened separately. */
export type Turn = readonly string[]

/**
 * Shortens a long attempt, such as an agent's, at its longest pieces. The beginning and end of a file or a
 * log are kept, and short messages stay whole. Attempts within the limit are unchanged.
 */
export function shortenTurns(turns: readonly Turn[], longest = longestTranscript): readonly Turn[] {
  const lengths = turns.flat().map(piece => piece.length)
  if (sum(lengths) <= longest) return turns
  const level = Math.max(shortestPiece, cutLength(lengths, longest))
  return dropMiddle(
    turns.map(turn => turn.map(piece => shorten(piece, level))),
    longest,
  )
}

/** The length to cut the longest pieces to, so that all pieces fit the limit together. */
function cutLength(lengths: readonly number[], room: number): number {
  const ascending = [...lengths].sort((left, right) => left - right)
  let left = room
  for (const [index, length] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index))
    if (length > share) return share
    left -= length
  }
  return room
}

/** Drops turns from the middle, since the beginning and the end say most. */
function dropMiddle(turns: readonly Turn[], longest: number): readonly Turn[] {
  const lengths = turns.map(turn => sum(turn.map(piece => piece.length)))
  if (sum(lengths) <= longest) return turns
  const first = countFitting(lengths, longest / 2)
  const last = countFitting(lengths.slice(first).reverse(), longest / 2)
  const without = turns.length - first - last
  return [
    ...turns.slice(0, first),
    [`(${count(without)} messages left out here)`],
    ...turns.slice(first + without),
  ]
}

/** Number of leading items that fit. */
function countFitting(lengths: readonly number[], room: number): number {
  let used = 0
  const over = lengths.findIndex(length => {
    used += length
    return used > room
  })
  return over === -1 ? lengths.length : over
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
