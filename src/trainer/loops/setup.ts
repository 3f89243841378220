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

/** Everything a loop needs, checked: built from a project on disk, or by hand in a test. */
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
  /** What a trained skill has to pass before it ships, against the seed. */
  readonly finalGate: GateFactory
  readonly prompts: Prompts
  /** What the skill may become, if there is a limit. */
  readonly limit?: SkillLimit
  /** The document that the skill is a part of, where it is not the whole. */
  readonly frame?: SkillFrame
  /** What earlier runs have learned about training this skill. */
  readonly carried?: CarriedMemory
  /** Hashes of content that the config only names: skill, splits, prompts. */
  readonly fingerprints: Readonly<Record<string, string>>
  readonly simulated: boolean
  /** The folder of evaluations that it shares with other runs, if it does. */
  readonly cache?: string | undefined
  /** Opens those who read along besides the display, such as telemetry. */
  readonly readers?: ((context: ReaderContext) => Promise<readonly EventReader[]>) | undefined
}

/** Whether every model is known to cost nothing: then nobody has to be asked. An unknown price is not free. */
export function isFree(models: Partial<Setup['models']>): boolean {
  return Object.values(models).every(model => model.price?.input === 0 && model.price.output === 0)
}
