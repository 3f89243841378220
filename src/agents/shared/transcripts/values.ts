/**
 * A record of unknown content. Agents change their formats and a field may contain anything, so fields are
 * read by the functions below. A schema would take longer than parsing, and there may be gigabytes to check.
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

/** The records in a list; other items are skipped. */
export function recordsIn(value: unknown): readonly JsonRecord[] {
  return asList(value)
    .map(asRecord)
    .filter(record => record !== undefined)
}

/** The value at a path of nested records, or undefined if a step is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => asRecord(inner)?.[name], value)
}

/**
 * The text of a content, which is a string or a list of blocks with text. Thoughts and images are left out.
 */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  return recordsIn(content)
    .map(block => (block.thought === true ? undefined : asText(block.text)))
    .filter(text => text !== undefined)
    .join('\n')
}

const exitCode = /^Exit Code: (\d+)$/m

/**
 * Whether a command failed. Gemini CLI and its forks report every command as a success and write the exit
 * code into its output.
 */
export function isFailedCommand(tool: unknown, output: string | undefined): boolean {
  if (tool !== 'run_shell_command' || output === undefined) return false
  return Number(exitCode.exec(output)?.[1] ?? 0) !== 0
}
