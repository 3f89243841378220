import type { SkillLimit } from './skill-limit.js'

/** A document of which only one part is trained. */
export interface SkillFrame {
  /** What the agent reads: the whole, with this as its part. */
  fill(part: string): string
  /** For the optimizer, which has to know what is said already and cannot be changed. */
  readonly around: string
  /** What the part may become. */
  readonly limit: SkillLimit
}
