/** A task during preparation: its question, expected answer and location. */
export interface PreparedTask {
  readonly id: string
  /** Includes the names of its files, which also distinguish tasks. */
  readonly question: string
  /** Multiple accepted answers are joined; absent if the scorer needs none. */
  readonly answer: string | undefined
  readonly type: string | undefined
  /** All fields of the source, in the format of the `tasks` environment. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Location for messages: `questions.csv, line 3`. */
  readonly at: string
}

/** A field's value as text, for comparing and counting; undefined if absent or blank. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const text = Array.isArray(value) ? value.map(plainText).join(' | ') : plainText(value)
  return text.trim() === '' ? undefined : text
}

/** Normalises white space and case, as the environment does when it compares tasks. */
export function canonical(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase()
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
