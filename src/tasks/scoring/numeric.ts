import { z } from 'zod'
import { numbersIn, toNumber } from './extract.js'
import { defineScorer, expectation, goldFields, goldOption, goldProblem, goldsOf, verdict } from './scorer.js'

/** Passes if the answer equals the expected number within a tolerance. In a text, the last number counts. */
export const scorer = defineScorer({
  id: 'numeric',
  options: {
    ...goldOption,
    absolute: z.number().nonnegative().default(0).describe('How far off the answer may be.'),
    relative: z
      .number()
      .nonnegative()
      .default(0)
      .describe('How far off it may be as a share of the expected number: 0.01 is one percent.'),
  },
  fields: ({ field }) => goldFields(field),
  problem(task, { field }) {
    const problem = goldProblem(task, field)
    if (problem !== undefined) return problem
    const bad = goldsOf(task, field).find(gold => parseNumber(gold) === undefined)
    return bad === undefined ? undefined : `has no number in its expected answer "${bad}"`
  },
  score({ task, answer, options: { field, absolute, relative } }) {
    const golds = goldsOf(task, field)
    const value = parseNumber(answer)
    const correct = golds.some(gold => {
      const wanted = parseNumber(gold)
      if (wanted === undefined || value === undefined) return false
      // A tiny tolerance for rounding errors, because 0.1 + 0.2 is not 0.3 in floating point.
      const slack = Math.max(absolute, relative * Math.abs(wanted)) + 1e-12 * Math.abs(wanted)
      return Math.abs(value - wanted) <= slack
    })
    const feedback = expectation(golds, answer, correct)
    return verdict(
      correct,
      value === undefined && answer !== '' ? `${feedback} There is no number in it.` : feedback,
    )
  },
})

function parseNumber(text: string): number | undefined {
  const fraction = /^\s*([-+]?\d+)\s*\/\s*(\d+)\s*$/.exec(text)
  if (fraction !== null && Number(fraction[2]) !== 0) return Number(fraction[1]) / Number(fraction[2])
  const last = numbersIn(text).at(-1)
  return last === undefined ? undefined : toNumber(last)
}
