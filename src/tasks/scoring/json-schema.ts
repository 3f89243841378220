import { z } from 'zod'
import { messageOf } from '../../core/errors/errors.js'
import { givenJson, isContainer, listSome, readJson, showPath } from './json.js'
import { defineScorer, type Fields, quote, verdict } from './scorer.js'

const schemaObject = z.record(z.string(), z.unknown())

/**
 * Passes if the answer is JSON that matches a schema. To score the values too, combine it with another
 * scorer.
 */
export const scorer = defineScorer({
  id: 'json-schema',
  extract: 'tag-or-whole',
  options: {
    schema: schemaObject
      .optional()
      .describe('The JSON Schema for all tasks. Default: each task has its own.'),
    field: z
      .string()
      .default('schema')
      .describe('The task field with the JSON Schema (or its text), where none is given for all.'),
  },
  shapeOnly: () => true,
  fields: ({ schema, field }) => (schema === undefined ? [field] : []),
  optionsProblem({ schema }) {
    const compiled = schema === undefined ? undefined : compile(schema)
    return typeof compiled === 'string' ? `have a schema that cannot be used: ${compiled}` : undefined
  },
  problem(task, { schema, field }) {
    if (schema !== undefined) return undefined
    if (task[field] === undefined) return `has no JSON Schema in "${field}"`
    const compiled = compile(task[field])
    return typeof compiled === 'string'
      ? `has a schema in "${field}" that cannot be used: ${compiled}`
      : undefined
  },
  score({ task, answer, options: { schema, field } }) {
    const given = readJson(answer)
    if (!given.ok) return verdict(false, `${given.problem}${answer === '' ? '' : ` It is ${quote(answer)}.`}`)
    const compiled = compile(schema ?? task[field])
    if (typeof compiled === 'string') return verdict(false, `The schema itself cannot be used: ${compiled}.`)
    const checked = compiled.safeParse(given.value)
    if (checked.success) return verdict(true, 'Correct: the answer is JSON that fits the schema.')
    const problems = checked.error.issues.map(issue => `${showPath(issue.path)}: ${reasonOf(issue)}.`)
    return verdict(false, `The answer is JSON, but does not fit the schema. ${listSome(problems)}`)
  },
})

/** Compiles a schema to a check. A string is the reason why it cannot be compiled. */
function compile(given: unknown): z.ZodType | string {
  const json = givenJson(given)
  if (!json.ok) return `it is not JSON: ${json.problem}`
  const schema = schemaObject.safeParse(json.value)
  if (!schema.success) return 'it is not an object'
  const hole = silentHole(schema.data)
  if (hole !== undefined) return hole
  try {
    return z.fromJSONSchema(schema.data)
  } catch (error) {
    // The converter throws plain errors for keywords and references that it does not support.
    return messageOf(error)
  }
}

const keywordsOfType: Readonly<Record<string, readonly string[]>> = {
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
  ],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'],
  string: ['pattern', 'minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
}
const unchecking = ['$schema', '$id', '$comment', '$defs', 'definitions', 'title', 'description', 'examples']

/**
 * Describes a part of a schema that the converter would silently ignore, because a check must not be weaker
 * than it looks.
 */
function silentHole(schema: Fields, path: readonly string[] = []): string | undefined {
  const hole = ownHole(schema)
  if (hole !== undefined) return `${path.length === 0 ? 'at its top' : `at ${path.join('.')}`} it ${hole}`
  if (path.length === 0 && Object.keys(schema).every(key => unchecking.includes(key)))
    return 'it allows anything'
  for (const [inner, place] of subschemas(schema)) {
    const innerHole = silentHole(inner, [...path, ...place])
    if (innerHole !== undefined) return innerHole
  }
  return undefined
}

function ownHole(schema: Fields): string | undefined {
  if (schema.$ref !== undefined) {
    const beside = Object.keys(schema).find(key => key !== '$ref' && !unchecking.includes(key))
    return beside === undefined ? undefined : `has "${beside}" beside "$ref", which would not be checked`
  }
  if (schema.type === undefined) {
    for (const [type, keywords] of Object.entries(keywordsOfType)) {
      const keyword = keywords.find(candidate => schema[candidate] !== undefined)
      if (keyword !== undefined) return `has "${keyword}" without "type": "${type}"`
    }
  }
  const properties = isContainer(schema.properties) ? schema.properties : {}
  const undescribed = asList(schema.required).find(name => !Object.hasOwn(properties, String(name)))
  if (undescribed !== undefined) return `requires "${undescribed}", which is not among its "properties"`
  if (schema.default !== undefined) return 'has a "default", which would stand in for a value that is missing'
  if (schema.dependencies !== undefined) return 'has "dependencies", which would not be checked'
  if ([schema.const, ...asList(schema.enum)].some(isContainer)) {
    return 'compares with whole objects or lists, which only the scorer json-equal can'
  }
  return undefined
}

function subschemas(schema: Fields): readonly (readonly [Fields, readonly string[]])[] {
  const single = ['items', 'additionalProperties', 'contains', 'propertyNames'].map(
    key => [schema[key], [key]] as const,
  )
  const listed = ['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap(key =>
    asList(schema[key]).map((inner, index) => [inner, [key, String(index)]] as const),
  )
  const named = ['properties', 'patternProperties', '$defs', 'definitions'].flatMap(key =>
    Object.entries(isContainer(schema[key]) ? schema[key] : {}).map(
      ([name, inner]) => [inner, [key, name]] as const,
    ),
  )
  return [...single, ...listed, ...named].flatMap(([inner, place]) =>
    isContainer(inner) && !Array.isArray(inner) ? [[inner, place] as const] : [],
  )
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue.message
  const reasons = issue.errors.flatMap(([first]) =>
    first === undefined
      ? []
      : [first.path.length === 0 ? first.message : `${showPath(first.path)}: ${first.message}`],
  )
  return `none of the allowed forms fits (${reasons.join('; ')})`
}
