/**
 * What is in a record, without trust: agents change their formats, and a field may be anything. Checked by hand, since a
 * schema's checks would take longer than the parsing of what may be gigabytes.
 */
export type JsonRecord = Readonly<Record<string, unknown>>

export function asRecord(value: unknown): JsonRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonRecord)
    : undefined
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The records in a list, whatever else is in it. */
export function recordsIn(value: unknown): readonly JsonRecord[] {
  return asList(value)
    .map(asRecord)
    .filter(record => record !== undefined)
}

/** What lies this deep, or undefined where the way is not one of records. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => asRecord(inner)?.[name], value)
}

/** The text of a content that is a string, or a list of blocks or parts that have one. Thoughts and pictures have none. */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  return recordsIn(content)
    .map(block => (block.thought === true ? undefined : asText(block.text)))
    .filter(text => text !== undefined)
    .join('\n')
}
