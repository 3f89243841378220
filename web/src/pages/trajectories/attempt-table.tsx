import { useQueries } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link, useLocation } from 'wouter'
import {
  type AttemptLine,
  type AttemptPage,
  type AttemptSort,
  attemptSorts,
} from '../../../../src/dashboard/contract/attempts.js'
import { getJson } from '../../api/client.js'
import { useQuery } from '../../parts/address.js'
import { visibleLine, when } from '../../parts/format.js'
import { Failed } from '../../parts/states.js'
import { attemptsPath } from './filters.js'
import { endOf, OutcomeBadge, placeOf, scoresOf } from './outcome.js'
import { useRowKeys } from './use-row-keys.js'
import { useWindow } from './use-window.js'

const pageSize = 200
const columnCount = 8

/**
 * A virtualized table: only visible rows are rendered, with spacers above and below. Rows are loaded as the
 * user scrolls.
 */
export function AttemptTable({
  run,
  filter,
  known,
  total,
}: {
  readonly run: string
  readonly filter: URLSearchParams
  readonly known: number
  readonly total: number
}) {
  const [query, change] = useQuery()
  const sort = attemptSorts.find(each => each === query.get('sort')) ?? '-time'
  const box = useRef<HTMLElement>(null)
  const { start, end, rowHeight } = useWindow(box, `${run} ${filter} ${sort}`, total)
  const onKeyDown = useRowKeys(box, total, rowHeight)
  const pages = pagesFor(start, end)
  const asked = new URLSearchParams([...filter, ['sort', sort], ['until', String(known)]]).toString()
  const fetched = useQueries({
    queries: pages.map(page => ({
      queryKey: ['attempts', run, asked, page],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        getJson<AttemptPage>(
          `${attemptsPath(run)}?${asked}&offset=${page * pageSize}&limit=${pageSize}`,
          signal,
        ),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  })
  const error = fetched.find(each => each.error !== null)
  if (error !== undefined) return <Failed error={error.error} retry={() => void error.refetch()} />
  const lineAt = (index: number) => {
    const page = fetched[pages.indexOf(Math.floor(index / pageSize))]?.data
    return page?.lines[index % pageSize]
  }
  const sortBy = (column: 'time' | 'task' | 'score') =>
    change({ sort: sort === column ? `-${column}` : sort === `-${column}` ? column : firstFor[column] })
  return (
    <>
      <section
        className="table-box attempts-box"
        aria-label="List of attempts"
        aria-describedby="attempts-keys"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        ref={box}
        onKeyDown={onKeyDown}
      >
        <table aria-rowcount={total + 1}>
          <caption className="visually-hidden">Attempts</caption>
          <thead>
            <tr aria-rowindex={1}>
              <SortHead name="Task" column="task" sort={sort} sortBy={sortBy} />
              <th scope="col">Outcome</th>
              <SortHead name="Score" column="score" sort={sort} sortBy={sortBy} />
              <th scope="col">Skill</th>
              <th scope="col">Where</th>
              <th scope="col">Type</th>
              <th scope="col">Ended by</th>
              <SortHead name="Time" column="time" sort={sort} sortBy={sortBy} />
            </tr>
          </thead>
          <Room rows={start} rowHeight={rowHeight} />
          <tbody>
            {Array.from({ length: end - start }, (_, at) => (
              <Row key={start + at} index={start + at} line={lineAt(start + at)} />
            ))}
          </tbody>
          <Room rows={total - end} rowHeight={rowHeight} />
        </table>
      </section>
      <p className="small muted" id="attempts-keys">
        In the list, <kbd>↓</kbd> and <kbd>↑</kbd> or <kbd>j</kbd> and <kbd>k</kbd> go from attempt to
        attempt, and <kbd>Enter</kbd> opens it.
      </p>
    </>
  )
}

const firstFor = { time: '-time', task: 'task', score: 'score' } as const

function pagesFor(start: number, end: number): readonly number[] {
  const first = Math.floor(start / pageSize)
  const last = Math.floor(Math.max(start, end - 1) / pageSize)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

function Room({ rows, rowHeight }: { readonly rows: number; readonly rowHeight: number }) {
  if (rows <= 0) return null
  return (
    <tbody aria-hidden="true" className="attempts-room">
      <tr>
        <td colSpan={columnCount} style={{ height: rows * rowHeight }} />
      </tr>
    </tbody>
  )
}

function SortHead({
  name,
  column,
  sort,
  sortBy,
}: {
  readonly name: string
  readonly column: 'time' | 'task' | 'score'
  readonly sort: AttemptSort
  readonly sortBy: (column: 'time' | 'task' | 'score') => void
}) {
  const direction = sort === column ? 'ascending' : sort === `-${column}` ? 'descending' : 'none'
  return (
    <th scope="col" aria-sort={direction}>
      <button type="button" className="table-sort" onClick={() => sortBy(column)}>
        {name}
        <span aria-hidden="true">{{ none: '', descending: ' ↓', ascending: ' ↑' }[direction]}</span>
      </button>
    </th>
  )
}

function Row({ index, line }: { readonly index: number; readonly line: AttemptLine | undefined }) {
  const [, go] = useLocation()
  const [query] = useQuery()
  if (line === undefined) {
    return (
      <tr aria-rowindex={index + 2} data-row={index}>
        <td colSpan={columnCount} className="muted">
          …
        </td>
      </tr>
    )
  }
  const { seq, task, outcome, skill, type, at } = line
  // The URL of an attempt keeps the filters of the list, so that going back restores the list.
  const href = `/${seq}${query.size === 0 ? '' : `?${query}`}`
  return (
    <tr aria-rowindex={index + 2} data-row={index} className="attempts-row" onClick={() => go(href)}>
      <th scope="row">
        <Link href={href} onClick={event => event.stopPropagation()}>
          {visibleLine(task).slice(0, 80)}
        </Link>
      </th>
      <td>
        <OutcomeBadge outcome={outcome} />
      </td>
      <td className="figures">{scoresOf(line)}</td>
      <td>{visibleLine(skill.name)}</td>
      <td>{placeOf(line)}</td>
      <td>{visibleLine(type).slice(0, 40)}</td>
      <td>{endOf(line)}</td>
      <td>
        <time dateTime={new Date(at).toISOString()}>{when(at)}</time>
      </td>
    </tr>
  )
}
