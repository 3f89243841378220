import { tracedByLines } from '../../../compat/run-directory/edits.js'
import type { EventBody, RecordedEdit } from '../../../core/log/event.js'
import { setNotes } from '../../../core/skill/appendix.js'
import { type SkillDocument, type Span, seedDocument } from '../../../core/skill/document.js'
import { applyEdits } from '../../../core/skill/edit.js'
import type { RunView, StepView } from '../../../core/view/run-view.js'
import type { LiveRun } from '../runs/types.js'
import type { KnownSkill } from './known-skills.js'

export interface TracedSkill {
  readonly document: SkillDocument
  /** False if the log does not record how the text was made. */
  readonly isTraced: boolean
}

type Source = Pick<LiveRun, 'text' | 'eventsOf'>

/** The text of a skill with the origin of each character. */
export async function tracedSkill(
  run: Source,
  view: RunView,
  known: readonly KnownSkill[],
  skill: KnownSkill,
): Promise<TracedSkill> {
  const text = skill.text === undefined ? '' : await run.text(skill.text)
  if (skill.origins !== undefined) {
    const origins = JSON.parse(await run.text(skill.origins)) as readonly Span[]
    return { document: { text, origins }, isTraced: true }
  }
  if (skill.proposedIn === undefined) return { document: seedDocument(text), isTraced: true }
  return tracedCandidate(run, view, known, { text, step: skill.proposedIn })
}

/**
 * Traces a candidate by applying its edits again to the skill that the step began with. If the result differs
 * (an agent made the candidate, or it was imported), lines are only marked as new or old.
 */
async function tracedCandidate(
  run: Source,
  view: RunView,
  known: readonly KnownSkill[],
  { text, step }: { readonly text: string; readonly step: StepView },
): Promise<TracedSkill> {
  const before = await documentBefore(run, view, known, step.skill)
  if (before === undefined) return { document: seedDocument(text), isTraced: false }
  const edits = await recordedEdits(run, step.step)
  const update = (await run.eventsOf('update.finished')).find(({ body }) => body.step === step.step)
  const applied = (update?.body.reports ?? [])
    .filter(({ status }) => status === 'applied')
    .flatMap(({ edit }) => edits.get(edit) ?? [])
  const { document } = applyEdits(before, applied)
  const consolidated = await consolidationOf(run, step.step)
  const again =
    consolidated?.notes === undefined
      ? document
      : setNotes(document, consolidated.notes, `consolidation:${step.step}`)
  if (again.text === text) return { document: again, isTraced: true }
  return { document: tracedByLines(before, text, `step ${step.step}`), isTraced: false }
}

async function documentBefore(
  run: Source,
  view: RunView,
  known: readonly KnownSkill[],
  hash: string,
): Promise<SkillDocument | undefined> {
  const version = known.find(({ shown, origins }) => shown.skill === hash && origins !== undefined)
  return version === undefined ? undefined : (await tracedSkill(run, view, known, version)).document
}

/** The recorded edits of a step, with all of their tasks. */
export async function recordedEdits(
  run: Pick<LiveRun, 'eventsOf'>,
  step: number,
): Promise<ReadonlyMap<string, RecordedEdit>> {
  const [merged, selected, rewritten, admitted] = await Promise.all([
    run.eventsOf('aggregate.finished'),
    run.eventsOf('select.finished'),
    run.eventsOf('rewrite.finished'),
    run.eventsOf('trials.admitted'),
  ])
  const edits = [
    ...merged.flatMap(({ body }) => (body.step === step ? [...body.edits, ...(body.reminders ?? [])] : [])),
    ...selected.flatMap(({ body }) => (body.step === step ? body.edits : [])),
    ...admitted.flatMap(({ body }) => (body.step === step ? body.edits : [])),
    ...rewritten.flatMap(({ body }) => (body.step === step && body.edit !== undefined ? [body.edit] : [])),
  ]
  return new Map(edits.map(edit => [edit.id, edit]))
}

export async function consolidationOf(
  run: Pick<LiveRun, 'eventsOf'>,
  step: number,
): Promise<EventBody<'appendix.consolidated'> | undefined> {
  const events = await run.eventsOf('appendix.consolidated')
  return events.find(({ body }) => body.step === step)?.body
}
