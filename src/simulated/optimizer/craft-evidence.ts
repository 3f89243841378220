import { craftOf, lessonsIn } from '../crafts/index.js'
import type { Dice } from '../random.js'
import type { Trajectory } from './sections.js'

/** Advice that failed attempts at a craft speak for. */
export interface Lacking {
  readonly name: string
  readonly wording: string
  readonly trajectories: readonly number[]
}

/** The share of plain cases that the reader fails to make out: the same as with parcels. */
const overlookRate = 0.6

/** What the agent had to be told, the best-supported first; what the skill says already is not proposed again. */
export function lackingLessons(trajectories: readonly Trajectory[], skill: string, dice: Dice): Lacking[] {
  const found = new Map<string, { wording: string; trajectories: number[] }>()
  for (const trajectory of trajectories) {
    const craft = craftOf({
      model: 'target',
      messages: [
        { role: 'system', content: trajectory.whole },
        { role: 'user', content: trajectory.question },
      ],
    })
    if (craft === undefined) continue
    const stated = lessonsIn(craft, skill)
    for (const [name, lesson] of Object.entries(craft.lessons)) {
      if (stated.has(name) || !lesson.isLackingIn(trajectory) || dice.chance(overlookRate)) continue
      const entry = found.get(name) ?? { wording: dice.pick(lesson.wordings), trajectories: [] }
      entry.trajectories.push(trajectory.number)
      found.set(name, entry)
    }
  }
  return [...found]
    .map(([name, { wording, trajectories: numbers }]) => ({ name, wording, trajectories: numbers }))
    .sort((one, other) => other.trajectories.length - one.trajectories.length)
}
