import type { Check } from '../core/task/check.js'
import type { Dice } from '../simulated/random.js'

/** What a request is about, as the person pastes it. */
export type Facts = Readonly<Record<string, string>>

/** A made-up person whose work with an agent recurs, and who is particular about its form. */
export interface Persona {
  /** Who it is, in a few words. */
  readonly title: string
  /** The folder in which they work. */
  readonly project: string
  facts(dice: Dice): Facts
  /** What the agent makes of the facts, as long as nobody has told it better. */
  answer(facts: Facts): string
  readonly conventions: Readonly<Record<string, Convention>>
  readonly intents: readonly Intent[]
  /** Asked once, and never again. */
  readonly oneOffs: readonly string[]
}

/** A form that the person wants kept, and says so only where it is not. */
export interface Convention {
  readonly complaints: readonly [string, ...string[]]
  /** What is true of an answer that keeps it: for measuring, and shown to no model. */
  checks(facts: Facts): readonly Check[]
}

/** Something that the person asks for again and again. */
export interface Intent {
  readonly id: string
  readonly wordings: readonly [string, ...string[]]
  /** The conventions that it is judged by. */
  readonly wants: readonly [string, ...string[]]
}

/** A single line without a space: all that is left is the name. */
export const nothingAround: readonly Check[] = [{ op: 'regex', arg: '^\\S+$' }]

export function requestText(wording: string, facts: Facts): string {
  const lines = Object.entries(facts).map(([name, value]) => `${name}: ${value}`)
  return `${wording}:\n\n\`\`\`\n${lines.join('\n')}\n\`\`\``
}
