import { useEffect, useRef } from 'react'
import type {
  SleepEdit,
  SleepMeasure,
  SleepPreview,
  SleepTarget,
} from '../../../../src/dashboard/contract/sleep.js'
import { Badge } from '../../parts/badge.js'
import { TextDiff } from '../../parts/diff.js'
import { plural, signedPoints } from '../../parts/format.js'
import { type Rejected, withEdits, withTarget } from './choice.js'
import { EditCard } from './edit.js'
import { Notice } from './parts.js'
import { gainText, scoreText } from './words.js'

/** The user's decision on a target that can still be adopted. */
interface TargetDecision {
  readonly rejected: Rejected
  readonly choose: (wanted: Rejected) => void
  /** Whether the choice contains the target. `change` is its change in the latest preview. */
  readonly isChosen: boolean
  readonly change: SleepPreview['changes'][number] | undefined
  readonly isCurrent: boolean
}

/** A target file with its diff and its edits. */
export function TargetReview({
  project,
  target,
  edits,
  mode,
  isAdopted,
  decision,
}: {
  readonly project: string
  readonly target: SleepTarget
  readonly edits: readonly SleepEdit[]
  readonly mode: 'inline' | 'side'
  readonly isAdopted: boolean
  readonly decision: TargetDecision | undefined
}) {
  const { name, path, isNew, problem, measures } = target
  return (
    <section className="panel" aria-labelledby={`target ${name}`}>
      <div className="spread">
        <div className="row">
          <h3 id={`target ${name}`}>{name}</h3>
          {isNew && <Badge tone="info">new file</Badge>}
          {isAdopted ? (
            <Badge tone="good">adopted</Badge>
          ) : (
            decision === undefined && <Badge>not up for decision</Badge>
          )}
        </div>
        {decision !== undefined && <WholeTarget name={name} edits={edits} decision={decision} />}
      </div>
      <p className="small">
        <code className="sleep-wrap">{path}</code>
      </p>
      <Measures measures={measures} />
      {problem !== undefined && (
        <Notice tone="warn" title={problem}>
          {edits.length > 0 && (
            <p>
              As it was proposed it cannot be adopted. Its edits are tried one by one on what the file says
              now.
            </p>
          )}
        </Notice>
      )}
      <Shown target={target} mode={mode} decision={decision} />
      {edits.length === 0 ? (
        <p className="small muted">No single edits are kept for it: it can be adopted only as a whole.</p>
      ) : (
        <ol className="sleep-edits" aria-label={`Edits of ${name}`}>
          {edits.map(edit => (
            <li key={edit.id}>
              <EditCard
                project={project}
                edit={edit}
                level={4}
                decision={
                  decision && {
                    isAccepted: !decision.rejected.edits.has(edit.id),
                    accept: isAccepted =>
                      decision.choose(withEdits(decision.rejected, [edit.id], isAccepted)),
                  }
                }
              />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

/** Checkbox for a whole target. It shows whether none, some or all edits are accepted. */
function WholeTarget({
  name,
  edits,
  decision: { rejected, choose },
}: {
  readonly name: string
  readonly edits: readonly SleepEdit[]
  readonly decision: TargetDecision
}) {
  const ids = edits.map(({ id }) => id)
  const accepted = ids.filter(id => !rejected.edits.has(id)).length
  const isAll = ids.length === 0 ? !rejected.targets.has(name) : accepted === ids.length
  const box = useRef<HTMLInputElement>(null)
  const isSome = accepted > 0 && !isAll
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = isSome
  }, [isSome])
  return (
    <label className="row">
      <input
        ref={box}
        type="checkbox"
        checked={isAll}
        onChange={event =>
          choose(
            ids.length === 0
              ? withTarget(rejected, name, event.target.checked)
              : withEdits(rejected, ids, event.target.checked),
          )
        }
      />
      <span>
        Accept all of it
        <span className="visually-hidden"> ({name})</span>
      </span>
    </label>
  )
}

/** The diff of a target. For a chosen target it shows what would be written, otherwise what was proposed. */
function Shown({
  target: { name, diff, isNew, problem },
  mode,
  decision,
}: {
  readonly target: SleepTarget
  readonly mode: 'inline' | 'side'
  readonly decision: TargetDecision | undefined
}) {
  const change = decision?.isChosen === true ? decision.change : undefined
  const { before, after, warning } = change ?? diff
  // A target that cannot be adopted, or has changed since, is compared with the text that the night found.
  const isNow = change !== undefined || (decision !== undefined && problem === undefined)
  const from = isNew && before === '' ? 'new file' : isNow ? 'now' : 'before'
  const to = change === undefined ? 'as it was proposed' : 'as it would be written'
  return (
    <div className="sleep-stack" aria-busy={decision?.isCurrent === false}>
      {decision !== undefined && !decision.isChosen && (
        <p className="warn">Nothing of it is chosen: it stays as it is. This is what was proposed.</p>
      )}
      {warning !== undefined && <Notice tone="bad" title={warning} />}
      <TextDiff before={before} after={after} mode={mode} names={[`${name}: ${from}`, to]} />
    </div>
  )
}

function Measures({ measures }: { readonly measures: readonly SleepMeasure[] }) {
  if (measures.length === 0) return <p className="warn small">Not measured on fresh tasks.</p>
  return (
    <ul className="sleep-plain">
      {measures.map(({ on, measured, tasks, together, before, after, difference }) => (
        <li key={`${on} ${together.join(' ')}`} className={measured ? undefined : 'muted'}>
          {on}
          {measured && ` (${plural(tasks, 'task')})`}
          {together.length > 0 && `, together with ${together.join(', ')}`}: {scoreText(before)} →{' '}
          {scoreText(after)},{' '}
          <strong className={measured && difference !== undefined && difference.low > 0 ? 'good' : undefined}>
            {difference === undefined
              ? `${signedPoints(after.mean - before.mean)} points`
              : gainText(difference)}
          </strong>
        </li>
      ))}
    </ul>
  )
}
