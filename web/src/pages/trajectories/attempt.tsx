import { useQuery as useFetched } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { AttemptDetail } from '../../../../src/dashboard/contract/attempts.js'
import { getJson } from '../../api/client.js'
import { useQuery, withChange } from '../../parts/address.js'
import { plural, visibleLine, when } from '../../parts/format.js'
import { Failed, Loading } from '../../parts/states.js'
import { ArrivalTitle } from './arrival.js'
import { Conversation } from './conversation.js'
import { attemptsPath, filterOf } from './filters.js'
import { CompareWith, OtherAttempts } from './other-attempts.js'
import { placeOf } from './outcome.js'
import { SkillLink } from './skill-link.js'
import { TextFormChoice, useTextForm } from './text-form.js'
import { Figures, Reasons } from './verdict.js'

/** Fetches an attempt. The attempt itself never changes, but others at the same task may be added. */
export function useAttempt(run: string, seq: string) {
  return useFetched({
    queryKey: ['attempt', run, seq],
    queryFn: ({ signal }) =>
      getJson<AttemptDetail>(`${attemptsPath(run)}/${encodeURIComponent(seq)}`, signal),
  })
}

/** One attempt: its outcome, the reasons, and the conversation. */
export function AttemptPage({ run, seq }: { readonly run: string; readonly seq: string }) {
  const { data, error, refetch } = useAttempt(run, seq)
  return (
    <div className="stack">
      <BackToList />
      {error !== null ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading what="the attempt" />
      ) : (
        <Attempt run={run} detail={data} />
      )}
    </div>
  )
}

/** Link back to the list, with the same filters. */
function BackToList() {
  const [query] = useQuery()
  const list = withChange(query, { text: undefined })
  const isFiltered = filterOf(query).size > 0
  return (
    <p className="small">
      <Link href={`/${list.size === 0 ? '' : `?${list}`}`}>
        ← {isFiltered ? 'The attempts that match' : 'All attempts'}
      </Link>
    </p>
  )
}

function Attempt({ run, detail }: { readonly run: string; readonly detail: AttemptDetail }) {
  const { line, messageCount } = detail
  const form = useTextForm()
  return (
    <article className="stack" aria-labelledby="attempt">
      <header className="attempt-head">
        <ArrivalTitle id="attempt">{visibleLine(line.task)}</ArrivalTitle>
        <p className="row small muted">
          <span>
            with <SkillLink run={run} skill={line.skill} />
          </span>
          <span>{placeOf(line)}</span>
          {line.split !== undefined && <span>{line.split === 'val' ? 'validation' : line.split} split</span>}
          {line.type !== '' && <span>type {visibleLine(line.type)}</span>}
          <time dateTime={new Date(line.at).toISOString()}>{when(line.at)}</time>
        </p>
      </header>
      <Figures detail={detail} />
      <div className="spread">
        <CompareWith key={line.seq} detail={detail} />
        <ComparePair task={line.task} />
      </div>
      <div className="attempt-columns">
        <div className="stack">
          <Reasons run={run} detail={detail} form={form} level={3} />
          <section className="stack" aria-labelledby="conversation">
            <header className="spread">
              <h3 id="conversation">
                Conversation <span className="muted figures">({plural(messageCount, 'message')})</span>
              </h3>
              <TextFormChoice />
            </header>
            <Conversation run={run} detail={detail} form={form} level={4} prefix="" />
          </section>
        </div>
        <OtherAttempts detail={detail} />
      </div>
    </article>
  )
}

/** Link to the comparison of two skills at this task, if the list is filtered by these skills. */
function ComparePair({ task }: { readonly task: string }) {
  const [query] = useQuery()
  const [from, to] = [query.get('from'), query.get('to')]
  if (from === null || to === null) return null
  return (
    <Link href={`/compare?${new URLSearchParams({ task, from, to })}`}>
      This task with {visibleLine(from)} and with {visibleLine(to)}
    </Link>
  )
}
