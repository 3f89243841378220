import type { SplitScore, TransferForecast, TransferResult, TransferredTo } from '../../app/index.js'
import type { PairedScores } from '../../core/comparison/skill-comparison.js'
import type { RunView } from '../../core/view/fold.js'
import { figures, whatItRestsOn } from './forecast-text.js'
import { type Colors, clean, count, knownCost, plural, points, signedPoints, table } from './text.js'

/** Output of a transfer: a row for each target, and sentences on where the skill helps. */

type Measured = TransferredTo & { readonly scores: NonNullable<TransferredTo['scores']> }

const isMeasured = (target: TransferredTo): target is Measured => target.scores !== undefined

export function transferReport(result: TransferResult, colors: Colors): string {
  const measured = result.targets.filter(isMeasured)
  if (measured.length === 0) return ''
  return [
    targetTable(result, colors),
    [
      `Trained: ${clean(result.trained)}. Seed: ${clean(result.seed)}.`,
      ...transferSentences(result),
      ...samplesLine(result),
    ].join('\n'),
  ].join('\n\n')
}

function targetTable({ split, targets }: TransferResult, colors: Colors): string {
  const rows = targets.map(target => [
    colors.bold(target.target),
    ...(isMeasured(target) ? measuredCells(target.scores) : ['–', '–', '–', outcomeWords[target.outcome]]),
    ...(target.spending === undefined
      ? ['–', '–']
      : [count(target.spending.total.calls), knownCost(target.spending.total)]),
  ])
  const head = [`${split} split`, 'no skill', 'seed', 'trained', 'trained − seed', 'calls', 'cost']
  return table(head, rows, { colors, right: [5, 6] })
}

const outcomeWords: Readonly<Record<TransferredTo['outcome'], string>> = {
  finished: '',
  refused: 'impossible',
  paused: 'paused',
  cap: 'cap reached',
  interrupted: 'stopped',
}

const measuredCells = ({ none, seed, trained, gain }: Measured['scores']): string[] => [
  ...[none, seed, trained].map(scoreCell),
  gain.tasks === 0
    ? 'unknown'
    : `${signedPoints(gain.difference.mean)}\n${signedPoints(gain.difference.low)} to ${signedPoints(gain.difference.high)}`,
]

/**
 * Cell with a score. External failures are counted separately, and a target without scored tasks is not shown
 * as zero.
 */
function scoreCell({ scored, failed, score, interval }: SplitScore): string {
  if (scored === 0) return 'none scored'
  const beside = failed === 0 ? '' : ` (${failed} failed)`
  return `${points(score)}${beside}\n${points(interval.low)} to ${points(interval.high)}`
}

/**
 * Sentences on where the skill transfers, where it harms or has no effect, where the result is inconclusive,
 * and which targets were not measured.
 */
export function transferSentences({
  targets,
  tasks,
  smallestGain,
}: Pick<TransferResult, 'targets' | 'tasks' | 'smallestGain'>): string[] {
  const measured = targets.filter(isMeasured)
  const of = (verdict: Measured['scores']['verdict']) =>
    measured
      .filter(({ scores }) => scores.verdict === verdict)
      .map(({ target, scores }) => `${target} (${gainText(scores.gain)})`)
  const sentence = (words: string, names: readonly string[], more = '') =>
    names.length === 0 ? [] : [`${words} ${names.join(', ')}${more}.`]
  const leftOut = measured.filter(({ scores }) => scores.gain.tasks < tasks)
  return [
    ...sentence('The skill transfers to', of('transfers')),
    ...sentence('It does worse than the seed on', of('harms')),
    ...sentence(
      'It does not transfer to',
      of('no-gain'),
      `: a gain of ${(100 * smallestGain).toFixed(1)} points is ruled out`,
    ),
    ...sentence('These tasks cannot tell for', of('unclear')),
    ...sentence(
      'Not measured:',
      targets.filter(target => !isMeasured(target)).map(({ target }) => target),
    ),
    ...(targets.length > 1 && measured.length > 0
      ? [`The ${count(targets.length)} intervals are simultaneous: all of them hold with 95% confidence.`]
      : []),
    ...leftOut.map(
      ({ target, scores }) =>
        `${target}: ${plural(tasks - scores.gain.tasks, 'task')} left out of the gain, because an attempt failed for external reasons. Rerun the same command to retry.`,
    ),
  ]
}

function gainText({ tasks, difference: { mean, low, high } }: PairedScores): string {
  if (tasks === 0) return 'no task was scored under both skills'
  return `${signedPoints(mean)} points, ${signedPoints(low)} to ${signedPoints(high)}`
}

const samplesLine = ({ samples }: TransferResult): string[] =>
  samples === 1 ? [] : [`${samples} attempts per task and skill; a task's score is their mean.`]

/** Total spending of all targets. */
export function transferSpending(targets: readonly TransferredTo[]): string {
  const totals = targets.flatMap(({ spending }) => (spending === undefined ? [] : spending.total))
  const sum = (of: (total: RunView['spending']['total']) => number) =>
    totals.reduce((before, total) => before + of(total), 0)
  const all = {
    calls: sum(total => total.calls),
    cost: sum(total => total.cost),
    unknownCost: sum(total => total.unknownCost),
  }
  const simulated = targets.some(target => target.simulated) ? ' (simulated)' : ''
  return `In all: ${plural(all.calls, 'call')}, cost ${knownCost(all)}${simulated}.`
}

export function renderTransferForecast(forecast: TransferForecast, colors: Colors): string {
  const { targets, total, split, tasks, samples } = forecast
  const rows = [
    ...targets.map(({ target, attempts, forecast: own }) => [target, count(attempts), ...figures(own.total)]),
    ['total', count(targets.reduce((sum, { attempts }) => sum + attempts, 0)), ...figures(total)].map(cell =>
      colors.bold(cell),
    ),
  ]
  const each = (of: 'onTop' | 'measured' | 'assumptions') => [
    ...new Set(targets.flatMap(({ forecast: own }) => own[of])),
  ]
  const basis = { total, onTop: each('onTop'), measured: each('measured'), assumptions: each('assumptions') }
  const times = samples === 1 ? '' : `, ${samples} times each`
  return [
    table(['expected', 'attempts', 'calls', 'tokens', 'cost'], rows, { colors, right: [1, 2, 3, 4] }),
    '',
    `${plural(tasks, 'task')} of the ${split} split with no skill, the seed and the trained skill${times}; results already in the logs are not included.`,
    ...whatItRestsOn(basis, colors),
  ].join('\n')
}
