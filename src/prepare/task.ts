/** A task during preparation, with its question, expected answer and location. */
export interface PreparedTask {
  readonly id: string
  /** The question, followed by the names of the task's files, because tasks may differ only in those. */
  readonly question: string
  /** Accepted answers, joined if there are several. Absent if the scorer needs none. */
  readonly answer: string | undefined
  readonly type: string | undefined
  /** All fields of the source, in the format of the `tasks` environment. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Where the task is, for messages, as in `questions.csv, line 3`. */
  readonly at: string
}

/** Returns a field's value as text, for comparing and counting; undefined if the field is absent or blank. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const text = Array.isArray(value) ? value.map(plainText).join(' | ') : plainText(value)
  return text.trim() === '' ? undefined : text
}

/** Normalises white space and case in the same way as the environment does when it compares tasks. */
export function canonical(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase()
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
