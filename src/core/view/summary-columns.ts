import type { Summary } from '../log/event.js'
import type { Attempt } from '../task/task.js'
import { count, points } from './figures.js'

/** Figures besides the score, formatted for the terminal and the reports. */

const seconds = (ms: number): string => (ms / 1000).toFixed(1)

/** Columns for accuracy (if the score is a reward), mean tokens and mean seconds, if the run records them. */
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

/** The text after an attempt's scores. */
export function countedText({ reward, tokens, ms }: Pick<Attempt, 'reward' | 'tokens' | 'ms'>): string {
  return [
    ...(reward === undefined ? [] : [`reward ${points(reward)}`]),
    ...(tokens === undefined ? [] : [`${count(tokens)} tokens`]),
    ...(ms === undefined ? [] : [`${seconds(ms)} seconds`]),
  ]
    .map(part => `, ${part}`)
    .join('')
}
