import type { Gate, Seen, Side } from '../../core/ports/gate.js'
import { missingAttempts } from '../../core/task/metric.js'

/**
 * For gate decorators: shows the wrapped gate only the attempts that it asked for, because the decorator's
 * own attempts could change its decision. Progress is kept between calls only to save time.
 */
export function replayTo(gate: Gate): Gate['next'] {
  let given: readonly Seen[] = []
  return seen => {
    const known = new Map(seen.map(one => [keyOf(one.side, one.row), one]))
    if (given.some(one => known.get(keyOf(one.side, one.row)) !== one)) given = []
    for (;;) {
      const answer = gate.next(given)
      if (!('run' in answer)) return answer
      const wanted = missingAttempts(given, answer.run)
      const found = wanted.flatMap(one => known.get(keyOf(one.side, one)) ?? [])
      if (found.length < wanted.length || wanted.length === 0)
        return { run: missingAttempts(seen, answer.run) }
      given = [...given, ...found]
    }
  }
}

const keyOf = (side: Side, { task, sample }: { readonly task: string; readonly sample: number }): string =>
  `${side} ${sample} ${task}`
