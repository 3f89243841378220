import { useCallback, useEffect, useMemo, useState } from 'react'
import { Link } from 'wouter'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { ApiError } from '../../api/client.js'
import { useQuery } from '../../parts/address.js'
import { count, plural } from '../../parts/format.js'
import { PageTitle } from '../../parts/page-title.js'
import { Empty, Failed, Loading } from '../../parts/states.js'
import { nextSort, sortToText } from '../../parts/table.js'
import { chosenIn, toggled } from './choice.js'
import { ChoiceBar } from './choice-bar.js'
import { FilterBar } from './filter-bar.js'
import { filterNames, filterOf, isLargestFirst, matching, sortOf, sortRuns } from './filters.js'
import { NoneYet } from './none-yet.js'
import { RunTable } from './run-table.js'
import { useRuns } from './runs-store.js'
import './runs.css'

/** All runs in the chosen folders, updated live. */
export default function Runs() {
  const { runs, connection, refusal, again } = useRuns()
  return (
    <div className="stack">
      <div className="spread">
        <PageTitle>Runs</PageTitle>
        {runs !== undefined && runs.length > 0 && (
          <Link className="button" href="~/launch">
            Train a skill
          </Link>
        )}
      </div>
      {refusal !== undefined && <Failed error={refusal} retry={again} />}
      {runs === undefined &&
        refusal === undefined &&
        (connection === 'lost' ? <Failed error={noAnswer} retry={again} /> : <Loading what="the runs" />)}
      {runs !== undefined && (runs.length === 0 ? <NoneYet /> : <List runs={runs} />)}
    </div>
  )
}

const noAnswer = new ApiError(
  'The dashboard’s server does not answer.',
  'Start `skillopt view` again; the page goes on by itself.',
  0,
)

/** Number of rows added at a time. More would make the page slow. */
const rowsAtOnce = 100

function List({ runs }: { readonly runs: readonly RunSummary[] }) {
  const [query, change] = useQuery()
  const address = query.toString()
  const { shown, sort } = useMemo(() => {
    const asked = new URLSearchParams(address)
    const wanted = sortOf(asked)
    return { shown: sortRuns(matching(runs, filterOf(asked)), wanted), sort: wanted }
  }, [runs, address])
  const now = useMinute()
  const rowCount = rowsIn(query)
  const rows = useMemo(() => shown.slice(0, rowCount), [shown, rowCount])

  const byId = useMemo(() => new Map(runs.map(run => [run.id, run])), [runs])
  const chosen = useMemo(
    () => chosenIn(new URLSearchParams(address)).filter(id => byId.has(id)),
    [address, byId],
  )
  const toggle = useCallback((id: string) => change({ run: toggled(chosen, id) }), [change, chosen])
  const sortBy = useCallback(
    (key: string) => change({ sort: sortToText(nextSort(sort, key, isLargestFirst(key))) }),
    [change, sort],
  )
  const clear = () => change(Object.fromEntries(filterNames.map(name => [name, undefined])))
  const left = shown.length - rows.length
  return (
    <>
      <FilterBar runs={runs} clear={clear} />
      <p role="status" className="figures small">
        {shown.length === runs.length ? (
          plural(runs.length, 'run')
        ) : (
          <>
            <strong>{count(shown.length)}</strong> of {plural(runs.length, 'run')}
          </>
        )}
      </p>
      {shown.length === 0 ? (
        <Empty title="No run matches.">
          <p>
            <button type="button" onClick={clear}>
              Take the filters away
            </button>
          </p>
        </Empty>
      ) : (
        <RunTable runs={rows} sort={sort} onSort={sortBy} chosen={chosen} toggle={toggle} now={now} />
      )}
      {left > 0 && (
        <p className="row">
          <button type="button" onClick={() => change({ shown: String(rowCount + rowsAtOnce) })}>
            Show {count(Math.min(left, rowsAtOnce))} more
          </button>
          <span className="small muted figures">{count(left)} are not shown</span>
        </p>
      )}
      <ChoiceBar
        chosen={chosen}
        names={chosen.map(id => byId.get(id)?.name ?? id)}
        hidden={chosen.filter(id => !shown.some(run => run.id === id)).length}
        clear={() => change({ run: undefined })}
      />
    </>
  )
}

/** Number of rows to show. It is in the URL, so that going back restores the position. */
function rowsIn(query: URLSearchParams): number {
  const asked = Number(query.get('shown') ?? rowsAtOnce)
  return Number.isSafeInteger(asked) && asked > rowsAtOnce ? asked : rowsAtOnce
}

/** The current time, for "5 min ago". */
function useMinute(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
