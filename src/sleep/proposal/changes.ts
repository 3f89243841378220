import type { EventBody, RecordedEdit } from '../../core/log/event.js'
import type { Span } from '../../core/skill/document.js'
import type { GateView } from '../../core/view/run-view.js'
import type { ProposalEdit } from '../model/proposal.js'
import { learnedVersion, type StepLog, type TrainingLog, type VersionLog } from './training-log.js'

/** An accepted change of the text. The learned text is the result of all such changes. */
export interface Change {
  readonly text: string
  readonly origins: readonly Span[]
  /** The change's edits, in the order in which they were applied. */
  readonly edits: readonly RecordedEdit[]
  /** How the gate judged the change; undefined if the gate was not used. */
  readonly gate: ProposalEdit['gate']
  /** True if the change was accepted without the gate. */
  readonly isForced: boolean
}

/** An edit that was tried but is not part of the learned text. */
export interface LostEdit {
  readonly edit: RecordedEdit
  readonly status: 'rejected' | 'unmatched'
  readonly reason: string
}

/** Returns the changes that lead from the night's initial text to the learned one. */
export function changesOf(log: TrainingLog): readonly Change[] {
  return wayTo(log).flatMap(version => changeOf(log, version) ?? [])
}

function wayTo(log: TrainingLog): readonly VersionLog[] {
  const learned = learnedVersion(log)
  return learned === undefined ? [] : log.versions.slice(0, log.versions.indexOf(learned) + 1)
}

function changeOf(log: TrainingLog, { from, text, origins }: VersionLog): Change | undefined {
  if (from === undefined) return undefined
  if ('epoch' in from) {
    const update = log.slowUpdates.find(({ epoch }) => epoch === from.epoch)
    const edits = update === undefined ? [] : [guidanceEdit(update)]
    const gate = log.view.epochEnds.find(end => end.epoch === from.epoch)?.slowUpdateGate
    const isForced = update?.outcome === 'forced'
    return {
      text,
      origins,
      edits,
      gate: isForced ? undefined : evidenceOf(gate, edits),
      isForced,
    }
  }
  const step = log.steps.find(one => one.step === from.step)
  const edits = step === undefined ? [] : keptEdits(step)
  const gate = step === undefined ? undefined : evidenceOf(acceptedIn(step), edits)
  return { text, origins, edits, gate, isForced: false }
}

function evidenceOf(
  gate: Pick<GateView, 'current' | 'score' | 'verdict'> | undefined,
  edits: readonly RecordedEdit[],
): ProposalEdit['gate'] {
  if (gate === undefined || edits.length === 0) return undefined
  const { current, score, verdict } = gate
  return {
    before: current,
    ...(verdict.complete && score !== undefined ? { after: score } : {}),
    ...(verdict.effect === undefined ? {} : { difference: verdict.effect }),
    edits: edits.length,
  }
}

function keptEdits(step: StepLog): readonly RecordedEdit[] {
  if (acceptedIn(step) === undefined) return []
  const made = step.update?.reports.filter(({ status }) => status === 'applied') ?? []
  return made.flatMap(({ edit }) => step.edits.get(edit) ?? [])
}

function acceptedIn({ gate }: StepLog): EventBody<'gate.decided'> | undefined {
  return gate?.action === 'accept' || gate?.action === 'accept_new_best' ? gate : undefined
}

/**
 * Represents the guidance of a slow update as an edit, so that it is shown and chosen like the others. Such
 * an edit is not based on individual tasks.
 */
function guidanceEdit(update: EventBody<'slow-update.finished'>): RecordedEdit {
  const about = { support: 1, from: 'unknown' as const, tasks: [], why: update.reasoning }
  return { ...about, id: `slow-update:${update.epoch}`, op: 'remind', content: update.guidance ?? '' }
}

/** Edits that were tried but are not part of the learned text, in order. */
export function lostEdits(log: TrainingLog): readonly LostEdit[] {
  const way = wayTo(log).flatMap(({ from }) => from ?? [])
  const steps = new Set(way.flatMap(from => ('step' in from ? from.step : [])))
  const epochs = new Set(way.flatMap(from => ('epoch' in from ? from.epoch : [])))
  const ofSteps = log.steps.flatMap(step => lostIn(step, steps.has(step.step)))
  const ofUpdates = log.slowUpdates.flatMap(update => {
    if (update.guidance === undefined || epochs.has(update.epoch)) return []
    const reason = updateReason(log, update)
    return reason === undefined ? [] : [{ edit: guidanceEdit(update), status: 'rejected' as const, reason }]
  })
  return [...ofSteps, ...ofUpdates]
}

const overtaken = 'It was let in, and what came before it scored better.'

function updateReason(
  { view }: TrainingLog,
  { epoch, outcome, reasoning }: EventBody<'slow-update.finished'>,
): string | undefined {
  const gate = view.epochEnds.find(end => end.epoch === epoch)?.slowUpdateGate
  if (outcome === 'accepted' || outcome === 'forced') return overtaken
  if (outcome !== 'rejected' && outcome !== 'abstained') return undefined
  return gate?.verdict.reason ?? reasoning
}

function lostIn(step: StepLog, isOnTheWay: boolean): readonly LostEdit[] {
  const whole = isOnTheWay && acceptedIn(step) !== undefined ? undefined : verdictOn(step)
  return (step.update?.reports ?? []).flatMap(({ edit: id, status, reason }): readonly LostEdit[] => {
    const edit = step.edits.get(id)
    if (edit === undefined || status === 'empty') return []
    if (status === 'unmatched') return [{ edit, status: 'unmatched', reason }]
    if (status === 'refused') return [{ edit, status: 'rejected', reason }]
    return whole === undefined ? [] : [{ edit, status: 'rejected', reason: whole }]
  })
}

/** Describes the gate's verdict on a step; undefined if no gate judged its candidate. */
function verdictOn(step: StepLog): string | undefined {
  return acceptedIn(step) === undefined ? step.gate?.verdict.reason : overtaken
}
