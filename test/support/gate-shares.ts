import {
  CurrentSkill,
  chancesOf,
  type EditKind,
  edited,
  type Noise,
  play as playOnce,
  randomFrom,
} from '../../bench/gate-world.js'
import type { Decision, GateFactory } from '../../src/core/ports/gate.js'

/** Shares of each decision about candidates of this kind, in worlds of 40 tasks with a known truth. */
export function shares(
  gate: GateFactory,
  edit: Omit<EditKind, 'name'>,
  noises: readonly Noise[],
  decisions: number,
) {
  const counts: Record<Decision, number> = { accept: 0, reject: 0, underpowered: 0, abstain: 0 }
  for (let seed = 0; seed < decisions; seed += 1) {
    const random = randomFrom(seed * 7919 + 1)
    const chances = chancesOf(40, noises[seed % noises.length] ?? 'none', random)
    const candidate = edited(chances, { name: '', ...edit }, random)
    counts[playOnce(gate, new CurrentSkill(chances, random), candidate, random).verdict.decision] += 1
  }
  return { accept: counts.accept / decisions, underpowered: counts.underpowered / decisions }
}

/** Upper bound for a rate of 5% measured in this many decisions: three standard deviations above it. */
export const atMostFive = (decisions: number) => 0.05 + 3 * Math.sqrt((0.05 * 0.95) / decisions)
