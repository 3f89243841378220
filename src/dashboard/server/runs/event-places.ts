import type { EventType, RunEvent } from '../../../core/log/event.js'
import type { LinePlace } from '../../../store/read-lines.js'
import { NumberColumn } from './columns.js'

/** Every so many events, the place of one is kept: from there it is not far to any other. */
const markedEvery = 64

/** These come by the hundred thousand. Attempts have a table of their own; calls are looked at by nobody. */
const unplaced: ReadonlySet<EventType> = new Set<EventType>([
  ...(['call.started', 'call.finished', 'call.failed', 'attempt.finished', 'attempt.failed'] as const),
])

/** Where the events of a log stand. */
export class EventPlaces {
  readonly #marks: NumberColumn
  readonly #types: Map<string, NumberColumn>

  constructor(kept?: KeptPlaces) {
    this.#marks = kept === undefined ? new NumberColumn() : NumberColumn.of(kept.marks)
    this.#types = new Map(kept?.types.map(([type, bytes]) => [type, NumberColumn.of(bytes)]))
  }

  add({ seq, type }: RunEvent, { offset, length }: LinePlace): void {
    if (seq % markedEvery === 0) this.#marks.push(offset)
    if (unplaced.has(type)) return
    const column = this.#types.get(type) ?? new NumberColumn()
    this.#types.set(type, column)
    column.push(offset)
    column.push(length)
  }

  /** From where on to read in order to come to an event, and how many others stand before it from there. */
  near(seq: number): { readonly offset: number; readonly skip: number } {
    return { offset: this.#marks.at(Math.floor(seq / markedEvery)), skip: seq % markedEvery }
  }

  of(type: EventType): readonly LinePlace[] {
    if (unplaced.has(type)) throw new Error(`Events of the type ${type} are too many to be listed.`)
    const column = this.#types.get(type)
    const count = (column?.length ?? 0) / 2
    return Array.from({ length: count }, (_, at) => ({
      offset: column?.at(2 * at) ?? 0,
      length: column?.at(2 * at + 1) ?? 0,
    }))
  }

  kept(): KeptPlaces {
    return {
      marks: this.#marks.bytes(),
      types: [...this.#types].map(([type, column]) => [type, column.bytes()]),
    }
  }
}

export interface KeptPlaces {
  readonly marks: Uint8Array
  readonly types: readonly (readonly [type: string, places: Uint8Array])[]
}
