import type { EventBody, Place, StageName } from '../core/event.js'
import { skillHash } from '../core/skill.js'
import type { Attempt, BlobRef } from '../core/task.js'
import { screen } from '../stages/screen.js'
import type { Candidate } from './candidates.js'
import { decide } from './decide.js'
import { parseRows } from './evaluate.js'
import type { TrainingState } from './state.js'
import { isAccepted, type Training } from './training.js'

/** A candidate and what was found out about it: nothing, if its text is not new or another one won before. */
export interface Raced extends Candidate {
  readonly screened?: EventBody<'screen.finished'> | undefined
  readonly decided?: EventBody<'gate.decided'> | undefined
  readonly attribution?: EventBody<'attribution.finished'> | undefined
  /** Whether it was left out because another one had been accepted. */
  readonly isUntried?: boolean
}

export interface Race {
  readonly state: TrainingState
  /** In the order of their numbers. */
  readonly candidates: readonly Raced[]
}

/**
 * The candidates of a step go to the gate one after the other, and the first that it accepts wins. Where there is a
 * screen, all of them pass it first: clear losers end there, and of the others the most promising is the first.
 * `parent` are the attempts that the candidates were made from.
 */
export async function race(
  training: Training,
  before: TrainingState,
  candidates: readonly Candidate[],
  parent: readonly Attempt[],
  at: (stage: StageName) => Place,
): Promise<Race> {
  const entrants = newTexts(candidates, before.current.text)
  const screened = await Promise.all(
    entrants.map(candidate => firstLook(training, before, candidate, parent, at('screen'))),
  )
  const results = new Map<number, Raced>(screened.map(one => [one.number, one]))
  let state = before
  let winner: number | undefined
  for (const one of inOrder(screened)) {
    if (winner !== undefined) {
      results.set(one.number, { ...one, isUntried: true })
      continue
    }
    const { state: next, ...decision } = await decide(training, state, one.update, at)
    state = next
    results.set(one.number, { ...one, ...decision })
    if (isAccepted(decision.decided)) winner = one.number
  }
  return { state, candidates: candidates.map(candidate => results.get(candidate.number) ?? candidate) }
}

/** Edits that found no place leave the current skill; edits that say the same make the same candidate twice. */
function newTexts(candidates: readonly Candidate[], current: string): readonly Candidate[] {
  const known = new Set([current])
  return candidates.filter(({ update }) => {
    const { text } = update.document
    if (known.has(text)) return false
    known.add(text)
    return true
  })
}

/** Those that are left, by how much better they did than was to be expected; those alike in the order of the ranking. */
function inOrder(screened: readonly Raced[]): readonly Raced[] {
  return screened
    .filter(one => one.screened?.verdict !== 'killed')
    .toSorted((one, other) => leadOf(other.screened) - leadOf(one.screened))
}

/** The mean over what was scored: some candidates were run on more tasks than others. A last bit is no lead. */
function leadOf(screened: EventBody<'screen.finished'> | undefined): number {
  const leads = (screened?.tried ?? []).flatMap(({ before, after }) =>
    after === undefined ? [] : [after - before],
  )
  const mean = leads.reduce((sum, lead) => sum + lead, 0) / Math.max(1, leads.length)
  return Math.round(mean * 1e9)
}

async function firstLook(
  { run, setup, score, lanes }: Training,
  { current, evaluations }: TrainingState,
  candidate: Candidate,
  parent: readonly Attempt[],
  place: Place,
): Promise<Raced> {
  const { screen: most } = setup.config.evaluation
  if (most === 0) return candidate
  const rowsOf = async (ref: BlobRef | undefined) => (ref === undefined ? [] : parseRows(await run.get(ref)))
  const { document, applied } = candidate.update
  const evidence = {
    parent,
    edits: applied,
    evaluations: await Promise.all([...evaluations.values()].map(rowsOf)),
    current: await rowsOf(evaluations.get(skillHash(current.text))),
  }
  const options = { most, tasks: setup.tasks, score, lanes }
  return { ...candidate, screened: await screen(run, document.text, evidence, options, place) }
}
