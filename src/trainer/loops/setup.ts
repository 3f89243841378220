import type { Config } from '../../core/config/config.js'
import type { Environment } from '../../core/ports/environment.js'
import type { GateFactory } from '../../core/ports/gate.js'
import type { Harness } from '../../core/ports/harness.js'
import type { Model } from '../../core/ports/model.js'
import type { Sandbox } from '../../core/ports/sandbox.js'
import type { EventReader, ReaderContext } from '../../core/ports/store.js'
import type { SkillFrame } from '../../core/skill/skill-frame.js'
import type { SkillLimit } from '../../core/skill/skill-limit.js'
import type { Split, Task } from '../../core/task/task.js'
import type { CarriedMemory } from '../stages/memory.js'
import type { Prompts } from '../stages/prompts.js'

/** Everything that a loop needs, already validated. Built from a project on disk, or in a test. */
export interface Setup {
  readonly name: string
  readonly config: Config
  /** The seed skill's text. */
  readonly skill: string
  readonly tasks: Readonly<Record<Split, readonly Task[]>>
  readonly environment: Environment
  readonly harness: Harness
  readonly sandbox: Sandbox
  readonly models: { readonly target: Model; readonly optimizer: Model; readonly judge?: Model }
  readonly gate: GateFactory
  /** The gate that a trained skill must pass against the seed before it ships. */
  readonly finalGate: GateFactory
  readonly prompts: Prompts
  /** Limit on the length of the skill, if any. */
  readonly limit?: SkillLimit
  /** The document that contains the skill, if the skill is only part of it. */
  readonly frame?: SkillFrame
  /** Memory of earlier runs that trained this skill. */
  readonly carried?: CarriedMemory
  /** Hashes of content that the config only refers to: skill, splits, prompts. */
  readonly fingerprints: Readonly<Record<string, string>>
  readonly simulated: boolean
  /** Cache folder of evaluations shared with other runs, if any. */
  readonly cache?: string | undefined
  /** Opens event readers besides the display, such as telemetry. */
  readonly readers?: ((context: ReaderContext) => Promise<readonly EventReader[]>) | undefined
}

/**
 * Whether every model is known to be free, so that no confirmation is needed. An unknown price is not free.
 */
export function isFree(models: Partial<Setup['models']>): boolean {
  return Object.values(models).every(model => model.price?.input === 0 && model.price.output === 0)
}
