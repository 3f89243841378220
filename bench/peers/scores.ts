import type { World } from '../worlds/world.js'

/** Numbers of target calls at which scores are compared. */
export const milestones = [250, 500, 1_000, 2_000] as const

/**
 * True score of the skill that would have shipped at each milestone; the seed skill's score before the first
 * note.
 */
export function scoresAt(
  world: World,
  notes: readonly { readonly calls: number; readonly skill: string }[],
  calls: readonly number[] = milestones,
): number[] {
  return calls.map(limit =>
    world.trueScore(notes.findLast(note => note.calls <= limit)?.skill ?? world.seedSkill),
  )
}
