import { z } from 'zod'
import { pythonRegex } from './python-text.js'
import { defineScorer, type Fields, quote, verdict } from './scorer.js'

/** Passes if the answer matches a regular expression (Python's syntax), for all tasks or one per task. */
export const scorer = defineScorer({
  id: 'regex',
  options: {
    pattern: z.string().optional().describe('The pattern for all tasks. Default: each task has its own.'),
    field: z
      .string()
      .default('pattern')
      .describe('The task field with the pattern, where none is given for all.'),
    caseSensitive: z.boolean().default(true).describe('Whether upper and lower case are told apart.'),
    whole: z.boolean().default(false).describe('Whether the whole answer must match, not just a part of it.'),
  },
  fields: ({ pattern, field }) => (pattern === undefined ? [field] : []),
  optionsProblem: ({ pattern }) => (pattern === undefined ? undefined : patternProblem(pattern, 'pattern')),
  problem(task, { pattern, field }) {
    if (pattern !== undefined) return undefined
    if (typeof task[field] !== 'string') return `has no pattern in "${field}"`
    return patternProblem(task[field], `"${field}"`)
  },
  score({ task, answer, options: { pattern, field, caseSensitive, whole } }) {
    const wanted = pattern ?? ownPattern(task, field)
    const compiled = pythonRegex(whole ? `\\A(?:${wanted})\\Z` : wanted, caseSensitive ? '' : 'i')
    const correct = compiled.test(answer)
    const shown = answer === '' ? 'no answer' : quote(answer)
    return verdict(correct, correct ? `Correct: ${shown}.` : `Expected a match of /${wanted}/; got ${shown}.`)
  },
})

function ownPattern(task: Fields, field: string): string {
  const own = task[field]
  return typeof own === 'string' ? own : '(?!)'
}

function patternProblem(pattern: string, where: string): string | undefined {
  try {
    pythonRegex(pattern)
    return undefined
  } catch (error) {
    if (error instanceof SyntaxError) return `has no valid regular expression in ${where}: ${error.message}`
    throw error
  }
}
