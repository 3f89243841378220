/** Parameters of the simulated models' behaviour. Benchmarks vary them, so no result depends on one. */
export interface Character {
  /** Share of the target's replies that contain a slip although the skill is good. */
  readonly slips: number
  /** Whether the target ignores hedged advice, such as advice with "usually" or "where possible". */
  readonly literal: boolean
  /**
   * How often an edit by the optimizer states a wrong rule. `vagueAdvice` is how often it is too vague to
   * have an effect.
   */
  readonly wrongRules: number
  readonly vagueAdvice: number
  /** How often the optimizer adds a harmful edit. */
  readonly harm: number
}

export const usualCharacter: Character = {
  slips: 0.06,
  literal: false,
  wrongRules: 0.15,
  vagueAdvice: 0.3,
  harm: 0.1,
}

/** Simulated targets by model name. Each lists its differences from the default character. */
export const targetCharacters: Readonly<Partial<Record<string, Partial<Character>>>> = {
  target: {},
  'target-hasty': { slips: 0.2 },
  'target-literal': { literal: true },
}
