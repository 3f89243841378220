import { type Character, usualCharacter } from '../src/simulated/character.js'

/** A simulated world to train in: how many tasks there are, and what the models are like. */
export interface World {
  readonly name: string
  readonly sizes: { readonly train: number; readonly val: number; readonly test: number }
  readonly character: Character
  /** In a few words, for a table. */
  readonly about: string
}

/** Of different size, noise and difficulty. The last is as large as the paper's SearchQA. */
export const worlds: readonly World[] = [
  {
    name: 'small',
    sizes: { train: 120, val: 60, test: 400 },
    character: { ...usualCharacter, slips: 0.03 },
    about: 'a target that seldom slips',
  },
  {
    name: 'noisy',
    sizes: { train: 200, val: 100, test: 700 },
    character: { ...usualCharacter, slips: 0.25, wrongRules: 0.3, harm: 0.2 },
    about: 'a target that often slips, an optimizer that often errs',
  },
  {
    name: 'large',
    sizes: { train: 400, val: 200, test: 1400 },
    character: { ...usualCharacter, slips: 0.12, vagueAdvice: 0.5 },
    about: 'an optimizer whose advice is often too vague to matter',
  },
]

/** The same worlds with a handful of tasks each: to see that a benchmark works, not what it finds. */
export const tinyWorlds: readonly World[] = worlds.map(world => ({
  ...world,
  sizes: { train: 80, val: 30, test: 40 },
}))
