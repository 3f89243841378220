import type { z } from 'zod'

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

/**
 * Describes the problems in an item's fields on one line: `there is no "answers"; "question" is not a text`.
 */
export function itemProblems(error: z.ZodError, fields: Readonly<Record<string, unknown>>): string {
  return error.issues.map(issue => sentenceOf(issue, fields)).join('; ')
}

function sentenceOf(issue: z.core.$ZodIssue, fields: Readonly<Record<string, unknown>>): string {
  const name = issue.path.join('.')
  if (name === '') return issue.message
  if (valueAt(fields, issue.path) === undefined) return `there is no "${name}"`
  const kind = issue.code === 'invalid_type' ? kinds[issue.expected] : undefined
  if (kind !== undefined) return `"${name}" is not ${kind}`
  if (issue.code === 'too_small' && issue.minimum === 1) return `"${name}" is empty`
  return `"${name}" cannot be used: ${issue.message}`
}

function valueAt(fields: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    fields,
  )
}
