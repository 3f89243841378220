import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { ChangedTask, SkillPair } from '../../../../src/core/comparison/skill-comparison.js'
import { comparisonSentences } from '../../../../src/core/comparison/skill-comparison-sentences.js'
import type { EvaluationDetails, SplitResult } from '../../../../src/core/comparison/split-result.js'
import type { Split } from '../../../../src/core/task/task.js'
import type { RunView } from '../../../../src/core/view/run-view.js'
import { getJson } from '../../api/client.js'
import { count, plural, points, signedPoints, visibleLine } from '../../parts/format.js'
import { Failed, Loading } from '../../parts/states.js'
import { type Column, DataTable } from '../../parts/table.js'
import { attemptsHref, compareHref, skillHref } from './addresses.js'
import { IntervalBar } from './interval-bar.js'

type Comparison = EvaluationDetails['comparisons'][number]

const splitNames: Readonly<Record<Split, string>> = { train: 'train', val: 'validation', test: 'test' }

/** Maximum number of tasks in the table. The attempt list shows all of them. */
const mostChanges = 200

/**
 * The scores of each skill on each split. `count` is the number of evaluations so far; the scores are fetched
 * again when it changes.
 */
export function Evaluations({
  run,
  count: known,
  skills,
}: {
  readonly run: string
  readonly count: number
  readonly skills: RunView['skills']
}) {
  const { data, error, refetch } = useQuery({
    queryKey: ['evaluations', run, known, skills.length],
    queryFn: ({ signal }) =>
      getJson<EvaluationDetails>(`/api/runs/${encodeURIComponent(run)}/evaluations`, signal),
    placeholderData: before => before,
  })
  if (error !== null) return <Failed error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading what="the scores" />
  return (
    <section className="stack" aria-labelledby="scores">
      <h2 id="scores">Scores</h2>
      {skills.length > 0 && <SkillNames run={run} skills={skills} />}
      <SplitTable splits={data.splits} />
      {data.comparisons.map(comparison => (
        <Compared
          key={comparison.split}
          run={run}
          comparison={comparison}
          splits={data.splits.filter(({ split }) => split === comparison.split)}
          skills={skills}
        />
      ))}
    </section>
  )
}

function SkillNames({ run, skills }: { readonly run: string; readonly skills: RunView['skills'] }) {
  return (
    <ul className="row run-plain small" aria-label="Skills">
      {skills.map(({ name, skill }) => (
        <li key={`${name} ${skill}`}>
          <Link href={skillHref(run, skill)}>{visibleLine(name)}</Link>
        </li>
      ))}
    </ul>
  )
}

function SplitTable({ splits }: { readonly splits: readonly SplitResult[] }) {
  const hasSkills = splits.some(({ skill }) => skill !== '')
  const columns: Column<SplitResult>[] = [
    { key: 'split', name: 'split', header: true, cell: ({ split }) => splitNames[split] },
    ...(hasSkills
      ? [{ key: 'skill', name: 'skill', cell: ({ skill }: SplitResult) => visibleLine(skill) }]
      : []),
    {
      key: 'tasks',
      name: 'tasks',
      align: 'end',
      cell: ({ scored, failed }) =>
        failed > 0 ? `${count(scored)} (${count(failed)} failed)` : count(scored),
    },
    {
      key: 'score',
      name: 'score',
      align: 'end',
      cell: ({ scored, score }) => (scored === 0 ? 'none scored' : points(score)),
    },
    {
      key: 'interval',
      name: '95% interval',
      cell: ({ scored, interval }) =>
        scored === 0 ? '' : <IntervalBar {...interval} from={0} to={1} text={points} />,
    },
  ]
  return (
    <>
      <DataTable
        caption="Scores by split"
        columns={columns}
        rows={splits}
        rowKey={({ split, skill }) => `${split} ${skill}`}
      />
      {(['train', 'val', 'test'] as const).map(split => (
        <ByType key={split} split={split} results={splits.filter(one => one.split === split)} />
      ))}
    </>
  )
}

/** Scores by task type. Omitted if there is only one type, because its score equals that of the split. */
function ByType({ split, results }: { readonly split: Split; readonly results: readonly SplitResult[] }) {
  const types = [...new Set(results.flatMap(result => result.types.map(({ type }) => type)))]
  if (types.length < 2) return null
  const columns: Column<string>[] = [
    {
      key: 'type',
      name: 'type',
      header: true,
      cell: type => (type === '' ? '(no type)' : visibleLine(type)),
    },
    ...results.map(
      (result, index): Column<string> => ({
        key: `skill ${index}`,
        name: result.skill === '' ? 'score' : visibleLine(result.skill),
        cell: type => {
          const own = result.types.find(row => row.type === type)
          if (own === undefined || own.scored === 0) return '–'
          return (
            <span className="run-score">
              <span className="figures">{points(own.score)}</span>
              <IntervalBar {...own.interval} from={0} to={1} text={points} />
            </span>
          )
        },
      }),
    ),
  ]
  return (
    <details>
      <summary>
        By type of task, on {splitNames[split]} ({types.length})
      </summary>
      <DataTable
        caption={`Scores by type of task, on ${splitNames[split]}`}
        columns={columns}
        rows={types}
        rowKey={type => type}
      />
    </details>
  )
}

/** Several skills compared task by task on one split. */
function Compared({
  run,
  comparison,
  splits,
  skills,
}: {
  readonly run: string
  readonly comparison: Comparison
  readonly splits: readonly SplitResult[]
  readonly skills: RunView['skills']
}) {
  const { split, pairs, changed } = comparison
  const tasks = Math.max(...splits.map(({ scored, failed }) => scored + failed))
  const name = splitNames[split]
  const reach = Math.max(
    0.05,
    ...pairs.flatMap(({ difference: { low, high } }) => [Math.abs(low), Math.abs(high)]),
  )
  const columns: Column<SkillPair>[] = [
    {
      key: 'pair',
      name: 'compared',
      header: true,
      cell: ({ which, against }) => `${visibleLine(which)} against ${visibleLine(against)}`,
    },
    { key: 'tasks', name: 'tasks', align: 'end', cell: pair => count(pair.tasks) },
    { key: 'better', name: 'better', align: 'end', cell: ({ better }) => count(better) },
    { key: 'worse', name: 'worse', align: 'end', cell: ({ worse }) => count(worse) },
    {
      key: 'points',
      name: 'points',
      align: 'end',
      cell: ({ tasks: own, difference }) => (own === 0 ? 'unknown' : signedPoints(difference.mean)),
    },
    {
      key: 'interval',
      name: pairs.length > 1 ? `95% interval, for all ${pairs.length} pairs together` : '95% interval',
      cell: ({ tasks: own, difference }) =>
        own === 0 ? '' : <IntervalBar {...difference} from={-reach} to={reach} text={signedPoints} />,
    },
  ]
  return (
    <section className="run-tight" aria-labelledby={`compared-${split}`}>
      <h3 id={`compared-${split}`}>Task by task, on {name}</h3>
      <DataTable
        caption={`Skills compared on ${name}`}
        columns={columns}
        rows={pairs}
        rowKey={({ which, against }) => `${which} ${against}`}
      />
      {comparisonSentences({ pairs }, { tasks, labels: new Map() }).map(sentence => (
        <p key={sentence}>{visibleLine(sentence)}</p>
      ))}
      <Changed
        run={run}
        split={name}
        changed={changed}
        names={splits.map(({ skill }) => skill)}
        skills={skills}
      />
    </section>
  )
}

function Changed({
  run,
  split,
  changed,
  names,
  skills,
}: {
  readonly run: string
  readonly split: string
  readonly changed: readonly ChangedTask[]
  readonly names: readonly string[]
  readonly skills: RunView['skills']
}) {
  if (changed.length === 0) return <p className="muted">No {split} task came out differently.</p>
  const [left, right] = [skills[0]?.skill, skills[1]?.skill]
  const columns: Column<ChangedTask>[] = [
    {
      key: 'task',
      name: 'task',
      header: true,
      cell: ({ task }) => <Link href={attemptsHref(run, { task })}>{visibleLine(task).slice(0, 60)}</Link>,
    },
    { key: 'type', name: 'type', cell: ({ type }) => visibleLine(type) },
    ...names.map(
      (name, index): Column<ChangedTask> => ({
        key: `skill ${index}`,
        name: visibleLine(name),
        align: 'end',
        cell: ({ scores }) => {
          const score = scores[index]
          return score === undefined || score === null ? 'failed' : points(score)
        },
      }),
    ),
    ...(skills.length !== 2 || left === undefined || right === undefined
      ? []
      : [
          {
            key: 'compare',
            name: 'attempts',
            cell: ({ task }: ChangedTask) => (
              <Link
                href={compareHref(run, task, left, right)}
                aria-label={`side by side: ${visibleLine(task).slice(0, 60)}`}
              >
                side by side
              </Link>
            ),
          },
        ]),
  ]
  return (
    <details>
      <summary>
        {plural(changed.length, 'task')} of {split} that came out differently
      </summary>
      <DataTable
        caption={`Tasks of ${split} that changed`}
        columns={columns}
        rows={changed.slice(0, mostChanges)}
        rowKey={({ task }) => task}
      />
      {changed.length > mostChanges && (
        <p className="small muted">
          And {count(changed.length - mostChanges)} more: <Link href={attemptsHref(run)}>all attempts</Link>.
        </p>
      )}
    </details>
  )
}
