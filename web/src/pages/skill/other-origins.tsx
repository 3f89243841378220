import { Link } from 'wouter'
import type { OriginDetail } from '../../../../src/dashboard/contract/skill.js'
import { plural, visible, visibleLine } from '../../parts/format.js'
import { EditWords } from './edit-detail.js'
import { GateWord } from './gate-word.js'

type Of<Kind extends OriginDetail['kind']> = Extract<OriginDetail, { readonly kind: Kind }>

export function SlowUpdateDetail({
  run,
  origin,
}: {
  readonly run: string
  readonly origin: Of<'slow-update'>
}) {
  const { epoch, step, update, gate } = origin
  const attempts = new URLSearchParams({ stage: 'slow-update', step: String(step ?? 0) })
  return (
    <section className="stack-small">
      <h3>Slow update of epoch {epoch}</h3>
      <p>
        Long-term guidance, written at the end of the epoch from the same train tasks under the skill of an
        epoch before and the current one.
      </p>
      {update !== undefined && (
        <>
          <p className="small">
            {update.outcome}
            {update.pairs !== undefined &&
              `: ${update.pairs.improved} tasks improved, ${update.pairs.regressed} regressed, ${update.pairs.persistent} still failing, ${update.pairs.stable} still right`}
          </p>
          {update.reasoning !== '' && <p className="skill-words">{visible(update.reasoning)}</p>}
        </>
      )}
      {step !== undefined && (
        <p className="small">
          <Link href={`~/runs/${encodeURIComponent(run)}/trajectories?${attempts}`}>
            The attempts that were compared
          </Link>
        </p>
      )}
      {gate !== undefined && <GateWord run={run} name={`epoch-${epoch}`} gate={gate} />}
    </section>
  )
}

export function ConsolidationDetail({ origin }: { readonly origin: Of<'consolidation'> }) {
  const { step, before, notes, reasoning } = origin
  return (
    <section className="stack-small">
      <h3>Appendix, consolidated in step {step}</h3>
      <p>
        The appendix had grown past its limit
        {before === undefined ? '' : `, to ${plural(before, 'reminder')}`}: the optimizer put them into{' '}
        {notes.length === 0 ? 'fewer' : notes.length}.
      </p>
      {reasoning !== '' && <p className="skill-words">{visible(reasoning)}</p>}
    </section>
  )
}

export function StepDetail({ run, origin }: { readonly run: string; readonly origin: Of<'step'> }) {
  const { step, epoch, edits, gate } = origin
  return (
    <section className="stack-small">
      <h3>
        Step {step}, epoch {epoch}
      </h3>
      <p>This step changed it. Which of its edits did so, the log does not say.</p>
      {edits.map(edit => (
        <details key={edit.id}>
          <summary>{visibleLine(edit.why ?? edit.id)}</summary>
          <EditWords edit={edit} />
        </details>
      ))}
      {gate !== undefined && <GateWord run={run} name={String(step)} gate={gate} />}
    </section>
  )
}
