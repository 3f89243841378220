import { distance } from 'fastest-levenshtein'
import { z } from 'zod'
import { InputError } from '../../core/errors/errors.js'
import { scorer as anls } from './anls.js'
import { scorer as choice } from './choice.js'
import { scorer as command } from './command.js'
import { scorer as contains } from './contains.js'
import { scorer as exact } from './exact.js'
import { scorer as jsonEqual } from './json-equal.js'
import { scorer as jsonSchema } from './json-schema.js'
import { scorer as numeric } from './numeric.js'
import { scorer as officeqa } from './officeqa.js'
import { scorer as regex } from './regex.js'
import { scorer as rubric } from './rubric.js'
import { scorer as rules } from './rules.js'
import type { Base, BoundScorer, Scorer } from './scorer.js'
import { scorer as searchqa } from './searchqa.js'
import { scorer as tokenF1 } from './token-f1.js'
import { weightedScorer } from './weighted.js'

/** How the config names a scorer: by its name, or by its name with options. */
export const scorerConfig = z.union([z.string(), z.looseObject({ name: z.string() })])

export const scorers: readonly Scorer[] = [
  exact,
  contains,
  regex,
  numeric,
  tokenF1,
  anls,
  jsonEqual,
  jsonSchema,
  choice,
  rules,
  searchqa,
  officeqa,
  command,
  rubric,
  weightedScorer(scorerConfig, chooseScorer),
]

/** Finds a scorer and parses its options. Throws for an unknown scorer or option. */
export function chooseScorer(
  config: z.infer<typeof scorerConfig>,
  base: Base = { baseDir: process.cwd() },
): BoundScorer {
  const { name, ...given } = typeof config === 'string' ? { name: config } : config
  const scorer = scorers.find(candidate => candidate.id === name)
  if (scorer === undefined) {
    const names = scorers.map(({ id }) => id)
    throw new InputError(`There is no scorer named "${name}".`, {
      hint: `Did you mean "${nearest(name, names)}"? Scorers: ${names.join(', ')}.`,
    })
  }
  const known = Object.keys(scorer.options.shape)
  const unknown = Object.keys(given).find(key => !known.includes(key))
  if (unknown !== undefined) {
    throw new InputError(`The scorer "${name}" has no option "${unknown}".`, {
      hint: `Did you mean "${nearest(unknown, known)}"? Options: ${known.join(', ')}.`,
    })
  }
  const usual = base.wholeAnswer === true && known.includes('extract') ? { extract: 'whole' } : {}
  const parsed = scorer.options.safeParse({ ...usual, ...given })
  if (!parsed.success) {
    throw new InputError(
      `The options of the scorer "${name}" are not valid: ${z.prettifyError(parsed.error)}`,
      {
        hint: `Options: ${known.join(', ')}.`,
      },
    )
  }
  const problem = scorer.optionsProblem(parsed.data)
  if (problem !== undefined) {
    throw new InputError(`The scorer "${name}" cannot be used: its options ${problem}.`, {
      hint: 'Correct the option in the configuration.',
    })
  }
  return scorer.bind(parsed.data, base)
}

/** The name that is most similar to the written one, for a suggestion. */
export function nearest(written: string, names: readonly string[]): string {
  const ranked = [...names].sort((left, right) => distance(written, left) - distance(written, right))
  return ranked[0] ?? written
}
