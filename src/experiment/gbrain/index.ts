import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import { nearest } from '../../core/text/nearest.js'
import { readRegion } from '../../sleep/model/managed-region.js'
import type { SleepTask } from '../../sleep/model/sleep-task.js'
import { bookOf, type Measured, measureDocuments } from '../measure.js'
import { type NightsOptions, type Slept, type Subject, sleepNights, usualTarget } from '../nights.js'
import { type ExperimentPlace, openPlace } from '../place.js'
import { type Matrix, transferMatrix } from '../transfer-matrix.js'
import { type GbrainSkill, gbrainSkills, readGbrain } from './tasks.js'

/**
 * An experiment with four deficient skills. Each is trained in its own nights and evaluated on the set's
 * held-out tasks.
 */

export interface GbrainOptions extends NightsOptions {
  /** The only skill to train; all four if omitted. */
  readonly skill?: string | undefined
  /** Folder in which to keep the experiment's files. */
  readonly keep?: string | undefined
  readonly onName?: ((skill: string) => void) | undefined
}

export interface GbrainResult {
  readonly skill: GbrainSkill
  /** The instruction that the skill lacks and its tasks require. */
  readonly lacks: string
  readonly nights: Slept['nights']
  /** Scores on the set's held-out tasks. */
  readonly measured: Measured
  /** Text that the nights added to the skill. */
  readonly learned: string
}

/** Attempts per held-out task. There are only six tasks, and a model's output varies. */
const samples = 4
const projectName = 'decisions'

export async function runGbrain(options: GbrainOptions): Promise<readonly GbrainResult[]> {
  const { keep, target = usualTarget, signal, onName } = options
  const results: GbrainResult[] = []
  for (const skill of chosen(options.skill)) {
    onName?.(skill)
    const place = await openPlace(projectName, { keep: keep === undefined ? undefined : join(keep, skill) })
    try {
      const { heldOut, ...slept } = await learn(skill, place, options)
      const measured = await measureDocuments(place, slept, { tasks: heldOut, samples, target, signal })
      const region = readRegion(slept.after)
      const learned = region.state === 'found' ? region.text : ''
      results.push({ skill, lacks: gbrainSkills[skill], nights: slept.nights, measured, learned })
    } finally {
      await place.close()
    }
  }
  return results
}

/** Trains each skill with each simulated target and evaluates every result with all targets. */
export async function gbrainMatrices(options: GbrainOptions): Promise<readonly Matrix[]> {
  const { keep, signal, onName } = options
  const matrices: Matrix[] = []
  for (const skill of chosen(options.skill)) {
    onName?.(skill)
    const rows = await transferMatrix(
      projectName,
      (place, target) => learn(skill, place, { ...options, target }),
      { samples, signal, keep: keep === undefined ? undefined : join(keep, skill) },
    )
    matrices.push({ name: skill, rows })
  }
  return matrices
}

function chosen(name: string | undefined): readonly GbrainSkill[] {
  const names = Object.keys(gbrainSkills) as GbrainSkill[]
  const found = names.filter(each => name === undefined || each === name)
  if (found.length > 0) return found
  const meant = nearest(name ?? '', names)
  throw new InputError(`The set gbrain has no skill called ${name}.`, {
    hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}It has ${names.join(', ')}.`,
  })
}

async function learn(
  name: GbrainSkill,
  place: ExperimentPlace,
  options: NightsOptions,
): Promise<Slept & { readonly heldOut: readonly SleepTask[] }> {
  const { skill, tasks } = await readGbrain(name, options.seed)
  const subject = await prepare(name, skill, tasks, place)
  const slept = await sleepNights(place, subject, options)
  return { ...slept, heldOut: tasks.filter(({ split }) => split === 'test') }
}

/** Writes the skill to the path where an agent would read it, and its tasks to a reviewed tasks file. */
async function prepare(
  name: GbrainSkill,
  skill: string,
  tasks: readonly SleepTask[],
  place: ExperimentPlace,
): Promise<Subject> {
  const path = join('.claude', 'skills', name, 'SKILL.md')
  const document = join(place.project, path)
  const tasksFile = join(place.root, 'tasks.json')
  await mkdir(dirname(document), { recursive: true })
  await writeFile(document, skill)
  await writeFile(tasksFile, JSON.stringify(bookOf(place.project, tasks), null, 2))
  return { document, tasksFile, settings: { 'sleep.skill': path } }
}
