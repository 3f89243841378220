import { Link } from 'wouter'
import type { SleepTaskLine, SleepTasks } from '../../../../src/dashboard/contract/sleep.js'
import { useQuery } from '../../parts/address.js'
import { Badge } from '../../parts/badge.js'
import { count, plural, visibleLine } from '../../parts/format.js'
import { Empty } from '../../parts/states.js'
import { type Column, DataTable, nextSort, sortFromText, sortToText } from '../../parts/table.js'
import { Answered, Command, SleepHeader, Word } from './parts.js'
import { groupFrom, inGroup, taskGroups, tasksShown } from './task-list.js'
import { useSleep } from './use-sleep.js'
import { splitMeanings, whenText } from './words.js'

/** The recurring tasks of a project with their evidence. */
export function TasksPage({ project }: { readonly project: string }) {
  const query = useSleep<SleepTasks>(project, 'tasks')
  return (
    <>
      <SleepHeader project={project} folder={query.data?.project.folder} title="What recurs" trail={[]} />
      <Answered query={query} what="the tasks">
        {data =>
          data.tasks.length === 0 && data.passedOver.length === 0 ? (
            <Nothing data={data} />
          ) : (
            <TaskList project={project} data={data} />
          )
        }
      </Answered>
    </>
  )
}

function Nothing({ data: { harvestedAt, sessions, commands } }: { readonly data: SleepTasks }) {
  const read = sessions.reduce((sum, one) => sum + one.sessions, 0)
  return harvestedAt === undefined ? (
    <Empty title="No sessions were read yet.">
      <p>Tasks are made of what you ask your agents for again and again.</p>
      <Command text={commands.harvest} does="To see what recurs in your sessions; no model is asked:" />
      <Command text={commands.run} does="To learn from it, which is a night:" />
    </Empty>
  ) : (
    <Empty title="Nothing recurs yet.">
      <p>
        {plural(read, 'session')} were read {whenText(harvestedAt)}, and nothing was asked for on several
        occasions. Another night looks again when there are more.
      </p>
      <Command
        text={commands.harvest}
        does="To look again now, and see what was left out; no model is asked:"
      />
    </Empty>
  )
}

function TaskList({ project, data }: { readonly project: string; readonly data: SleepTasks }) {
  const [query, change] = useQuery()
  const group = groupFrom(query.get('show'))
  const words = query.get('words') ?? ''
  const sort = sortFromText(query.get('sort'))
  const shown = tasksShown(data.tasks, { group, words, sort })
  const unread = data.tasks.filter(({ reviewed, droppedAt }) => !reviewed && droppedAt === undefined).length
  return (
    <section className="stack" aria-label="Tasks">
      <p className="muted">{harvestText(data)}</p>
      <div className="row">
        <div className="field">
          <label htmlFor="sleep-show">Show</label>
          <select
            id="sleep-show"
            value={group}
            onChange={event =>
              change({ show: event.target.value === 'all' ? undefined : event.target.value })
            }
          >
            {taskGroups.map(name => (
              <option key={name} value={name}>
                {name} ({count(inGroup(data.tasks, name).length)})
              </option>
            ))}
          </select>
        </div>
        <div className="field sleep-search">
          <label htmlFor="sleep-words">Find words</label>
          <input
            id="sleep-words"
            type="search"
            value={words}
            onChange={event => change({ words: event.target.value })}
          />
        </div>
      </div>
      <p role="status" className="visually-hidden">
        {plural(shown.length, 'task')} shown.
      </p>
      {shown.length === 0 ? (
        <Empty title="No task matches.">
          <p>
            <button type="button" onClick={() => change({ show: undefined, words: undefined })}>
              Show all tasks
            </button>
          </p>
        </Empty>
      ) : (
        <DataTable
          caption="Tasks with how often they came up"
          columns={columnsFor(project)}
          rows={shown}
          rowKey={({ id }) => id}
          {...(sort === undefined ? {} : { sort })}
          onSort={key => change({ sort: sortToText(nextSort(sort, key, key !== 'task')) })}
          cards
        />
      )}
      {unread > 0 && (
        <Command
          text={data.commands.exportTasks}
          does={`${plural(unread, 'task')} ${unread === 1 ? 'was' : 'were'} not reviewed by a person. To write a file to read and mend:`}
        />
      )}
      <PassedOver passedOver={data.passedOver} />
    </section>
  )
}

function harvestText({ harvestedAt, sessions }: SleepTasks): string {
  if (harvestedAt === undefined) return 'No sessions were read yet: these tasks came from a file.'
  const read = sessions.map(
    ({ source, sessions: number }) => `${plural(number, 'session')} of ${visibleLine(source)}`,
  )
  return `Read ${whenText(harvestedAt)}${read.length === 0 ? '' : `: ${read.join(', ')}`}.`
}

const columnsFor = (project: string): readonly Column<SleepTaskLine>[] => [
  {
    key: 'task',
    name: 'Task',
    header: true,
    sort: true,
    cell: ({ id, intent }) => (
      <Link className="sleep-intent" href={`/${encodeURIComponent(project)}/tasks/${encodeURIComponent(id)}`}>
        {visibleLine(intent)}
      </Link>
    ),
  },
  { key: 'split', name: 'Split', cell: task => <TaskMarks task={task} /> },
  { key: 'occasions', name: 'Times', align: 'end', sort: true, cell: ({ occasions }) => count(occasions) },
  { key: 'days', name: 'Days', align: 'end', sort: true, cell: ({ days }) => count(days) },
  { key: 'sessions', name: 'Sessions', align: 'end', sort: true, cell: ({ sessions }) => count(sessions) },
  { key: 'reworked', name: 'Reworked', align: 'end', sort: true, cell: ({ reworked }) => count(reworked) },
  {
    key: 'last',
    name: 'Last',
    sort: true,
    cell: ({ lastAt }) =>
      lastAt === undefined ? (
        <span className="muted">unknown</span>
      ) : (
        <time dateTime={lastAt}>{whenText(lastAt)}</time>
      ),
  },
  {
    key: 'scored',
    name: 'Scored by',
    cell: ({ scoredBy }) => (scoredBy === 'nothing' ? <Badge tone="warn">nothing</Badge> : scoredBy),
  },
]

export function TaskMarks({
  task: { split, origin, droppedAt },
}: {
  readonly task: Pick<SleepTaskLine, 'split' | 'origin' | 'droppedAt'>
}) {
  return (
    <span className="row">
      <Word tone="info" meaning={splitMeanings[split]}>
        {split}
      </Word>
      {origin !== 'real' && <Word meaning={originMeanings[origin]}>{origin}</Word>}
      {droppedAt !== undefined && (
        <Word
          tone="warn"
          meaning="A person does not want it: nights do not use it, and no harvest brings it back."
        >
          dropped
        </Word>
      )}
    </span>
  )
}

const originMeanings = {
  dream: 'Made up by a model from a real one, for practice only.',
  recalled: 'From an earlier night.',
} as const

function PassedOver({ passedOver }: Pick<SleepTasks, 'passedOver'>) {
  if (passedOver.length === 0) return null
  return (
    <details>
      <summary>What recurs and no task was made of ({count(passedOver.length)})</summary>
      <ul className="sleep-quotes">
        {passedOver.map(({ text, reason, at }) => (
          <li key={`${at} ${text}`}>
            <p className="sleep-words">{text}</p>
            <p className="small muted">
              {reason} ({whenText(at)})
            </p>
          </li>
        ))}
      </ul>
    </details>
  )
}
