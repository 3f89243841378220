/** A task as the preparation sees it: what is asked, what is expected, and where it stands. */
export interface PreparedTask {
  readonly id: string
  /** With the names of its files, which tell tasks apart as well. */
  readonly question: string
  /** Several accepted answers are joined; absent where a scorer needs none. */
  readonly answer: string | undefined
  readonly type: string | undefined
  /** Everything that the source says, in the words of the `tasks` environment. */
  readonly fields: Readonly<Record<string, unknown>>
  /** For messages: `questions.csv, line 3`. */
  readonly at: string
}

/** A value of a field as text, for comparing and counting; absent and blank values are no text. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const text = Array.isArray(value) ? value.map(plainText).join(' | ') : plainText(value)
  return text.trim() === '' ? undefined : text
}

/** White space and case aside, as the environment compares tasks. */
export function canonical(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase()
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
