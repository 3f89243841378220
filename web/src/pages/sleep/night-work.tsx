import { Link } from 'wouter'
import type { SleepNight, SleepNightTarget } from '../../../../src/dashboard/contract/sleep.js'
import { Badge, type BadgeTone } from '../../parts/badge.js'
import { count, plural } from '../../parts/format.js'
import { type Column, DataTable } from '../../parts/table.js'
import { scoreText } from './words.js'

/** The targets of a night and the runs that trained them. */
export function NightWork({ data: { night, plan, mining } }: { readonly data: SleepNight }) {
  if (night.targets.length === 0 && plan === undefined && mining === undefined) return null
  return (
    <section className="stack" aria-labelledby="night-work">
      <h2 id="night-work">What it did</h2>
      {plan !== undefined && <p>{planText(plan)}</p>}
      {mining !== undefined && (
        <p>
          <Link href={`~/runs/${encodeURIComponent(mining)}`}>The run that made tasks of your sessions</Link>
        </p>
      )}
      {night.targets.length > 0 && (
        <DataTable
          caption="Documents that the night trained"
          columns={columns}
          rows={night.targets}
          rowKey={({ name }) => name}
          cards
        />
      )}
      {plan !== undefined && <Plan plan={plan} />}
    </section>
  )
}

type NightPlan = NonNullable<SleepNight['plan']>

function planText({ sessions, tasks, targets }: NightPlan): string {
  const { real, dream, recalled } = tasks
  const more = [
    ...(dream === 0 ? [] : [`${plural(dream, 'dream')} of a model`]),
    ...(recalled === 0 ? [] : [`${count(recalled)} recalled from earlier nights`]),
  ]
  const besides = more.length === 0 ? '' : `, besides ${more.join(' and ')}`
  return `It read ${plural(sessions, 'session')} and worked with ${plural(real, 'real task')}${besides}, on ${plural(targets.length, 'document')}.`
}

const statusTones: Readonly<Record<NonNullable<SleepNightTarget['status']>, BadgeTone>> = {
  learned: 'good',
  'nothing-learned': 'plain',
  skipped: 'warn',
}

const columns: readonly Column<SleepNightTarget>[] = [
  { key: 'name', name: 'Document', header: true, cell: ({ name }) => name },
  {
    key: 'status',
    name: 'What came of it',
    cell: ({ status, reason }) => (
      <>
        {status === undefined ? (
          <Badge tone="info">under way</Badge>
        ) : (
          <Badge tone={statusTones[status]}>{status.replaceAll('-', ' ')}</Badge>
        )}{' '}
        {reason}
      </>
    ),
  },
  {
    key: 'test',
    name: 'On tasks that the night had not seen',
    cell: ({ test }) =>
      test === undefined ? (
        <span className="muted">not tested</span>
      ) : (
        `${scoreText(test.before)} → ${scoreText(test.after)}, ${plural(test.tasks, 'task')}`
      ),
  },
  {
    key: 'run',
    name: 'Training',
    cell: ({ name, run }) =>
      run === undefined ? (
        <span className="muted">not among the runs shown</span>
      ) : (
        <Link href={`~/runs/${encodeURIComponent(run)}`} aria-label={`The training of ${name}`}>
          Open
        </Link>
      ),
  },
]

function Plan({ plan: { models, targets, skipped } }: { readonly plan: NightPlan }) {
  return (
    <details>
      <summary>Its plan: models, files and what was left out</summary>
      <div className="stack sleep-inside">
        {models.length > 0 && (
          <dl className="sleep-terms">
            {models.map(({ role, model }) => (
              <div key={role}>
                <dt>{role}</dt>
                <dd>{model}</dd>
              </div>
            ))}
          </dl>
        )}
        <ul className="sleep-plain">
          {targets.map(({ name, path, tasks }) => (
            <li key={name}>
              {name}: <code className="sleep-wrap">{path}</code>, {plural(tasks, 'task')}
            </li>
          ))}
          {skipped.map(({ name, reason }) => (
            <li key={name}>
              {name} was left out: {reason}
            </li>
          ))}
        </ul>
      </div>
    </details>
  )
}
