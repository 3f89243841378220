import type { ChangedTask, SkillPair } from '../../core/comparison/skill-comparison.js'
import { comparisonSentences } from '../../core/comparison/skill-comparison-text.js'
import type { SplitResult } from '../../core/comparison/split-result.js'
import { count, oneLine, points, signedPoints } from '../../core/text/format.js'
import type { Block, Cell } from '../blocks/blocks.js'
import type { ReportSource } from '../blocks/source.js'

export const splitNames = { train: 'train', val: 'validation', test: 'test' } as const

/** Maximum number of tasks in the list. A page of 100,000 tasks is useless, and the JSON has all of them. */
const mostChanges = 500

/** Comparison of several skills on the tasks of one split. */
export function comparisonBlocks(
  { split, pairs, changed }: ReportSource['comparisons'][number],
  splits: readonly SplitResult[],
): Block[] {
  const own = splits.filter(one => one.split === split)
  const tasks = Math.max(...own.map(({ scored, failed }) => scored + failed))
  const together = pairs.length > 1 ? `, for all ${pairs.length} pairs together` : ''
  return [
    {
      kind: 'table',
      caption: `Task by task, on ${splitNames[split]}`,
      head: ['compared', 'tasks', 'better', 'worse', 'same', 'points', `95% interval${together}`],
      rows: pairs.map(pairCells),
      right: [1, 2, 3, 4, 5, 6],
    },
    ...comparisonSentences({ pairs }, { tasks, labels: new Map() }).map(
      text => ({ kind: 'text', text }) as const,
    ),
    ...changedBlocks(
      changed,
      own.map(({ skill }) => skill),
      splitNames[split],
    ),
  ]
}

function pairCells({ which, against, tasks, better, worse, difference }: SkillPair): Cell[] {
  const tone = difference.low > 0 ? 'good' : difference.high < 0 ? 'bad' : 'calm'
  return [
    `${oneLine(which)} against ${oneLine(against)}`,
    ...[tasks, better, worse, tasks - better - worse].map(count),
    tasks === 0 ? 'unknown' : { text: signedPoints(difference.mean), tone },
    tasks === 0 ? '' : `${signedPoints(difference.low)} to ${signedPoints(difference.high)}`,
  ]
}

function changedBlocks(changed: readonly ChangedTask[], skills: readonly string[], split: string): Block[] {
  if (changed.length === 0) return [{ kind: 'text', text: `No ${split} task changed.` }]
  const shown = changed.slice(0, mostChanges)
  const more = changed.length - shown.length
  return [
    {
      kind: 'folded',
      title: `Tasks of ${split} that changed (${changed.length})`,
      blocks: [
        {
          kind: 'table',
          caption: `Tasks of ${split} that changed`,
          head: ['task', 'type', ...skills],
          rows: shown.map(({ task, type, scores }) => [
            { text: task, code: true },
            oneLine(type),
            ...scores.map(score => (score === null ? 'failed' : points(score))),
          ]),
          right: skills.map((_, index) => index + 2),
        },
        ...(more > 0
          ? [{ kind: 'text', text: `And ${count(more)} more; the JSON report lists all.` } as const]
          : []),
      ],
    },
  ]
}
