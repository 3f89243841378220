/**
 * Behaviour parameters of the simulated models. Benchmarks vary them, so that no figure depends on one
 * setting.
 */
export interface Character {
  /** Share of the target's replies that contain a slip although the skill is sound. */
  readonly slips: number
  /** Whether the target ignores hedged advice, such as "usually" or "where possible". */
  readonly literal: boolean
  /** How often an edit by the optimizer states the wrong rule, and how often it is too vague to matter. */
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

/** Simulated targets by model name, each with its differences from the default character. */
export const targetCharacters: Readonly<Partial<Record<string, Partial<Character>>>> = {
  target: {},
  'target-hasty': { slips: 0.2 },
  'target-literal': { literal: true },
}
