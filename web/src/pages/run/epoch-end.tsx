import { memo } from 'react'
import { Link } from 'wouter'
import type { EpochEndView } from '../../../../src/core/view/run-view.js'
import { Badge, type BadgeTone } from '../../parts/badge.js'
import { count, visible } from '../../parts/format.js'
import { Markdown } from '../../parts/markdown.js'
import { gateHref } from './addresses.js'

type SlowUpdate = NonNullable<EpochEndView['slowUpdate']>

const tones: Readonly<Record<SlowUpdate['outcome'], BadgeTone>> = {
  accepted: 'good',
  placed: 'good',
  forced: 'info',
  proposed: 'info',
  rejected: 'bad',
  abstained: 'warn',
  failed: 'warn',
  unchanged: 'plain',
}

/** The results of a whole epoch: guidance for the skill, and the optimizer's notes. */
export const EpochEnd = memo(function EpochEnd({
  run,
  end,
  isOpen,
  toggle,
}: {
  readonly run: string
  readonly end: EpochEndView
  readonly isOpen: boolean
  readonly toggle: (epoch: number, isOpen: boolean) => void
}) {
  const { epoch, slowUpdate, slowUpdateGate, metaSkill } = end
  return (
    <section className="run-step run-epoch-end" id={`epoch-${epoch}`} aria-labelledby={`epoch-${epoch}-end`}>
      <h4 className="run-step-head" id={`epoch-${epoch}-end`}>
        <button
          type="button"
          className="quiet run-step-toggle"
          aria-expanded={isOpen}
          onClick={() => toggle(epoch, !isOpen)}
        >
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> End of epoch {epoch}
        </button>
        {slowUpdate !== undefined && (
          <Badge tone={tones[slowUpdate.outcome]}>slow update {slowUpdate.outcome}</Badge>
        )}
        {metaSkill !== undefined && (
          <Badge tone={metaSkill.content === undefined ? 'warn' : 'plain'}>
            meta skill {metaSkill.content === undefined ? 'failed' : 'written'}
          </Badge>
        )}
      </h4>
      {isOpen && (
        <div className="run-step-body">
          {slowUpdate !== undefined && <SlowUpdateText update={slowUpdate} />}
          {slowUpdateGate !== undefined && (
            <p className="run-words small">
              <Link href={gateHref(run, `epoch-${epoch}`)}>The gate’s decision on it</Link>:{' '}
              {visible(slowUpdateGate.verdict.reason)}
            </p>
          )}
          {metaSkill !== undefined && (
            <div className="run-tight">
              <h5>Meta skill: the optimizer’s own notes, never part of the skill</h5>
              {metaSkill.reasoning !== '' && (
                <p className="small run-words">{visible(metaSkill.reasoning)}</p>
              )}
              {metaSkill.content === undefined ? (
                <p className="warn">The optimizer’s reply could not be used; the notes stay as they were.</p>
              ) : (
                <div className="panel">
                  <Markdown text={metaSkill.content} level={6} />
                </div>
              )}
            </div>
          )}
        </div>
      )}
    </section>
  )
})

function SlowUpdateText({ update: { pairs, guidance, reasoning } }: { readonly update: SlowUpdate }) {
  return (
    <div className="run-tight">
      <h5>Slow update: long-term guidance for the skill</h5>
      {pairs !== undefined && (
        <p className="small figures">
          The same train tasks under the skill of an epoch before and the current one: {count(pairs.improved)}{' '}
          improved, {count(pairs.regressed)} regressed, {count(pairs.persistent)} still failing,{' '}
          {count(pairs.stable)} still right.
        </p>
      )}
      {reasoning !== '' && <p className="small run-words">{visible(reasoning)}</p>}
      {guidance !== undefined && guidance !== '' && (
        <div className="panel">
          <Markdown text={guidance} level={6} />
        </div>
      )}
    </div>
  )
}
