import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { SleepOverview } from '../../../../src/dashboard/contract/sleep.js'
import { postJson } from '../../api/client.js'
import { Command, Notice, Refusal } from './parts.js'
import { askAgain, sleepPath } from './use-sleep.js'
import { whenText } from './words.js'

/** Warnings about damaged, unfinished or pending work, with what to do. */
export function Trouble({
  project,
  overview,
}: {
  readonly project: string
  readonly overview: SleepOverview
}) {
  const { line, unfinished } = overview
  return (
    <>
      {line.problems.map(problem => (
        <Notice key={problem} tone="bad" title={problem} />
      ))}
      {unfinished !== undefined && <Unfinished project={project} sentence={unfinished} />}
      <OpenNight project={project} overview={overview} />
    </>
  )
}

function Unfinished({ project, sentence }: { readonly project: string; readonly sentence: string }) {
  const queries = useQueryClient()
  const settle = useMutation({
    mutationFn: () => postJson<{ readonly settled?: string }>(sleepPath(project, 'settle'), {}),
    onSettled: () => askAgain(queries),
  })
  return (
    <Notice tone="warn" title={sentence}>
      <p>If nothing is at work on it, it can be brought to its end, or be put back as it was.</p>
      {settle.error !== null && <Refusal error={settle.error} />}
      <p className="row">
        <button type="button" disabled={settle.isPending} onClick={() => settle.mutate()}>
          Put it in order
        </button>
        <span role="status">{settle.data?.settled}</span>
      </p>
    </Notice>
  )
}

/** Notice about a night that has started but not ended. */
export function OpenNight({
  project,
  overview: { openNight, commands },
  isHere = false,
}: {
  readonly project: string
  readonly overview: SleepOverview
  /** True on the night's own page, where a link to it is not needed. */
  readonly isHere?: boolean
}) {
  if (openNight === undefined) return null
  const { number, at, isAtWork, prompts } = openNight
  const begun = `Night ${number}, begun ${whenText(at)},`
  const link = !isHere && (
    <p>
      <Link href={`/${encodeURIComponent(project)}/nights/${number}`}>What it has done so far</Link>
    </p>
  )
  if (isAtWork) {
    return (
      <Notice tone="info" title={`${begun} is at work.`}>
        {link}
      </Notice>
    )
  }
  return prompts === undefined ? (
    <Notice tone="warn" title={`${begun} was stopped.`}>
      {link}
      <Command text={commands.run} does="To go on with it where it stopped:" />
    </Notice>
  ) : (
    <Notice tone="warn" title={`${begun} waits for answers.`}>
      <p>
        <code className="sleep-wrap">{prompts}</code> says what is asked, and how to answer.
      </p>
      <Command text={commands.run} does="Then, to go on:" />
    </Notice>
  )
}
