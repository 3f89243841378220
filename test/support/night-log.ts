import type { RecordedEdit } from '../../src/core/log/event.js'
import { type SkillDocument, seedDocument, setRegion } from '../../src/core/skill/document.js'
import { applyEdits } from '../../src/core/skill/edit.js'
import { skillHash } from '../../src/core/skill/skill.js'
import { type TrainingLog, trainingLog } from '../../src/sleep/proposal/training-log.js'
import { LogBuilder } from './sample-run.js'

/** One step of a training, or a slow update, with the gate's verdict. */
export type NightStep =
  | {
      readonly edits: readonly RecordedEdit[]
      readonly accept: boolean
      readonly reason?: string
      /** Accepted before all tasks were seen, so it has no score yet. */
      readonly early?: boolean
    }
  | { readonly guidance: string; readonly outcome: 'accepted' | 'rejected' | 'forced' }

export interface NightLogOptions {
  readonly gate?: string
  readonly simulated?: boolean
  readonly because?: string
  /** Scores by task, for the text at the night's start and for the learned one. */
  readonly val?: { readonly before: readonly number[]; readonly after: readonly number[] }
  readonly test?: { readonly before: readonly number[]; readonly after: readonly number[] }
  readonly directory?: string
}

export function recorded(id: string, rest: Partial<RecordedEdit> = {}): RecordedEdit {
  const about = { id, why: 'It failed.', support: 1, from: 'failure', tasks: ['greet.1'] }
  return { ...about, op: 'append', content: `- Rule ${id}.`, ...rest } as RecordedEdit
}

/** A hand-made log of a night's training, as the loop would have written it. */
export async function nightLog(
  region: string,
  steps: readonly NightStep[],
  options: NightLogOptions = {},
): Promise<TrainingLog> {
  const log = new LogBuilder().start({
    config: { evaluation: { gate: options.gate ?? 'strict', metric: 'hard' } },
    simulated: options.simulated ?? false,
  })
  const writer = new Writer(log, seedDocument(region))
  for (const [index, step] of steps.entries()) {
    if ('guidance' in step) writer.slowUpdate(index + 1, step.guidance, step.outcome)
    else writer.step(index + 1, step)
  }
  for (const split of ['val', 'test'] as const) {
    const scores = options[split]
    if (scores === undefined) continue
    writer.scores(split, skillHash(region), scores.before)
    writer.scores(split, skillHash(writer.current.text), scores.after)
  }
  log.call('rollout', 1, 1)
  log.add('run.finished', {
    best: 1,
    last: 1,
    score: 1,
    ...(options.because && { because: options.because }),
  })
  return trainingLog(options.directory ?? '/night/runs/target', log.reader())
}

class Writer {
  current: SkillDocument
  readonly #log: LogBuilder
  #score = 0

  constructor(log: LogBuilder, seed: SkillDocument) {
    this.#log = log
    this.current = seed
    this.#version(0)
    this.#best(0)
  }

  step(
    step: number,
    { edits, accept, reason = 'Why not.', early = false }: Extract<NightStep, { accept: boolean }>,
  ): void {
    const at = { epoch: 1, step }
    const log = this.#log
    const { document, reports } = applyEdits(this.current, edits)
    const skill = skillHash(document.text)
    log.add('step.started', { ...at, tasks: ['greet.1'], skill: skillHash(this.current.text) })
    log.add('aggregate.finished', { ...at, edits: [...edits], failed: 0 })
    log.add('select.finished', { ...at, budget: 4, edits: [...edits], dropped: [], failed: 0 })
    log.add('update.finished', { ...at, skill, text: log.put(document.text), reports: [...reports] })
    this.#decide('step', step, skill, accept, reason, early)
    if (accept) {
      this.current = document
      if (!early) this.#best(step)
    }
    this.#version(step)
    log.add('step.finished', {
      ...at,
      outcome: accept ? 'accepted' : 'rejected',
      skill: skillHash(this.current.text),
    })
  }

  slowUpdate(epoch: number, guidance: string, outcome: 'accepted' | 'rejected' | 'forced'): void {
    const changed = setRegion(this.current, 'SLOW_UPDATE', { text: guidance, origin: `slow-update:${epoch}` })
    if (outcome !== 'forced')
      this.#decide('slow-update', epoch, skillHash(changed.text), outcome === 'accepted', 'Why not.')
    if (outcome !== 'rejected') {
      this.current = changed
      this.#best(epoch)
      this.#version(epoch)
    }
    this.#log.add('slow-update.finished', { epoch, guidance, outcome, reasoning: 'It lasts.' })
  }

  scores(split: 'val' | 'test', skill: string, scores: readonly number[]): void {
    const tasks = scores.map((hard, index) => ({
      task: `${split}-task.${index + 1}`,
      type: '',
      sample: 0,
      hard,
      soft: hard,
    }))
    const rows = this.#log.put(tasks.map(row => JSON.stringify(row)).join('\n'))
    const summary = { hard: 0, soft: 0, scored: scores.length, failed: 0, score: 0, rows }
    this.#log.add('evaluation.finished', { stage: 'test', epoch: 0, step: 0, skill, split, ...summary })
  }

  #decide(
    what: 'step' | 'slow-update',
    step: number,
    candidate: string,
    accept: boolean,
    reason: string,
    early = false,
  ): void {
    this.#log.add('gate.decided', {
      epoch: step,
      step,
      what,
      candidate,
      current: this.#score,
      score: 0,
      best: this.#score,
      action: accept ? (early ? 'accept' : 'accept_new_best') : 'reject',
      verdict: { decision: accept ? 'accept' : 'reject', complete: !early, reason },
    })
  }

  #stored(version: number) {
    const { text, origins } = this.current
    return {
      version,
      skill: skillHash(text),
      text: this.#log.put(text),
      origins: this.#log.put(JSON.stringify(origins)),
    }
  }

  #version(version: number): void {
    this.#log.add('skill.version', { ...this.#stored(version), because: '' })
  }

  #best(version: number): void {
    this.#score += 0.01
    this.#log.add('best.changed', { ...this.#stored(version), score: this.#score })
  }
}
