import type { GateFactory, Seen } from '../../core/ports/gate.js'
import { missingFrom } from '../../core/task/metric.js'
import { brokenFloors, type Floors } from './broken-floors.js'
import { followed } from './replay.js'

/**
 * A decorator for any gate: rejects an accepted candidate that falls below a floor set by the user. A gain
 * in the metric may cost accuracy, tokens or time; a floor limits how much.
 */
export function withFloors(createGate: GateFactory, floors: Floors): GateFactory {
  return context => {
    const gate = createGate(context)
    const follow = followed(gate)
    const everyTask = context.tasks.map(task => ({ side: 'candidate', task, sample: 0 }) as const)
    return {
      id: gate.id,
      score: gate.score,
      next(seen) {
        const answer = follow(seen)
        if ('run' in answer || answer.decision !== 'accept') return answer
        // A floor applies to the whole split, and a gate may accept before it has seen every task.
        const unseen = missingFrom(seen, everyTask)
        if (unseen.length > 0) return { run: unseen }
        const broken = brokenFloors(rowsOf(seen, 'current'), rowsOf(seen, 'candidate'), floors)
        if (broken.length === 0) return { ...answer, complete: true }
        const reason = `Below a floor: ${broken.join('; ')}. It would have been accepted otherwise. ${answer.reason}`
        return { ...answer, complete: true, decision: 'reject', reason }
      },
    }
  }
}

const rowsOf = (seen: readonly Seen[], side: Seen['side']) =>
  seen.filter(one => one.side === side).map(({ row }) => row)
