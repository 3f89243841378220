import type { Dice } from '../random.js'
import { lessonsIn, solverOf } from '../solvers/index.js'
import type { Solver } from '../solvers/solver.js'
import type { Trajectory } from './sections.js'

/** A lesson that the skill lacks, as failed attempts show. */
export interface Lacking {
  readonly name: string
  readonly wording: string
  /** All wordings that the optimizer may choose from. */
  readonly wordings: readonly string[]
  readonly trajectories: readonly number[]
}

/** Share of clear cases that the optimizer overlooks. It is the same as for parcel quotes. */
const overlookRate = 0.6

/** Lessons that the agent lacked, with the best supported first. Lessons in the skill are left out. */
export function lackingLessons(trajectories: readonly Trajectory[], skill: string, dice: Dice): Lacking[] {
  const found = new Map<string, Lacking & { trajectories: number[] }>()
  for (const trajectory of trajectories) {
    const solver = craftOfAttempt(trajectory)
    if (solver === undefined) continue
    const stated = lessonsIn(solver, skill)
    for (const [name, lesson] of Object.entries(solver.lessons)) {
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

/** General remarks about this kind of work, which need no evidence. */
export function remarksOn([first]: readonly Trajectory[]): Solver['remarks'] {
  return first === undefined ? undefined : craftOfAttempt(first)?.remarks
}

function craftOfAttempt({ whole, question }: Trajectory): Solver | undefined {
  return solverOf({
    model: 'target',
    messages: [
      { role: 'system', content: whole },
      { role: 'user', content: question },
    ],
  })
}
