import { join } from 'node:path'
import { readRegion } from '../sleep/model/managed-region.js'
import type { SleepTask } from '../sleep/model/sleep-task.js'
import { listNights } from '../sleep/nights/nights.js'
import { controlTasks } from './control.js'
import { sessionsOf } from './generate.js'
import { type Effect, effectsOf, isHarmful } from './harm.js'
import { type Measured, measureDocuments } from './measure.js'
import { type NightRow, nightRows, type TriedEdit } from './night-rows.js'
import { sleepNights, usualTarget } from './nights.js'
import type { Persona } from './persona.js'
import { loadPersona } from './personas.js'
import { type ExperimentPlace, openPlace } from './place.js'
import { writeTranscripts } from './transcripts.js'
import type { Learned } from './transfer-matrix.js'

export interface PersonaOptions {
  readonly seed: number
  readonly nights: number
  /** `both` runs the nights once with the gate and once without, on the same sessions. */
  readonly gate: boolean | 'both'
  /** Folder in which to keep the experiment's files. */
  readonly keep?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onNight?: ((about: { persona: string; gate: boolean; night: number }) => void) | undefined
}

/** The nights of one persona, with or without the gate. */
export interface Arm {
  readonly gate: boolean
  readonly nights: readonly NightRow[]
  /** The text that the nights added to the document. */
  readonly learned: string
  /** Scores on the test tasks, from new attempts after the last night, judged by the rubric. */
  readonly heldOut: Measured
  /** Scores on requests that no night saw, judged by facts that only the persona knows. */
  readonly control: Measured
  /**
   * Edits that do harm by themselves, accepted ones and rejected ones. Undefined if there is no good document
   * in which to test them.
   */
  readonly harmful:
    | { readonly accepted: readonly Effect[]; readonly turnedDown: readonly Effect[] }
    | undefined
}

export interface PersonaResult {
  readonly persona: string
  readonly title: string
  readonly seed: number
  readonly arms: readonly Arm[]
}

/** The validation and test shares are larger than a user would need. */
const settings = {
  'sleep.examples': 5,
  'sleep.val': 0.3,
  'sleep.test': 0.25,
  'train.batchSize': 8,
  // The score is partial, because an answer that follows one of two conventions is better than one that
  // follows none.
  'evaluation.metric': 'mixed',
}

const samples = { heldOut: 3, control: 1 }

/** Runs the nights of a persona on simulated models and measures the result. */
export async function runPersona(id: string, options: PersonaOptions): Promise<PersonaResult> {
  const persona = await loadPersona(id)
  const gates = options.gate === 'both' ? [true, false] : [options.gate]
  const slept: (LearnedNights & { readonly gate: boolean; readonly place: ExperimentPlace })[] = []
  const places: ExperimentPlace[] = []
  const { seed, keep, signal, onNight } = options
  try {
    for (const gate of gates) {
      const folder = gates.length === 1 ? keep : keep && join(keep, gate ? 'with-gate' : 'without-gate')
      const place = await openPlace(persona.project, { keep: folder })
      places.push(place)
      const nights = (night: number) => onNight?.({ persona: id, gate, night })
      slept.push({
        gate,
        place,
        ...(await learnNights(persona, place, { ...options, gate, onNight: nights })),
      })
    }
    const [first] = slept
    if (first === undefined) throw new Error('No nights were slept.')
    const control = {
      tasks: controlTasks(persona, seed),
      samples: samples.control,
      target: usualTarget,
      signal,
    }
    const tried = slept.flatMap(({ nights }) => nights.flatMap(({ edits }) => edits))
    // Edits are tested in the document learned with the gate, because in a spoilt document no edit looks
    // harmful.
    const effects = first.gate
      ? await effectsOf(first.place, first.after, distinctTexts(tried), { ...control, folder: 'effects' })
      : undefined
    const arms: Arm[] = []
    for (const { gate, place, nights, before, after, heldOut: tasks } of slept) {
      const heldOut = { tasks, samples: samples.heldOut, target: usualTarget, signal }
      arms.push({
        gate,
        nights,
        learned: regionIn(after),
        heldOut: await measureDocuments(place, { before, after }, heldOut),
        control: await measureDocuments(place, { before, after }, { ...control, folder: 'control' }),
        harmful: effects && harmfulIn(nights, effects),
      })
    }
    return { persona: id, title: persona.title, seed, arms }
  } finally {
    for (const place of places) await place.close()
  }
}

interface LearnedNights extends Learned {
  readonly nights: readonly NightRow[]
}

interface LearnOptions {
  readonly seed: number
  readonly nights: number
  readonly gate: boolean
  readonly target?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onNight?: ((night: number) => void) | undefined
}

/**
 * Runs the nights of a persona in an open place. Returns its document before and after, and tasks that were
 * not used for training.
 */
export async function learnPersona(
  id: string,
  place: ExperimentPlace,
  options: LearnOptions,
): Promise<LearnedNights> {
  return learnNights(await loadPersona(id), place, options)
}

async function learnNights(
  persona: Persona,
  place: ExperimentPlace,
  { seed, nights, gate, target, signal, onNight }: LearnOptions,
): Promise<LearnedNights> {
  const { home, project } = place
  const document = join(project, '.claude', 'skills', 'skillopt-sleep-learned', 'SKILL.md')
  const subject = {
    document,
    settings,
    beforeNight: (night: number) =>
      writeTranscripts(sessionsOf(persona, { seed, night, nights, today: Date.now() }), { home, project }),
  }
  const slept = await sleepNights(place, subject, { nights, seed, gate, target, signal, onNight })
  const folder = slept.nights[0]?.result.folder ?? ''
  const plans = (await listNights(folder)).flatMap(({ plan }) => plan ?? [])
  const frame = plans[0]?.targets[0]?.frame ?? ''
  return {
    before: slept.before === '' ? frame : slept.before,
    after: slept.after === '' ? frame : slept.after,
    heldOut: testTasks(plans.at(-1)?.tasks ?? []),
    nights: await nightRows(folder),
  }
}

/** Returns the test tasks. A task never changes its split, so no night has learned from them. */
function testTasks(tasks: readonly SleepTask[]): readonly SleepTask[] {
  return tasks.filter(({ split, origin }) => split === 'test' && origin === 'real')
}

function distinctTexts(edits: readonly TriedEdit[]): readonly string[] {
  return [...new Set(edits.flatMap(({ text }) => text ?? []))]
}

function harmfulIn(nights: readonly NightRow[], effects: readonly Effect[]): NonNullable<Arm['harmful']> {
  const edits = nights.flatMap(row => row.edits)
  const textsOf = (wanted: boolean) =>
    new Set(distinctTexts(edits.filter(({ outcome }) => (outcome === 'accepted') === wanted)))
  const harmful = effects.filter(isHarmful)
  const [accepted, others] = [textsOf(true), textsOf(false)]
  return {
    accepted: harmful.filter(({ text }) => accepted.has(text)),
    turnedDown: harmful.filter(({ text }) => others.has(text) && !accepted.has(text)),
  }
}

function regionIn(document: string): string {
  const region = readRegion(document)
  return region.state === 'found' ? region.text : ''
}
