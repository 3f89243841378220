import type { Check } from '../core/task/check.js'
import type { Dice } from '../simulated/random.js'

/** The data of a request, as the persona pastes it. */
export type Facts = Readonly<Record<string, string>>

/** A fictional user whose work with an agent recurs and who is particular about its form. */
export interface Persona {
  /** Short description. */
  readonly title: string
  /** Name of the project folder. */
  readonly project: string
  facts(dice: Dice): Facts
  /** The agent's default answer, before it has learned any convention. */
  answer(facts: Facts): string
  readonly conventions: Readonly<Record<string, Convention>>
  readonly intents: readonly Intent[]
  /** Requests that are made only once. */
  readonly oneOffs: readonly string[]
}

/** A format rule that the persona states only when an answer breaks it. */
export interface Convention {
  readonly complaints: readonly [string, ...string[]]
  /** Checks that hold for an answer that follows the rule; used for measuring and never shown to a model. */
  checks(facts: Facts): readonly Check[]
}

/** A recurring request. */
export interface Intent {
  readonly id: string
  readonly wordings: readonly [string, ...string[]]
  /** The conventions that its answers are judged by. */
  readonly wants: readonly [string, ...string[]]
}

/** A single line without a space, that is, only the name. */
export const nothingAround: readonly Check[] = [{ op: 'regex', arg: '^\\S+$' }]

export function requestText(wording: string, facts: Facts): string {
  const lines = Object.entries(facts).map(([name, value]) => `${name}: ${value}`)
  return `${wording}:\n\n\`\`\`\n${lines.join('\n')}\n\`\`\``
}
