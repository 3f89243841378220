import type { EvaluateResult, SkillScore, SplitScore } from '../../app/index.js'
import type { ChangedTask, SkillComparison } from '../../core/comparison/skill-comparison.js'
import { comparisonSentences, shortNames } from '../../core/comparison/skill-comparison-text.js'
import type { RunView } from '../../core/view/fold.js'
import { type Colors, clean, count, plural, points, signedPoints, table } from './text.js'

/** Output of `eval`: one skill by split and task type, or several skills side by side. */

type Scored = Pick<SplitScore, 'scored' | 'failed' | 'score' | 'interval'>
type Comparison = EvaluateResult['comparisons'][number]

/** Maximum number of changes printed. The JSON output and the report contain all. */
const mostChanges = 20

export function evaluationReport(
  { skills, comparisons, samples }: Pick<EvaluateResult, 'skills' | 'comparisons' | 'samples'>,
  colors: Colors,
): string {
  const [only, another] = skills
  if (only === undefined) return ''
  const blocks =
    another === undefined
      ? [splitTable(only.splits, colors)]
      : comparisons.flatMap(comparison => comparisonBlocks(comparison, skills, colors))
  return [...blocks, ...attemptLines(skills, samples)].filter(block => block !== '').join('\n\n')
}

/**
 * Table of scores by skill and split from an evaluation's log. It has no intervals, because only `report`
 * reads the rows they need.
 */
export function evaluatedTable({ kind, skills, evaluations }: RunView, colors: Colors): string {
  if (kind !== 'eval' || evaluations.length === 0) return ''
  const names = shortNames(skills.map(({ name }) => name))
  const last = new Map(evaluations.map(one => [`${one.split} ${one.skill}`, one]))
  const rows = [...last.values()].map(({ skill, split, scored, failed, score }) => [
    names[skills.findIndex(one => one.skill === skill)] ?? skill,
    split,
    tasksCell({ scored, failed }),
    points(score),
  ])
  return table(['skill', 'split', 'tasks', 'score'], rows, { colors, right: [2, 3] })
}

function splitTable(splits: readonly SplitScore[], colors: Colors): string {
  const rows = splits.flatMap(split => [
    [colors.bold(split.split), ...scoreCells(split)],
    ...(split.types.length < 2
      ? []
      : split.types.map(type => [`  ${typeName(type.type)}`, ...scoreCells(type)])),
  ])
  return table(['split', 'tasks', 'score', '95% interval'], rows, { colors, right: [1, 2] })
}

/**
 * Cells with a score. External failures are counted separately, and a split without scored tasks is not shown
 * as zero.
 */
function scoreCells({ scored, failed, score, interval }: Scored): string[] {
  return [
    tasksCell({ scored, failed }),
    scored === 0 ? 'none scored' : points(score),
    scored === 0 ? '' : `${points(interval.low)} to ${points(interval.high)}`,
  ]
}

const tasksCell = ({ scored, failed }: Pick<Scored, 'scored' | 'failed'>) =>
  failed > 0 ? `${count(scored)} (${failed} failed)` : count(scored)

const typeName = (type: string) => (type === '' ? '(no type)' : clean(type))

function comparisonBlocks(comparison: Comparison, skills: readonly SkillScore[], colors: Colors): string[] {
  const names = shortNames(skills.map(({ name }) => name))
  const labels = new Map(skills.map(({ name }, index) => [name, names[index] ?? name]))
  const scores = skills.flatMap(({ splits }) => splits.find(({ split }) => split === comparison.split) ?? [])
  const tasks = Math.max(...scores.map(({ scored, failed }) => scored + failed))
  const sentences = comparisonSentences(comparison, { tasks, labels })
  return [
    skillTable({ split: comparison.split, names, scores }, colors),
    typeTable(names, scores, colors),
    pairTable(comparison, labels, colors),
    sentences.join('\n'),
    changedTable(comparison.changed, names, colors),
  ]
}

interface SkillScores {
  readonly split: string
  readonly names: readonly string[]
  readonly scores: readonly SplitScore[]
}

function skillTable({ split, names, scores }: SkillScores, colors: Colors): string {
  const rows = scores.map((score, index) => [colors.bold(names[index] ?? ''), ...scoreCells(score)])
  return table([`${split} split`, 'tasks', 'score', '95% interval'], rows, { colors, right: [1, 2] })
}

/** Table of scores by task type. With a single type it would repeat the main table, so it is left out. */
function typeTable(names: readonly string[], scores: readonly SplitScore[], colors: Colors): string {
  const types = scores[0]?.types ?? []
  if (types.length < 2) return ''
  const rows = types.map(({ type, scored, failed }) => [
    typeName(type),
    count(scored + failed),
    ...scores.map(({ types: own }) => {
      const found = own.find(other => other.type === type)
      return found === undefined || found.scored === 0 ? '–' : points(found.score)
    }),
  ])
  const head = ['by task type', 'tasks', ...names]
  return table(head, rows, { colors, right: head.map((_, index) => index).slice(1) })
}

function pairTable({ pairs }: SkillComparison, labels: ReadonlyMap<string, string>, colors: Colors): string {
  const rows = pairs.map(({ which, against, tasks, better, worse, difference }) => [
    `${labels.get(which) ?? which} against ${labels.get(against) ?? against}`,
    count(tasks),
    count(better),
    count(worse),
    count(tasks - better - worse),
    tasks === 0 ? 'unknown' : signedPoints(difference.mean),
    tasks === 0 ? '' : `${signedPoints(difference.low)} to ${signedPoints(difference.high)}`,
  ])
  const interval = pairs.length > 1 ? `95% interval, for all ${pairs.length} together` : '95% interval'
  const head = ['task by task', 'tasks', 'better', 'worse', 'same', 'points', interval]
  return table(head, rows, { colors, right: [1, 2, 3, 4, 5] })
}

function changedTable(changed: readonly ChangedTask[], names: readonly string[], colors: Colors): string {
  if (changed.length === 0) return 'No task changed.'
  const rows = changed
    .slice(0, mostChanges)
    .map(({ task, scores }) => [
      clean(task),
      ...scores.map(score => (score === null ? 'failed' : points(score))),
    ])
  const head = ['tasks that changed', ...names]
  const more = changed.length - rows.length
  return [
    table(head, rows, { colors, right: head.map((_, index) => index).slice(1) }),
    ...(more > 0 ? [`and ${plural(more, 'more task')}; --json or --report lists all`] : []),
  ].join('\n')
}

/**
 * Lines about failed attempts. With several attempts at each task, a task may have a score although some of
 * its attempts failed.
 */
function attemptLines(skills: readonly SkillScore[], samples: number): string[] {
  if (samples === 1) return []
  const attempts = skills.flatMap(({ splits }) => splits.map(split => split.attempts))
  const failed = attempts.reduce((sum, one) => sum + one.failed, 0)
  const note =
    failed === 0
      ? ''
      : ` ${plural(failed, 'attempt')} failed and ${failed === 1 ? 'is' : 'are'} not counted. Rerun the same command to retry.`
  return [`${samples} attempts per task and skill; a task's score is their mean.${note}`]
}
