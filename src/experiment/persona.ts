import type { Check } from '../core/task/check.js'
import type { Dice } from '../simulated/random.js'

/** The data of a request that the persona pastes into it. */
export type Facts = Readonly<Record<string, string>>

/** A fictional user who repeats certain requests and has firm rules for the form of the answers. */
export interface Persona {
  /** Short description of the persona. */
  readonly title: string
  /** Name of the project folder. */
  readonly project: string
  facts(dice: Dice): Facts
  /** Returns the agent's default answer, before it has learned any convention. */
  answer(facts: Facts): string
  readonly conventions: Readonly<Record<string, Convention>>
  readonly intents: readonly Intent[]
  /** Requests that are made only once. */
  readonly oneOffs: readonly string[]
}

/** A format rule that the persona states only when an answer breaks it. */
export interface Convention {
  readonly complaints: readonly [string, ...string[]]
  /**
   * Returns checks that pass if an answer follows the rule. They are used for measuring and never shown to a
   * model.
   */
  checks(facts: Facts): readonly Check[]
}

/** A request that the persona makes again and again. */
export interface Intent {
  readonly id: string
  readonly wordings: readonly [string, ...string[]]
  /** Names of the conventions that the answers must follow. */
  readonly wants: readonly [string, ...string[]]
}

/** Passes for a single line without spaces, that is, for an answer that is only the name. */
export const nothingAround: readonly Check[] = [{ op: 'regex', arg: '^\\S+$' }]

export function requestText(wording: string, facts: Facts): string {
  const lines = Object.entries(facts).map(([name, value]) => `${name}: ${value}`)
  return `${wording}:\n\n\`\`\`\n${lines.join('\n')}\n\`\`\``
}
