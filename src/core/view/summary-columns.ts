import type { Summary } from '../log/event.js'
import type { Attempt } from '../task/task.js'
import { count, points } from './figures.js'

/** What a run counts besides the score, as people read it: the same on the terminal and in reports. */

const seconds = (ms: number): string => (ms / 1000).toFixed(1)

/** With what the score is a reward of, and what attempts took in the mean: as far as the run counts it. */
export function countedColumns(all: readonly Summary[]): readonly {
  readonly head: string
  readonly cell: (summary: Summary) => string
}[] {
  const columns = [
    { head: 'accuracy', of: 'reward', cell: ({ hard }: Summary) => points(hard) },
    { head: 'tokens', of: 'tokens', cell: ({ tokens = 0 }: Summary) => count(tokens) },
    { head: 'seconds', of: 'ms', cell: ({ ms = 0 }: Summary) => seconds(ms) },
  ] as const
  return columns
    .filter(({ of }) => all.some(summary => summary[of] !== undefined))
    .map(({ head, of, cell }) => ({
      head,
      cell: summary => (summary[of] === undefined ? '' : cell(summary)),
    }))
}

/** Of one attempt: what follows its scores. */
export function countedText({ reward, tokens, ms }: Pick<Attempt, 'reward' | 'tokens' | 'ms'>): string {
  return [
    ...(reward === undefined ? [] : [`reward ${points(reward)}`]),
    ...(tokens === undefined ? [] : [`${count(tokens)} tokens`]),
    ...(ms === undefined ? [] : [`${seconds(ms)} seconds`]),
  ]
    .map(part => `, ${part}`)
    .join('')
}
