import { stringify } from 'yaml'
import { plural } from '../core/text/format.js'
import { wordsOf } from './similar.js'
import type { PreparedTask } from './task.js'
import { canonical, textOf } from './task.js'

/** What a task states about its expected result. */
type Expectation = Pick<PreparedTask, 'answer' | 'fields'>

export interface ScorerSuggestion {
  /** The scorer as written in a config. */
  readonly scorer: string | Readonly<Record<string, unknown>>
  readonly reason: string
}

/** True if a model has to judge the replies; the config must then name a judge. */
export function needsJudge({ scorer }: Pick<ScorerSuggestion, 'scorer'>): boolean {
  return (typeof scorer === 'string' ? scorer : scorer.name) === 'rubric'
}

/** Formats a scorer as in a config, on one line. */
export function shownScorer(scorer: ScorerSuggestion['scorer']): string {
  return stringify(scorer, { collectionStyle: 'flow', lineWidth: 0 }).trim()
}

const mostLabels = 20
const longestLabel = 40
/** Maximum number of words in an answer that is compared exactly, and in one compared word by word. */
const shortAnswer = 5
const middlingAnswer = 25

/**
 * Suggests the scorer that fits the expected answers, with the reason. The most reliable signs are checked
 * first.
 */
export function suggestScorer(
  tasks: readonly Expectation[],
  kind: 'tasks' | 'evals' = 'tasks',
): ScorerSuggestion {
  if (kind === 'evals') return asEvals(tasks)
  const everyHas = (field: string) => tasks.every(({ fields }) => fields[field] !== undefined)
  if (everyHas('choices')) return { scorer: 'choice', reason: 'every task has a list of choices' }
  if (everyHas('checks')) return { scorer: 'rules', reason: 'every task has a list of checks' }
  if (everyHas('pattern')) return { scorer: 'regex', reason: 'every task has a pattern' }
  if (everyHas('schema')) return { scorer: 'json-schema', reason: 'every task has a schema' }

  const answered = tasks.filter(({ answer }) => answer !== undefined)
  const answers = answered.map(({ answer }) => answer ?? '')
  if (answered.length === 0) return { scorer: 'exact', reason: 'there are no answers yet' }
  if (answered.every(({ fields }) => isJson(fields.answer)))
    return { scorer: 'json-equal', reason: 'every answer is a JSON object or list' }
  if (answered.every(({ fields }) => listed(fields.answer).every(isNumber)))
    return { scorer: 'numeric', reason: 'every answer is a number' }

  const labels = labelsOf(tasks)
  if (labels !== undefined) {
    const shown = labels.slice(0, 5).map(({ label }) => `"${label}"`)
    const more = labels.length > shown.length ? ', …' : ''
    return {
      scorer: 'exact',
      reason: `there are ${labels.length} different answers: ${shown.join(', ')}${more}`,
    }
  }
  return byLength(answers)
}

export interface Label {
  readonly label: string
  readonly count: number
}

/** Counts the distinct answers, most common first; undefined unless they are few and short. */
export function labelsOf(tasks: readonly Expectation[]): readonly Label[] | undefined {
  const counts = new Map<string, Label>()
  for (const { answer } of tasks) {
    if (answer === undefined) continue
    if (answer.length > longestLabel) return undefined
    const key = canonical(answer)
    counts.set(key, {
      label: counts.get(key)?.label ?? answer.trim(),
      count: (counts.get(key)?.count ?? 0) + 1,
    })
  }
  const answered = tasks.filter(({ answer }) => answer !== undefined).length
  const few = counts.size > 0 && counts.size <= Math.min(mostLabels, answered / 3)
  return few ? [...counts.values()].sort((left, right) => right.count - left.count) : undefined
}

function byLength(answers: readonly string[]): ScorerSuggestion {
  const lengths = answers.map(answer => wordsOf(answer).length).sort((left, right) => left - right)
  const usual = lengths[Math.ceil(0.9 * lengths.length) - 1] ?? 0
  if (usual <= shortAnswer)
    return { scorer: 'exact', reason: `answers are short: ${plural(usual, 'word')} at most` }
  if (usual <= middlingAnswer) {
    return {
      scorer: { name: 'token-f1', threshold: 0.6 },
      reason: `answers have about ${usual} words and can be worded in several ways`,
    }
  }
  return {
    scorer: { name: 'rubric', rubric: sameAsReference },
    reason: `answers have about ${usual} words; only a judge model can compare them`,
  }
}

const sameAsReference = 'Says in substance what the reference says, and nothing that contradicts it.'
const asDescribed = 'Does what the reference describes.'

/**
 * Suggests a scorer for an `evals.json`, whose cases describe a good reply, usually with a list of points to
 * check.
 */
function asEvals(tasks: readonly Expectation[]): ScorerSuggestion {
  const field = ['assertions', 'expectations'].find(name =>
    tasks.some(({ fields }) => fields[name] !== undefined),
  )
  return {
    scorer: { name: 'rubric', rubric: asDescribed, ...(field === undefined ? {} : { field }) },
    reason: 'evals.json describes the expected result; only a judge model can compare it',
  }
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function isNumber(value: unknown): boolean {
  if (typeof value === 'number') return true
  return /^(?=.*\d)\s*[$€£]?\s*[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:\/\d+)?\s*%?\s*$/.test(
    textOf(value) ?? 'none',
  )
}

/**
 * True for an object, or for text that parses as an object or list. A list in the data is not JSON but a list
 * of accepted answers.
 */
function isJson(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return !Array.isArray(value)
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return false
  try {
    JSON.parse(value)
    return true
  } catch {
    // Not JSON: the text only begins like it.
    return false
  }
}
