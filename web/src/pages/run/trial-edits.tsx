import { memo } from 'react'
import { editAdditions } from '../../../../src/core/redaction/sensitive.js'
import { editEvidence, inEvidenceOrder, trialCountsText } from '../../../../src/core/view/edit-evidence.js'
import type { RunView, TrialEditView } from '../../../../src/core/view/run-view.js'
import { Additions } from '../../parts/additions.js'
import { Badge } from '../../parts/badge.js'
import { editVerbs, trialWord } from '../../parts/edit-words.js'
import { count, signedPoints, visible, visibleLine } from '../../parts/format.js'
import { type Column, DataTable } from '../../parts/table.js'
import { IntervalBar } from './interval-bar.js'

const columns: Column<TrialEditView>[] = [
  {
    key: 'edit',
    name: 'edit',
    header: true,
    cell: edit => (
      <>
        <span className="run-cell-words" title={editVerbs[edit.op]}>
          {visible(edit.content ?? edit.target ?? '')}
        </span>
        <Additions findings={editAdditions(edit)} />
      </>
    ),
  },
  { key: 'cause', name: 'cause', cell: ({ trial }) => visibleLine(trial.cause) },
  {
    key: 'decision',
    name: 'decision',
    cell: edit => <Badge tone={trialWord(edit).tone}>{trialWord(edit).text}</Badge>,
  },
  {
    key: 'effect',
    name: 'effect, 95% interval',
    cell: ({ trial: { evidence } }) =>
      evidence?.effect === undefined ? (
        '–'
      ) : (
        <IntervalBar {...evidence.effect} from={-1} to={1} text={signedPoints} />
      ),
  },
  {
    key: 'trials',
    name: 'trials',
    align: 'end',
    cell: ({ trial: { evidence } }) => count(evidence?.trials ?? 0),
  },
  {
    key: 'tasks',
    name: 'tasks',
    align: 'end',
    cell: ({ trial: { evidence } }) => count(evidence?.tasks ?? 0),
  },
  {
    key: 'evidence',
    name: 'evidence',
    cell: edit => <span className="run-cell-words">{visibleLine(editEvidence(edit))}</span>,
  },
]

/** All edits of a training by trials, with the evidence for and against each. */
export const TrialEdits = memo(function TrialEdits({ trialEdits }: Pick<RunView, 'trialEdits'>) {
  return (
    <section className="stack" aria-labelledby="trial-edits">
      <header className="spread">
        <h2 id="trial-edits">Edits and their evidence</h2>
        <span className="small muted">{trialCountsText(trialEdits)}</span>
      </header>
      {trialEdits.length === 0 ? (
        <p className="muted">No edits proposed yet. Edits on trial appear here by themselves.</p>
      ) : (
        <DataTable
          caption="Edits on trial, accepted ones first"
          columns={columns}
          rows={inEvidenceOrder(trialEdits)}
          rowKey={({ id }) => id}
          cards
        />
      )}
    </section>
  )
})
