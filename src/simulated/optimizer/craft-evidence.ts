import type { Craft } from '../crafts/craft.js'
import { craftOf, lessonsIn } from '../crafts/index.js'
import type { Dice } from '../random.js'
import type { Trajectory } from './sections.js'

/** Advice that failed attempts at a craft speak for. */
export interface Lacking {
  readonly name: string
  readonly wording: string
  /** All ways to put it. */
  readonly wordings: readonly string[]
  readonly trajectories: readonly number[]
}

/** The share of plain cases that the reader fails to make out: the same as with parcels. */
const overlookRate = 0.6

/** What the agent had to be told, the best-supported first; what the skill says already is not proposed again. */
export function lackingLessons(trajectories: readonly Trajectory[], skill: string, dice: Dice): Lacking[] {
  const found = new Map<string, Lacking & { trajectories: number[] }>()
  for (const trajectory of trajectories) {
    const craft = craftOfAttempt(trajectory)
    if (craft === undefined) continue
    const stated = lessonsIn(craft, skill)
    for (const [name, lesson] of Object.entries(craft.lessons)) {
      const unsaid = stated.has(name) || !lesson.isLackingIn(trajectory) ? [] : lesson.wordings
      const wordings = lesson.wordingsFor?.(trajectory, skill) ?? unsaid
      const [meant] = wordings
      if (meant === undefined || dice.chance(overlookRate)) continue
      const entry = found.get(meant) ?? {
        name,
        wording: dice.pick(wordings) ?? meant,
        wordings,
        trajectories: [],
      }
      entry.trajectories.push(trajectory.number)
      found.set(meant, entry)
    }
  }
  return [...found.values()].sort((one, other) => other.trajectories.length - one.trajectories.length)
}

/** What is said about work of this kind without evidence. */
export function remarksOn([first]: readonly Trajectory[]): Craft['remarks'] {
  return first === undefined ? undefined : craftOfAttempt(first)?.remarks
}

function craftOfAttempt({ whole, question }: Trajectory): Craft | undefined {
  return craftOf({
    model: 'target',
    messages: [
      { role: 'system', content: whole },
      { role: 'user', content: question },
    ],
  })
}
