/** What a simulated model is like. Benchmarks vary it, so that no figure rests on one world alone. */
export interface Character {
  /** The share of the target's replies with a slip when the skill is sound. */
  readonly slips: number
  /** How often an edit of the optimizer has the wrong rule, how often it is too vague to matter. */
  readonly wrongRules: number
  readonly vagueAdvice: number
  /** How often the optimizer adds an edit that does damage. */
  readonly harm: number
}

export const usualCharacter: Character = { slips: 0.06, wrongRules: 0.15, vagueAdvice: 0.3, harm: 0.1 }
