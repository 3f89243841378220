type Schema = Readonly<Record<string, unknown>>

/** Keywords that the engine's grammar supports. It rejects schemas with any other keyword. */
const kept = [
  'type',
  'const',
  'enum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'description',
  '$ref',
] as const
const formats = new Set(['date-time', 'time', 'date'])

/**
 * Reduces a JSON schema to the keywords that the engine's grammar supports. Others, such as number ranges and
 * patterns, are left out. The grammar then allows more than the schema, but the caller checks the reply
 * anyway.
 */
export function grammarSchema(schema: unknown): Schema {
  const given = asSchema(schema)
  const result: Record<string, unknown> = {}
  for (const key of kept) if (given[key] !== undefined) result[key] = given[key]
  if (formats.has(String(given.format))) result.format = given.format
  const alternatives = given.oneOf ?? given.anyOf
  if (Array.isArray(alternatives)) result.oneOf = alternatives.map(grammarSchema)
  if (given.properties !== undefined) {
    result.type = 'object'
    result.properties = mapValues(given.properties)
    result.additionalProperties = false
  } else if (given.type === 'object') {
    result.additionalProperties =
      typeof given.additionalProperties === 'object' ? grammarSchema(given.additionalProperties) : true
  }
  if (given.items !== undefined) result.items = grammarSchema(given.items)
  if (given.$defs !== undefined) result.$defs = mapValues(given.$defs)
  return result
}

function mapValues(schemas: unknown): Schema {
  return Object.fromEntries(
    Object.entries(asSchema(schemas)).map(([name, inner]) => [name, grammarSchema(inner)]),
  )
}

const asSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}
