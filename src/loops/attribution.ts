import type { EventBody, Place } from '../core/event.js'
import { attribute } from '../stages/attribute.js'
import type { Update } from '../stages/compose.js'
import { leaveOut } from '../stages/edit-units.js'
import { evaluateOnce, parseRows } from './evaluate.js'
import { type TrainingState, withRows, withSkill } from './state.js'
import { accept, type Training } from './training.js'

export interface Acceptance {
  readonly state: TrainingState
  /** Absent if it was not asked for. */
  readonly attribution: EventBody<'attribution.finished'> | undefined
}

/** What the gate let in becomes the current skill: without the edits that carry nothing, where that is looked for. */
export async function acceptWhatCarries(
  training: Training,
  state: TrainingState,
  update: Update,
  decided: EventBody<'gate.decided'>,
  place: Place,
): Promise<Acceptance> {
  const { run, setup, score, lanes } = training
  const { attribution: most } = setup.config.optimizer
  const whole = () => accept(run, state, update.document, decided, place.step)
  if (most === 0 || update.applied.length === 0 || decided.rows === undefined) {
    return { state: await whole(), attribution: undefined }
  }
  const evaluate = async (skill: string) => {
    const found = await evaluateOnce(training, skill, 'val', setup.tasks.val, place)
    return { ...found, rows: parseRows(await run.get(found.rows)) }
  }
  const parent = await evaluate(state.current.text)
  const composition = {
    parent: state.current,
    candidate: update.document,
    edits: update.applied,
    limit: setup.limit,
    rows: { parent: parent.rows, candidate: parseRows(await run.get(decided.rows)) },
  }
  const { noRegression, floors } = setup.config.evaluation
  const riders = { noRegression: noRegression !== 'off', floors }
  const options = { most, tasks: setup.tasks.val, score, lanes, ...riders, evaluate }
  const attribution = await attribute(run, composition, options, place)
  const smaller = leaveOut(composition, droppedEdits(attribution))
  if (smaller === undefined || attribution.score === undefined) return { state: await whole(), attribution }

  const { rows } = await evaluateOnce(training, smaller.text, 'val', setup.tasks.val, place)
  const changed = withRows({ ...state, version: place.step }, attribution.skill, rows)
  return { state: await withSkill(run, changed, smaller, attribution.score), attribution }
}

export function droppedEdits(
  attribution: EventBody<'attribution.finished'> | undefined,
): ReadonlySet<string> {
  const dropped = attribution?.edits.filter(({ fate }) => fate === 'dropped') ?? []
  return new Set(dropped.flatMap(({ edits }) => edits))
}
