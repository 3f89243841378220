/** What a simulated model is like. Benchmarks vary it, so that no figure rests on one world alone. */
export interface Character {
  /** The share of the target's replies with a slip when the skill is sound. */
  readonly slips: number
  /** Whether the target passes over advice with a hedge, such as "usually" or "where possible". */
  readonly literal: boolean
  /** How often an edit of the optimizer has the wrong rule, how often it is too vague to matter. */
  readonly wrongRules: number
  readonly vagueAdvice: number
  /** How often the optimizer adds an edit that does damage. */
  readonly harm: number
}

export const usualCharacter: Character = {
  ...{ slips: 0.06, literal: false },
  ...{ wrongRules: 0.15, vagueAdvice: 0.3, harm: 0.1 },
}

/** The targets, by the names of their models, each with what differs from the usual one. */
export const targetCharacters: Readonly<Partial<Record<string, Partial<Character>>>> = {
  target: {},
  'target-hasty': { slips: 0.2 },
  'target-literal': { literal: true },
}
