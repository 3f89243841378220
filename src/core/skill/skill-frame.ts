import type { SkillLimit } from './skill-limit.js'

/** A document of which only one part is trained. */
export interface SkillFrame {
  /** The whole document as the agent reads it, with `part` filled in. */
  fill(part: string): string
  /** The fixed text around the part, shown to the optimizer. */
  readonly around: string
  /** Limit on the length of the part. */
  readonly limit: SkillLimit
}
