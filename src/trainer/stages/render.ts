import type { Run } from '../../core/ports/run.js'
import type { Edit } from '../../core/skill/edit.js'
import { readMessage } from '../../core/task/messages.js'
import type { Attempt, Outcome } from '../../core/task/task.js'
import { shortenTurns } from './shorten-turns.js'

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

/** One edit per line with its index, for merge and rank to choose from. */
export function editList(edits: readonly Edit[]): string {
  return edits
    .map((edit, index) => {
      const { op, support, from } = edit
      const texts = textsOf(edit)
      return `[${index}] ${JSON.stringify({ op, ...texts, support_count: support, source_type: from })}`
    })
    .join('\n')
}

/** Uses the field names of the contracts, so that input and requested output look alike. */
function textsOf(edit: Edit): Record<string, string> {
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
 * An attempt as reflection sees it: without the system prompt (the skill is shown separately), and shortened
 * only if long.
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

/** Shorter runs of repeated lines are kept, since a note about them would take as much room. */
const fewestRepeats = 3

/**
 * Interactive environments repeat the skill, the task and most of the options each turn; showing them once
 * is enough.
 */
function withoutRepeats(text: string, earlier: string): string {
  const known = new Set(earlier.split('\n'))
  const shown: string[] = []
  let repeated: string[] = []
  const settle = () => {
    if (repeated.length < fewestRepeats) shown.push(...repeated)
    else shown.push(`(${repeated.length} lines as in the message before)`)
    repeated = []
  }
  for (const line of text.split('\n')) {
    if (known.has(line)) repeated.push(line)
    else {
      settle()
      shown.push(line)
    }
  }
  settle()
  return shown.join('\n')
}

/** An attempt to reflect on, and a better one at the same task if the contrast is informative. */
export interface Shown {
  readonly attempt: Attempt
  readonly better?: Attempt | undefined
}

export async function trajectorySection(run: Run, all: readonly Shown[]): Promise<string> {
  const blocks = await Promise.all(
    all.map(async ({ attempt, better }, index) => {
      const hidden = attempt.hidden === undefined ? '' : `[reference]\n${await run.get(attempt.hidden)}`
      const head = `<trajectory number="${index + 1}" type="${attempt.type}" ${resultIn(attempt)}>`
      const contrast = better === undefined ? '' : await betterAttempt(run, better)
      const parts = [await transcript(run, attempt), hidden, feedbackOn(attempt), contrast]
      return [head, ...parts, '</trajectory>'].filter(line => line !== '').join('\n')
    }),
  )
  return section('trajectories', blocks.join('\n\n'))
}

/** Omits the question, which is already shown above. */
async function betterAttempt(run: Run, attempt: Attempt): Promise<string> {
  const replies = repliesIn(await transcript(run, attempt))
  return `<better_attempt ${resultIn(attempt)}>\n${replies}\n${feedbackOn(attempt)}\n</better_attempt>`
}

/** The transcript from the agent's first message on. */
export function repliesIn(text: string): string {
  return text.slice(Math.max(0, text.indexOf('[assistant]')))
}

function resultIn(attempt: Attempt): string {
  const { hard, soft } = scoredOutcome(attempt).score
  const reward = attempt.reward === undefined ? '' : ` reward="${round(attempt.reward)}"`
  const tokens = attempt.tokens === undefined ? '' : ` tokens="${attempt.tokens}"`
  const seconds = attempt.ms === undefined ? '' : ` seconds="${round(attempt.ms / 1000)}"`
  const result = isSuccess(attempt) ? 'passed' : 'failed'
  return `result="${result}" hard="${hard}" soft="${round(soft)}"${reward}${tokens}${seconds}`
}

function feedbackOn(attempt: Attempt): string {
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

export function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
