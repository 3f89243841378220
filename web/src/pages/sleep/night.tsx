import { useState } from 'react'
import type { SleepChanged, SleepNight } from '../../../../src/dashboard/contract/sleep.js'
import { count } from '../../parts/format.js'
import { Stat, Stats } from '../../parts/stat.js'
import { NightWork } from './night-work.js'
import { OutcomeWord, ProposalWord } from './nights.js'
import { Answered, Notice, SleepHeader } from './parts.js'
import { Proposal } from './proposal.js'
import { Done, Receipts } from './receipts.js'
import { OpenNight } from './trouble.js'
import { useNight, useOverview } from './use-sleep.js'
import { capText, costText, spentText, whenText } from './words.js'

/** One night: its work, its proposal and the outcome. */
export function NightPage({ project, night: number }: { readonly project: string; readonly night: string }) {
  const query = useNight(project, number)
  const { data } = query
  const end = data?.night.end
  return (
    <>
      <SleepHeader
        project={project}
        folder={data?.project.folder}
        title={`Night ${number}`}
        trail={[]}
        badges={
          <>
            {end !== undefined && <OutcomeWord outcome={end.outcome} simulated={end.simulated} />}
            {data?.night.proposal !== undefined && <ProposalWord state={data.night.proposal} />}
          </>
        }
      />
      <Answered query={query} what="the night">
        {night => <Night project={project} number={number} data={night} />}
      </Answered>
    </>
  )
}

function Night({
  project,
  number,
  data,
}: {
  readonly project: string
  readonly number: string
  readonly data: SleepNight
}) {
  const [done, setDone] = useState<SleepChanged>()
  const { night, proposal, problem, receipts } = data
  return (
    <div className="stack">
      {done !== undefined && <Done changed={done} />}
      {night.end === undefined ? (
        <Begun project={project} data={data} />
      ) : (
        <Ended end={night.end} data={data} />
      )}
      <NightWork data={data} />
      {receipts.length > 0 && (
        <section className="stack" aria-labelledby="night-receipts">
          <h2 id="night-receipts">What was adopted of it</h2>
          <Receipts project={project} receipts={receipts} onDone={setDone} />
        </section>
      )}
      {problem !== undefined && <Notice tone="bad" title={problem} />}
      {proposal !== undefined && (
        <Proposal
          project={project}
          night={number}
          proposal={proposal}
          simulated={night.end?.simulated === true}
          adopted={receipts
            .filter(({ stands }) => stands)
            .flatMap(({ files }) => files.map(({ name }) => name))}
          onDone={setDone}
        />
      )}
      {proposal === undefined && problem === undefined && night.end !== undefined && (
        <p className="muted">It proposes nothing: there is nothing to decide.</p>
      )}
    </div>
  )
}

function Begun({ project, data: { night } }: { readonly project: string; readonly data: SleepNight }) {
  const overview = useOverview(project).data
  return overview?.openNight?.number === night.number ? (
    <OpenNight project={project} overview={overview} isHere />
  ) : (
    <p>It began {whenText(night.begunAt)}, and has no end.</p>
  )
}

function Ended({
  end,
  data: { night },
}: {
  readonly end: NonNullable<SleepNight['night']['end']>
  readonly data: SleepNight
}) {
  return (
    <>
      {/* With targets, each target states its own result and figures. */}
      {night.targets.length === 0 && <p className="sleep-words">{end.reason}</p>}
      {end.capped !== undefined && <Notice tone="warn" title={capText(end.capped)} />}
      <Stats>
        <Stat label="Ended" value={whenText(end.at)} note={`begun ${whenText(night.begunAt)}`} />
        <Stat label="Sessions read" value={count(end.sessions)} />
        <Stat label="Tasks" value={count(end.tasks)} />
        <Stat
          label="Cost"
          value={costText(end.spent)}
          note={end.spent.calls === 0 ? undefined : spentText(end.spent)}
        />
      </Stats>
    </>
  )
}
