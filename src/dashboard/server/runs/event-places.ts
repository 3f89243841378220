import type { EventType, RunEvent } from '../../../core/log/event.js'
import type { LinePlace } from '../../../store/read-lines.js'
import { NumberColumn } from './columns.js'

/** Every 64th event's offset is stored. Other events are found by reading on from the nearest one before. */
const markedEvery = 64

/** Event types without a position index. Attempts have their own table, and calls are never looked up. */
const unplaced: ReadonlySet<EventType> = new Set<EventType>([
  ...(['call.started', 'call.finished', 'call.failed', 'attempt.finished', 'attempt.failed'] as const),
])

/** Byte offsets of the events in a log. */
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

  /** Byte offset to seek to for an event, and the number of events to skip from there. */
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
