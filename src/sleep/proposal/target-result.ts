import { InputError } from '../../core/errors/errors.js'
import { type describeTarget, withRegion } from '../adopt/index.js'
import type { PlannedTarget } from '../model/night-record.js'
import { tidyRegion } from '../model/proposal.js'
import { type Change, changesOf, type LostEdit, lostEdits } from './changes.js'
import { measureOf, measureText, type SplitMeasure, speaksAgainst } from './measures.js'
import { type GroundedEdit, proposedEdits } from './proposed-edits.js'
import { isGated, learnedVersion, type TrainingLog } from './training-log.js'

export type LiveFile = Parameters<typeof describeTarget>[1]

/** The run that trained one document, whether or not it learned anything. */
export interface TargetRun {
  readonly target: PlannedTarget
  readonly log: TrainingLog
  /** The file as it is now. */
  readonly live: LiveFile
  /** Targets whose new texts were also in the prompt when this one was measured. */
  readonly together?: readonly string[]
}

/** Result of training one target. */
export interface TargetResult {
  readonly run: TargetRun
  readonly name: string
  /** New text of the region. */
  readonly region: string
  readonly isNew: boolean
  /** The whole document with the new region; undefined if the region cannot be written into it. */
  readonly document: string | undefined
  readonly edits: readonly GroundedEdit[]
  readonly lost: readonly LostEdit[]
  readonly validation: SplitMeasure | undefined
  readonly test: SplitMeasure | undefined
  /** True if every change passed the gate. */
  readonly isGated: boolean
  /** Explains in a sentence why the result cannot be adopted. */
  readonly objection: string | undefined
}

export function resultsOf(runs: readonly TargetRun[]): readonly TargetResult[] {
  const results = runs.map(resultOf)
  const refused = new Set(results.filter(({ objection }) => objection !== undefined).map(({ name }) => name))
  return results.map(result => {
    const other = result.run.together?.find(name => refused.has(name))
    if (result.objection !== undefined || !result.isNew || other === undefined) return result
    return { ...result, objection: `It was measured together with ${other}, which cannot be adopted.` }
  })
}

/** True if there is a new text that a person may adopt. */
export function isAdoptable({ document, objection }: TargetResult): boolean {
  return document !== undefined && objection === undefined
}

function resultOf(run: TargetRun): TargetResult {
  const { target, log } = run
  const { name } = target
  const learned = learnedVersion(log)
  const before = tidyRegion(target.region)
  const region = learned === undefined ? before : tidyRegion(learned.text)
  const isNew = region !== before
  const changes = isNew ? changesOf(log) : []
  const test = isNew ? measureOf(log, 'test') : undefined
  const document = isNew ? documentOf(run, region) : { problem: undefined, text: undefined }
  return {
    run,
    name,
    region,
    isNew,
    test,
    document: document.text,
    edits: proposedEdits(target.region, changes),
    lost: lostEdits(log),
    validation: isNew ? measureOf(log, 'val') : undefined,
    isGated: isGated(log.view) && !changes.some(({ isForced }: Change) => isForced),
    // A person who turned the gate off sees a bad test result but may still adopt the text.
    objection: document.problem ?? (isGated(log.view) ? testProblem(test) : undefined),
  }
}

function documentOf(
  { target, live }: TargetRun,
  region: string,
): { readonly text?: string; readonly problem?: string } {
  const now = live.content?.text ?? null
  if (now !== target.live) return { problem: `${target.path} was changed while the night ran.` }
  try {
    return { text: withRegion(now ?? target.frame, region, target.path) }
  } catch (error) {
    if (error instanceof InputError) return { problem: error.message }
    throw error
  }
}

function testProblem(test: SplitMeasure | undefined): string | undefined {
  if (test === undefined || !speaksAgainst(test)) return undefined
  return `On tasks that the night had not seen it did worse: ${measureText(test)}.`
}
