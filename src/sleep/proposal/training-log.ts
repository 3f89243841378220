import type { z } from 'zod'
import { configSchema } from '../../core/config/config.js'
import type { EventBody, RecordedEdit, RunEvent } from '../../core/log/event.js'
import type { Span } from '../../core/skill/document.js'
import type { Row, Split } from '../../core/task/task.js'
import { createView, foldEvent, type RunView } from '../../core/view/fold.js'
import { type RunReader, readRun } from '../../store/read-run.js'
import { parseRows } from '../../trainer/loops/evaluation.js'

/**
 * A training of the night, read from its log. It has the complete edits; the run's view keeps only their
 * beginnings.
 */
export interface TrainingLog {
  readonly directory: string
  readonly view: RunView
  readonly steps: readonly StepLog[]
  /** The initial text, then each text that replaced the current one, in order. */
  readonly versions: readonly VersionLog[]
  readonly slowUpdates: readonly EventBody<'slow-update.finished'>[]
  /** Scores of a skill per task, keyed by `rowsKey`. */
  readonly rows: ReadonlyMap<string, readonly Row[]>
  /** Skills that were evaluated on all validation tasks. */
  readonly validated: ReadonlySet<string>
}

export interface VersionLog {
  readonly version: number
  readonly skill: string
  readonly text: string
  readonly origins: readonly Span[]
  /** The step or epoch that produced this version; undefined for the initial one. */
  readonly from: { readonly step: number } | { readonly epoch: number } | undefined
}

export interface StepLog {
  readonly step: number
  readonly edits: ReadonlyMap<string, RecordedEdit>
  readonly update: EventBody<'update.finished'> | undefined
  readonly gate: EventBody<'gate.decided'> | undefined
}

export const rowsKey = (split: Split, skill: string) => `${split} ${skill}`

/** Evaluation settings of the run. */
export function evaluationOf({ config }: RunView): z.output<typeof configSchema>['evaluation'] {
  const given =
    typeof config === 'object' && config !== null && 'evaluation' in config ? config.evaluation : {}
  return configSchema.shape.evaluation.parse(given)
}

export function isGated(view: RunView): boolean {
  return evaluationOf(view).gate !== 'always'
}

type Versions = Pick<TrainingLog, 'view' | 'versions' | 'steps' | 'validated'>

/**
 * Returns the version to propose: the one with the best score, or without a gate the last one, whatever its
 * score.
 */
export function learnedVersion(log: Versions): VersionLog | undefined {
  const { view, versions } = log
  const last = versions.at(-1)
  if (!isGated(view) || (last !== undefined && awaitsScore(last, log))) return last
  const { best } = view
  return best === undefined ? versions[0] : versions.find(({ skill }) => skill === best.skill)
}

/**
 * True if the gate accepted this version before it had seen all tasks, and a cap prevented the rest of the
 * evaluation. The gate's decision then stands.
 */
function awaitsScore({ skill, from }: VersionLog, { view, steps, validated }: Versions): boolean {
  if (from === undefined || validated.has(skill)) return false
  const gate =
    'step' in from
      ? steps.find(({ step }) => step === from.step)?.gate
      : view.epochEnds.find(({ epoch }) => epoch === from.epoch)?.slowUpdateGate
  return gate?.action === 'accept' && !gate.verdict.complete
}

export async function readTraining(directory: string): Promise<TrainingLog> {
  return trainingLog(directory, await readRun(directory))
}

export async function trainingLog(directory: string, reader: RunReader): Promise<TrainingLog> {
  const collected = new Collected()
  let view = createView()
  for await (const event of reader.events()) {
    view = foldEvent(view, event)
    collected.take(event)
  }
  const versions: VersionLog[] = []
  for (const { body, from } of collected.versions) {
    const { version, skill } = body
    const origins = JSON.parse(await reader.get(body.origins)) as readonly Span[]
    versions.push({ version, skill, from, origins, text: await reader.get(body.text) })
  }
  const rows = new Map<string, readonly Row[]>()
  const { steps: known, slowUpdates, validated } = collected
  const told = { view, versions, steps: [...known.values()], slowUpdates, validated }
  const wanted = [versions[0]?.skill, learnedVersion(told)?.skill]
  for (const [key, { skill, blob }] of collected.rows) {
    if (wanted.includes(skill)) rows.set(key, parseRows(await reader.get(blob)))
  }
  return { directory, ...told, rows }
}

type MutableStep = {
  step: number
  edits: Map<string, RecordedEdit>
  update: EventBody<'update.finished'> | undefined
  gate: EventBody<'gate.decided'> | undefined
}

/** Collects from the events, in order, what the proposal needs. */
class Collected {
  readonly steps = new Map<number, MutableStep>()
  readonly slowUpdates: EventBody<'slow-update.finished'>[] = []
  readonly versions: { readonly body: EventBody<'skill.version'>; from: VersionLog['from'] }[] = []
  readonly rows = new Map<string, { readonly skill: string; readonly blob: string }>()
  readonly validated = new Set<string>()
  #latest: EventBody<'skill.version'> | undefined

  take(event: RunEvent): void {
    switch (event.type) {
      case 'aggregate.finished':
        this.#keep(event.body.step, [...event.body.edits, ...(event.body.reminders ?? [])])
        break
      case 'select.finished':
        this.#keep(event.body.step, event.body.edits)
        break
      case 'rewrite.finished':
        this.#keep(event.body.step, event.body.edit === undefined ? [] : [event.body.edit])
        break
      case 'update.finished':
        this.#step(event.body.step).update = event.body
        break
      case 'gate.decided':
        if (event.body.what === 'step') this.#step(event.body.step).gate = event.body
        // A gate may decide on some of the tasks. Its scores are used only if there is no complete
        // evaluation.
        if (event.body.rows !== undefined && !this.rows.has(rowsKey('val', event.body.candidate)))
          this.#rows('val', event.body.candidate, event.body.rows)
        break
      case 'evaluation.finished':
        this.#rows(event.body.split, event.body.skill, event.body.rows)
        if (event.body.split === 'val') this.validated.add(event.body.skill)
        break
      case 'skill.version':
        this.#latest = event.body
        if (this.versions.length === 0) this.#changed(undefined)
        break
      case 'step.finished':
        this.#changed({ step: event.body.step })
        break
      case 'slow-update.finished':
        this.slowUpdates.push(event.body)
        this.#changed({ epoch: event.body.epoch })
        break
    }
  }

  #step(step: number): MutableStep {
    const known = this.steps.get(step)
    if (known !== undefined) return known
    const made: MutableStep = { step, edits: new Map(), update: undefined, gate: undefined }
    this.steps.set(step, made)
    return made
  }

  #keep(step: number, edits: readonly RecordedEdit[]): void {
    const known = this.#step(step).edits
    for (const edit of edits) known.set(edit.id, edit)
  }

  #rows(split: Split, skill: string, blob: string): void {
    this.rows.set(rowsKey(split, skill), { skill, blob })
  }

  /**
   * Records a version that changed the current text. The event of a version precedes the event that names its
   * origin, and most of these events repeat the current text.
   */
  #changed(from: VersionLog['from']): void {
    const body = this.#latest
    if (body !== undefined && body.skill !== this.versions.at(-1)?.body.skill)
      this.versions.push({ body, from })
  }
}
