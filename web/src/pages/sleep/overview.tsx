import { useState } from 'react'
import { Link } from 'wouter'
import type { SleepChanged, SleepOverview } from '../../../../src/dashboard/contract/sleep.js'
import { SimulatedBadge } from '../../parts/badge.js'
import { count, plural } from '../../parts/format.js'
import { Stat, Stats } from '../../parts/stat.js'
import { Empty } from '../../parts/states.js'
import { Nights } from './nights.js'
import { Answered, Command, SleepHeader } from './parts.js'
import { Done, Receipts } from './receipts.js'
import { Trouble } from './trouble.js'
import { useOverview } from './use-sleep.js'
import { costText, scheduleText, splits, whenText } from './words.js'

/** Overview of a project: pending review, nights, adoptions and the next scheduled night. */
export function OverviewPage({ project }: { readonly project: string }) {
  const query = useOverview(project)
  const folder = query.data?.line.folder
  return (
    <>
      <SleepHeader
        project={project}
        folder={folder}
        title={`Sleep${folder === undefined ? '' : ` in ${folder}`}`}
      />
      <Answered query={query} what="the project">
        {overview =>
          isUntouched(overview) ? (
            <FirstSteps overview={overview} />
          ) : (
            <Overview project={project} overview={overview} />
          )
        }
      </Answered>
    </>
  )
}

const isUntouched = ({ line }: SleepOverview): boolean =>
  !line.isKnown && line.schedule === undefined && line.problems.length === 0

function FirstSteps({ overview: { line, commands } }: { readonly overview: SleepOverview }) {
  return (
    <Empty title="Sleep knows nothing of this project yet.">
      <p>
        It reads the sessions that your agents keep on this machine, finds what you ask for again and again in{' '}
        <code>{line.folder}</code>, and proposes what they should know. Nothing is written without you.
      </p>
      <Command text={commands.harvest} does="To see what recurs in your sessions; no model is asked:" />
      <Command
        text={commands.run}
        does="To learn from it, which is a night. It says first what it would cost:"
      />
      <Command text={commands.schedule} does="To have nights run by themselves:" />
    </Empty>
  )
}

function Overview({ project, overview }: { readonly project: string; readonly overview: SleepOverview }) {
  const [done, setDone] = useState<SleepChanged>()
  const { line, nights, receipts, commands, openNight } = overview
  return (
    <div className="stack">
      <Trouble project={project} overview={overview} />
      {done !== undefined && <Done changed={done} />}
      <Waiting project={project} overview={overview} />
      <Figures overview={overview} />
      <section className="stack" aria-labelledby="sleep-nights">
        <h2 id="sleep-nights">Nights</h2>
        {nights.length === 0 ? (
          <Empty title="No night yet.">
            <p>
              A night learns from what recurs, and puts up for review what did better on tasks it had not
              seen.
            </p>
            <Command text={commands.run} does="To begin one; it says first what it would cost:" />
          </Empty>
        ) : (
          <>
            <Nights
              project={project}
              nights={nights}
              atWork={openNight?.isAtWork === true ? openNight.number : undefined}
            />
            {openNight === undefined && (
              <Command text={commands.run} does="Another night, without waiting for the next one:" />
            )}
          </>
        )}
      </section>
      <section className="stack" aria-labelledby="sleep-adoptions">
        <h2 id="sleep-adoptions">Adoptions</h2>
        {receipts.length === 0 ? (
          <p className="muted">Nothing of a night was adopted yet: all files are as you wrote them.</p>
        ) : (
          <Receipts project={project} receipts={receipts} onDone={setDone} />
        )}
      </section>
      <Schedule project={project} overview={overview} />
      <p className="small muted">
        What Sleep knows of {line.folder} is kept in <code>{overview.keptIn}</code>.
      </p>
    </div>
  )
}

function Waiting({
  project,
  overview: { waiting },
}: {
  readonly project: string
  readonly overview: SleepOverview
}) {
  if (waiting === undefined) return null
  const { night, madeAt, simulated, targets, edits, changed } = waiting
  return (
    <section className="panel sleep-waiting" aria-labelledby="sleep-waiting">
      <div className="row">
        <h2 id="sleep-waiting">Waits for your review</h2>
        {simulated && <SimulatedBadge />}
      </div>
      <p>
        Night {night} proposes {plural(edits, 'edit')} for {targets.join(', ')}, since{' '}
        <time dateTime={madeAt}>{whenText(madeAt)}</time>.
      </p>
      {changed.map(sentence => (
        <p key={sentence} className="warn">
          {sentence}
        </p>
      ))}
      <p>
        <Link className="button primary" href={`/${encodeURIComponent(project)}/nights/${night}`}>
          Review the proposal
        </Link>
      </p>
    </section>
  )
}

function Figures({ overview: { line, nights, tasks, receipts } }: { readonly overview: SleepOverview }) {
  const last = nights.find(({ end }) => end !== undefined)?.end
  const bySplit = splits.flatMap(split =>
    tasks.splits[split] === 0 ? [] : [`${tasks.splits[split]} ${split}`],
  )
  const total = splits.reduce((sum, split) => sum + tasks.splits[split], 0)
  const standing = receipts.filter(({ stands }) => stands)
  const newest = standing.find(({ isNewest }) => isNewest)
  return (
    <Stats>
      <Stat
        label="Last night"
        value={last === undefined ? 'none yet' : last.outcome.replaceAll('-', ' ')}
        note={last === undefined ? undefined : `${whenText(last.at)}, cost: ${costText(last.spent)}`}
      />
      <Stat
        label="Tasks"
        value={count(total)}
        note={[...bySplit, ...(tasks.dropped === 0 ? [] : [`${tasks.dropped} dropped`])].join(', ')}
      />
      <Stat
        label="Sessions read"
        value={tasks.harvestedAt === undefined ? 'not yet' : whenText(tasks.harvestedAt)}
      />
      <Stat
        label="Adopted"
        value={standing.length === 0 ? 'nothing' : plural(standing.length, 'adoption')}
        note={newest === undefined ? undefined : `${newest.label}, ${whenText(newest.at)}`}
      />
      <Stat
        label="Next night"
        value={line.schedule?.next === undefined ? 'not scheduled' : whenText(line.schedule.next)}
        note={line.schedule === undefined ? undefined : `by ${line.schedule.system}`}
      />
    </Stats>
  )
}

function Schedule({
  project,
  overview: { line, log, commands },
}: {
  readonly project: string
  readonly overview: SleepOverview
}) {
  const { schedule } = line
  return (
    <section className="panel" aria-labelledby="sleep-schedule">
      <h2 id="sleep-schedule">Schedule</h2>
      {schedule === undefined ? (
        <>
          <p>Nights do not run by themselves in this project.</p>
          <Command
            text={commands.schedule}
            does="To have one every night, with a limit on what it may cost:"
          />
        </>
      ) : (
        <>
          <p>{scheduleText(schedule)}</p>
          {schedule.problem !== undefined && <p className="warn">{schedule.problem}</p>}
          {schedule.command !== undefined && (
            <p className="small muted">
              It runs <code className="sleep-wrap">{schedule.command}</code>
            </p>
          )}
          <Command text={commands.unschedule} does="To stop that:" />
        </>
      )}
      <p className="small">
        What scheduled nights print is in <code>{log}</code>:{' '}
        <Link href={`/${encodeURIComponent(project)}/log`}>read its end</Link>.
      </p>
    </section>
  )
}
