import type { EventOf, StageName } from '../../../core/log/event.js'
import type { StopReason } from '../../../core/task/task.js'
import type { LinePlace } from '../../../store/read-lines.js'
import { NamePool, NumberColumn } from './columns.js'
import type { AttemptRow } from './types.js'

const numberNames = [
  ...(['seq', 'at', 'offset', 'length', 'stage', 'epoch', 'step', 'skill', 'task', 'type'] as const),
  ...(['sample', 'hard', 'soft', 'stop', 'failure', 'flags'] as const),
] as const
type NumberName = (typeof numberNames)[number]

const failedFlag = 1
const cachedFlag = 2
const none = -1

export type AttemptEvent = EventOf<'attempt.finished'> | EventOf<'attempt.failed'>

/** The attempts of a run with their positions in the log. A hundred thousand take 13 MB. */
export class AttemptColumns {
  readonly #numbers: Readonly<Record<NumberName, NumberColumn>>
  readonly #names: NamePool

  constructor(kept?: KeptColumns) {
    this.#names = new NamePool(kept?.names)
    this.#numbers = Object.fromEntries(
      numberNames.map((name, at) => {
        const bytes = kept?.numbers[at]
        return [name, bytes === undefined ? new NumberColumn() : NumberColumn.of(bytes)]
      }),
    ) as Record<NumberName, NumberColumn>
  }

  get length(): number {
    return this.#numbers.seq.length
  }

  add(event: AttemptEvent, place: LinePlace): void {
    const { seq, at, body } = event
    const named = (text: string | undefined) => (text === undefined ? none : this.#names.numberOf(text))
    const { type, sample, hard, soft, stop, failure, isFailed, isCached } = partsOf(event)
    const values: Readonly<Record<NumberName, number>> = {
      seq,
      at,
      offset: place.offset,
      length: place.length,
      stage: named(body.stage),
      epoch: body.epoch,
      step: body.step,
      skill: named(body.skill),
      task: named(body.task),
      type: named(type),
      sample,
      hard,
      soft,
      stop: named(stop),
      failure: named(failure),
      flags: (isFailed ? failedFlag : 0) | (isCached ? cachedFlag : 0),
    }
    for (const name of numberNames) this.#numbers[name].push(values[name])
  }

  /** Builds the row without object spreads, because a filter may read a hundred thousand of them. */
  row(index: number): AttemptRow {
    const numbers = this.#numbers
    const flags = numbers.flags.at(index)
    return {
      seq: numbers.seq.at(index),
      at: numbers.at.at(index),
      stage: this.#names.nameAt(numbers.stage.at(index)) as StageName,
      epoch: numbers.epoch.at(index),
      step: numbers.step.at(index),
      skill: this.#names.nameAt(numbers.skill.at(index)),
      task: this.#names.nameAt(numbers.task.at(index)),
      type: this.#names.nameAt(numbers.type.at(index)),
      sample: numbers.sample.at(index),
      status: (flags & failedFlag) === 0 ? 'scored' : 'failed',
      hard: numbers.hard.at(index),
      soft: numbers.soft.at(index),
      stop: this.#nameOrNone(numbers.stop.at(index)) as StopReason | undefined,
      failure: this.#nameOrNone(numbers.failure.at(index)),
      cached: (flags & cachedFlag) !== 0,
    }
  }

  #nameOrNone(number: number): string | undefined {
    return number === none ? undefined : this.#names.nameAt(number)
  }

  placeAt(index: number): LinePlace {
    return { offset: this.#numbers.offset.at(index), length: this.#numbers.length.at(index) }
  }

  /** Returns -1 if the event with this `seq` is not an attempt. */
  indexOf(seq: number): number {
    return this.#numbers.seq.find(seq)
  }

  kept(): KeptColumns {
    return { names: this.#names.names, numbers: numberNames.map(name => this.#numbers[name].bytes()) }
  }
}

/** Serialized form, as written to disk. */
export interface KeptColumns {
  readonly names: readonly string[]
  readonly numbers: readonly Uint8Array[]
}

function partsOf(event: AttemptEvent) {
  const unscored = { hard: 0, soft: 0, stop: undefined, isFailed: true }
  if (event.type === 'attempt.failed') {
    const { sample, kind } = event.body
    return { ...unscored, type: '', sample, failure: kind, isCached: false }
  }
  const { type, sample, outcome, cached } = event.body
  const about = { type, sample, isCached: cached === true }
  if (outcome.status === 'failed') return { ...unscored, ...about, failure: outcome.failure.kind }
  const { hard, soft } = outcome.score
  return { ...about, hard, soft, stop: outcome.stop, failure: undefined, isFailed: false }
}
