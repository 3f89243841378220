import { z } from 'zod'
import { givenJson, isContainer, listSome, readJson, showPath } from './json.js'
import { defineScorer, quote } from './scorer.js'

/**
 * Passes if the answer equals the expected JSON; the order of keys does not matter. Soft is the share of
 * expected values that match.
 */
export const scorer = defineScorer({
  id: 'json-equal',
  extract: 'tag-or-whole',
  options: {
    field: z
      .string()
      .default('answer')
      .describe('The task field with the expected JSON: a value, or its text.'),
    ignore: z
      .array(z.string().min(1))
      .default([])
      .describe(
        'Fields that do not count, by their path from the top: `date`, or `lines.*.id` for all of a list.',
      ),
    absolute: z.number().nonnegative().default(0).describe('How far off a number may be.'),
    relative: z
      .number()
      .nonnegative()
      .default(0)
      .describe('How far off a number may be as a share of the expected one: 0.01 is one percent.'),
  },
  fields: ({ field }) => [field],
  problem(task, { field, ...options }) {
    if (task[field] === undefined) return `has no field "${field}"`
    const gold = givenJson(task[field])
    if (!gold.ok) return `has text in "${field}" that is not JSON: ${gold.problem}`
    const isEmpty = compare(gold.value, gold.value, options).total === 0
    return isEmpty ? `has nothing in "${field}" that is not ignored` : undefined
  },
  score({ task, answer, options: { field, ...options } }) {
    const given = readJson(answer)
    if (!given.ok) {
      const shown = answer === '' ? '' : ` It is ${quote(answer)}.`
      return { hard: 0, soft: 0, feedback: `${given.problem}${shown}` }
    }
    const gold = givenJson(task[field])
    // Tasks whose expected value is invalid have already been rejected by `problem`.
    const { total, right, differences } = compare(gold.ok ? gold.value : undefined, given.value, options)
    const soft = total === 0 ? 0 : right / total
    const counted = `${right} of ${total} expected values are right.`
    if (differences.length > 0) return { hard: 0, soft, feedback: `${counted} ${listSome(differences)}` }
    return { hard: soft === 1 ? 1 : 0, soft, feedback: `Correct: ${counted}` }
  },
})

interface Options {
  readonly ignore: readonly string[]
  readonly absolute: number
  readonly relative: number
}

interface Comparison {
  readonly total: number
  readonly right: number
  readonly differences: readonly string[]
}

type Path = readonly (string | number)[]

/** Compares all values of the expected JSON. A scalar, or an empty object or list, counts as one value. */
function compare(
  gold: unknown,
  given: unknown,
  { path = [], ...options }: Options & { readonly path?: Path },
): Comparison {
  if (!isContainer(gold)) {
    const same = isSame(gold, given, options)
    return { total: 1, right: same ? 1 : 0, differences: same ? [] : [difference(gold, given, path)] }
  }
  const keys = countedKeys(gold, path, options)
  if (!isContainer(given) || Array.isArray(given) !== Array.isArray(gold)) {
    const total = compare(gold, gold, { ...options, path }).total
    return { total, right: 0, differences: [difference(gold, given, path)] }
  }
  const extra = countedKeys(given, path, options)
    .filter(key => !Object.hasOwn(gold, key))
    .map(key => `${showPath([...path, stepOf(gold, key)])} is not expected (${show(given[key])}).`)
  if (Object.keys(gold).length === 0) {
    return { total: 1, right: extra.length === 0 ? 1 : 0, differences: extra }
  }
  const parts = keys.map(key => {
    const value = Object.hasOwn(given, key) ? given[key] : undefined
    return compare(gold[key], value, { ...options, path: [...path, stepOf(gold, key)] })
  })
  return {
    total: parts.reduce((sum, part) => sum + part.total, 0),
    right: parts.reduce((sum, part) => sum + part.right, 0),
    differences: [...parts.flatMap(part => part.differences), ...extra],
  }
}

function countedKeys(value: Readonly<Record<string, unknown>>, path: Path, { ignore }: Options): string[] {
  return Object.keys(value).filter(
    key => !ignore.some(pattern => matches([...path, key], pattern.split('.'))),
  )
}

function matches(path: Path, pattern: readonly string[]): boolean {
  return (
    path.length === pattern.length && pattern.every((step, at) => step === '*' || step === String(path[at]))
  )
}

function stepOf(container: unknown, key: string): string | number {
  return Array.isArray(container) ? Number(key) : key
}

function isSame(gold: unknown, given: unknown, { absolute, relative }: Options): boolean {
  if (typeof gold !== 'number' || typeof given !== 'number') return gold === given
  // A tiny tolerance for rounding errors, because 0.1 + 0.2 is not 0.3 in floating point.
  const slack = Math.max(absolute, relative * Math.abs(gold)) + 1e-12 * Math.abs(gold)
  return Math.abs(given - gold) <= slack
}

function difference(gold: unknown, given: unknown, path: Path): string {
  const where = showPath(path)
  if (given === undefined) return `${where} is missing; expected ${show(gold)}.`
  const kinds = kindOf(gold) === kindOf(given) ? '' : `, ${kindOf(given)} instead of ${kindOf(gold)}`
  return `${where}: expected ${show(gold)}, got ${show(given)}${kinds}.`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return (
    { string: 'text', number: 'a number', boolean: 'true or false' }[typeof value as string] ?? 'an object'
  )
}

function show(value: unknown): string {
  const limit = 120
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > limit ? `${text.slice(0, limit)}…` : text
}
