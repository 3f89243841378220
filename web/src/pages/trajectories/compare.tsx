import { useQueries } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { AttemptPage } from '../../../../src/dashboard/contract/attempts.js'
import { getJson } from '../../api/client.js'
import { useQuery } from '../../parts/address.js'
import { visibleLine } from '../../parts/format.js'
import { Empty, Failed, Loading } from '../../parts/states.js'
import { ComparedPair } from './compared-pair.js'
import { attemptsPath } from './filters.js'
import { pairOf } from './pairs.js'

/**
 * Compares two attempts at the same task. The URL names the attempts (`left`, `right`), or the `task` and two
 * skills (`from`, `to`).
 */
export function ComparePage({ run }: { readonly run: string }) {
  const [query] = useQuery()
  const [left, right, task] = [query.get('left'), query.get('right'), query.get('task')]
  const [from, to] = [query.get('from'), query.get('to')]
  if (left !== null && right !== null) return <ComparedPair run={run} left={left} right={right} />
  if (task !== null && from !== null && to !== null) {
    return <ByTask run={run} task={task} from={from} to={to} />
  }
  return (
    <Empty title="Two attempts are needed for a comparison.">
      <p>
        Open one of <Link href="/">the attempts</Link>; there you can choose another one at the same task to
        compare it with.
      </p>
    </Empty>
  )
}

/** Maximum number of attempts to request for each skill. Choosing a pair considers fewer. */
const most = 500

function ByTask({
  run,
  task,
  from,
  to,
}: {
  readonly run: string
  readonly task: string
  readonly from: string
  readonly to: string
}) {
  const [before, after] = useQueries({
    queries: [from, to].map(skill => {
      const query = new URLSearchParams({ task, skill, sort: '-time', limit: String(most) })
      return {
        queryKey: ['attempts at task', run, query.toString()],
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          getJson<AttemptPage>(`${attemptsPath(run)}?${query}`, signal),
      }
    }),
  })
  const failed = [before, after].find(each => each !== undefined && each.error !== null)
  if (failed !== undefined) return <Failed error={failed.error} retry={() => void failed.refetch()} />
  if (before?.data === undefined || after?.data === undefined) return <Loading what="the attempts" />
  const pair = pairOf(before.data.lines.toReversed(), after.data.lines.toReversed())
  if (pair !== undefined) {
    return <ComparedPair run={run} left={String(pair.left.seq)} right={String(pair.right.seq)} />
  }
  const missing = before.data.total === 0 ? from : after.data.total === 0 ? to : undefined
  return (
    <Empty title="There is nothing to compare.">
      <p>
        {missing === undefined
          ? `“${visibleLine(task)}” was tried once with this skill, and with no other text.`
          : `“${visibleLine(task)}” was not tried with ${visibleLine(missing)}. A gate that has seen enough stops before all tasks were tried.`}
      </p>
      <p>
        <Link href={`/?${new URLSearchParams({ task })}`}>All attempts at this task</Link>
      </p>
    </Empty>
  )
}
