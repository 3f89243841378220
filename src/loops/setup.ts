import type { Config } from '../core/config.js'
import type { Environment, GateFactory, Harness, Model } from '../core/ports.js'
import type { Split, Task } from '../core/task.js'
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
  readonly models: { readonly target: Model; readonly optimizer: Model; readonly judge?: Model }
  readonly gate: GateFactory
  readonly prompts: Prompts
  /** Hashes of content that the config only names: skill, splits, prompts. */
  readonly fingerprints: Readonly<Record<string, string>>
  readonly simulated: boolean
}

/** Whether every model is known to cost nothing: then nobody has to be asked. An unknown price is not free. */
export function isFree(models: Partial<Setup['models']>): boolean {
  return Object.values(models).every(model => model.price?.input === 0 && model.price.output === 0)
}
