import { useQuery } from '@tanstack/react-query'
import { verdictOf } from '../../../../src/core/view/run-verdict.js'
import type { RunView } from '../../../../src/core/view/run-view.js'
import type { TestedDetails } from '../../../../src/dashboard/contract/details.js'
import { getJson } from '../../api/client.js'
import { visibleLine } from '../../parts/format.js'
import { Failed } from '../../parts/states.js'

const tones = {
  better: 'notice-good',
  worse: 'notice-bad',
  'cannot-tell': 'notice-warn',
  'no-change': 'notice-warn',
} as const

/**
 * Whether the trained skill is better on unseen tasks, and what to do next. Renders nothing until the answer
 * is known.
 */
export function Answer({ run, view }: { readonly run: string; readonly view: RunView }) {
  const isTested = (['initial', 'best'] as const).every(which =>
    view.tests.some(test => test.which === which && test.scored > 0),
  )
  const { data, error, refetch } = useQuery({
    queryKey: ['tested', run, view.tests.length],
    queryFn: ({ signal }) => getJson<TestedDetails>(`/api/runs/${encodeURIComponent(run)}/tested`, signal),
    enabled: view.kind === 'train' && isTested,
  })
  if (error !== null) return <Failed error={error} retry={() => void refetch()} />
  // The answer waits for the paired results, because they would change its text.
  if (isTested && data === undefined) return null
  const verdict = verdictOf(view, data?.tested ?? undefined)
  return verdict === undefined ? null : (
    <section className={`notice ${tones[verdict.answer]}`} aria-label="Verdict">
      <p className="run-answer">
        <strong>{visibleLine(verdict.sentence)}</strong>
      </p>
      <p>{visibleLine(verdict.next)}</p>
    </section>
  )
}
