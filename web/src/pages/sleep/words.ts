import type { SleepNightLine, SleepSchedule, SleepScore } from '../../../../src/dashboard/contract/sleep.js'
import type { TaskSplit } from '../../../../src/sleep/model/sleep-task.js'
import type { BadgeTone } from '../../parts/badge.js'
import { count, duration, knownCost, plural, points, signedPoints, when } from '../../parts/format.js'

type NightEnd = NonNullable<SleepNightLine['end']>

export function scoreText({ mean, low, high }: SleepScore): string {
  return `${points(mean)} (${points(low)} to ${points(high)})`
}

/** Text of a difference between two scores, with its interval. */
export function gainText({ mean, low, high }: SleepScore): string {
  return `${signedPoints(mean)} points (${signedPoints(low)} to ${signedPoints(high)})`
}

/** A server timestamp in the reader's time zone. */
export function whenText(at: string): string {
  return when(Date.parse(at))
}

/** Text of a night's cost, as far as known. It says so if no model was called. */
export function costText({ calls, cost, unknownCost }: NightEnd['spent']): string {
  return calls === 0 ? 'no model was called' : knownCost({ calls, cost, unknownCost })
}

export function spentText(spent: NightEnd['spent']): string {
  const { calls, tokens, unknownUsage, activeMs } = spent
  if (calls === 0) return 'No model was called.'
  const known =
    unknownUsage >= calls
      ? 'an unknown number of tokens'
      : `${unknownUsage > 0 ? 'at least ' : ''}${count(tokens)} tokens`
  return `${plural(calls, 'call')}, ${known}, ${duration(activeMs)} at work`
}

/** Text that names the cap which ended the night early. */
export function capText({ cap, limit }: NonNullable<NightEnd['capped']>): string {
  const limits = {
    maxCalls: plural(limit, 'call'),
    maxTokens: `${count(limit)} tokens`,
    maxCost: `$${limit}`,
    maxTime: plural(limit, 'minute'),
  }
  return `It stopped at a limit that was set for it, ${limits[cap]}: with more room, a night may find more in the same.`
}

export const outcomeTones: Readonly<Record<NightEnd['outcome'], BadgeTone>> = {
  proposed: 'good',
  'nothing-learned': 'plain',
  'nothing-to-learn': 'plain',
  'nothing-new': 'plain',
  refused: 'bad',
  'given-up': 'warn',
}

type ProposalState = NonNullable<SleepNightLine['proposal']>

export const proposalWords: Readonly<
  Record<ProposalState, { readonly tone: BadgeTone; readonly text: string; readonly meaning: string }>
> = {
  waits: { tone: 'info', text: 'waits for you', meaning: 'Nobody has decided on it yet.' },
  adopted: { tone: 'good', text: 'adopted', meaning: 'All of it stands in your files.' },
  'adopted in part': { tone: 'good', text: 'adopted in part', meaning: 'Some of it stands in your files.' },
  'not adopted': {
    tone: 'plain',
    text: 'not adopted',
    meaning: 'It can still be adopted, though a newer one waits.',
  },
  superseded: { tone: 'plain', text: 'superseded', meaning: 'A later one was adopted in its place.' },
  'not accepted': { tone: 'bad', text: 'not accepted', meaning: 'The night itself turned it down.' },
  damaged: { tone: 'bad', text: 'damaged', meaning: 'It cannot be read.' },
}

export const splitMeanings: Readonly<Record<TaskSplit, string>> = {
  train: 'Nights learn from it.',
  val: 'It decides whether what was learned is better.',
  test: 'Kept for tests: nights neither learn from it nor choose by it.',
  divided: 'Its occasions are divided among the three.',
  'held-back': 'In no split: it is too near to tasks of two of them.',
}

/** Not imported from the schema, because that would load the whole validator into the page. */
export const splits = Object.keys(splitMeanings) as readonly TaskSplit[]

export function scheduleText({ system, time, next }: SleepSchedule): string {
  if (time === undefined) return `Nights are started by ${system}, at an unreadable time.`
  const soon = next === undefined ? '' : `; the next one ${whenText(next)}`
  return `Every night at ${time}, started by ${system}${soon}.`
}
