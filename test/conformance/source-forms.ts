/**
 * The format in which an agent stores sessions. Every check works on records as lines of JSON; a form splits
 * a file into records and builds one from them. The same records can thus be changed, fuzzed and truncated
 * whether they are stored as lines, in one document or in a database.
 */
export interface Form {
  /** Records of the session under test, starting with the one that names its folder. */
  linesOf(content: Buffer): Promise<readonly string[]>
  /**
   * A file with these lines, in this order. A line that is not JSON is placed verbatim where a record would
   * be.
   */
  fileOf(lines: readonly string[]): Promise<Buffer>
  /**
   * Lines that are not records, or of unknown kinds, each of which must be counted. The first contains
   * `from-the-future`.
   */
  readonly strange: readonly string[]
  /** True if a file is one session, so that an empty file is a session without a request. */
  readonly isOneSession: boolean
  /** True if a file larger than memory can be read. */
  readonly isStreamed: boolean
  /** True if records have no kind, so that none can be unknown. */
  readonly hasNoKinds?: boolean
  /**
   * How much of a truncated file must still be readable; without it, the truncation only has to be reported.
   */
  wholeUpTo?(content: Buffer, size: number): number
}

export const smallAndStrange = ['{"type":"from-the-future","of":{"a":[1]}}', '[]', '3', '"text"', 'no JSON']

/** One record per line: complete lines are readable, whatever happened to the rest. */
export const jsonLines: Form = {
  linesOf: async content =>
    content
      .toString()
      .split('\n')
      .filter(line => line !== ''),
  fileOf: async lines => Buffer.from(lines.map(line => `${line}\n`).join('')),
  strange: [...smallAndStrange, `{"x":"${'y'.repeat(20_000_000)}"}`],
  isOneSession: true,
  isStreamed: true,
  wholeUpTo(content, size) {
    const line = content.lastIndexOf(0x0a, size - 1) + 1
    return parsed(content.subarray(line, size).toString()) === undefined ? line : size
  },
}

/** One document with the records in a list of this name. Its other fields form the first line. */
export function jsonDocument(list: string): Form {
  return {
    async linesOf(content) {
      const { [list]: records, ...head } = JSON.parse(content.toString())
      return [head, ...records].map(record => JSON.stringify(record))
    },
    async fileOf([head = '{}', ...lines]) {
      // The document has no place for non-JSON lines, so they become strings among the records.
      const records = lines.map(line => parsed(line)?.value ?? line)
      return Buffer.from(JSON.stringify({ ...JSON.parse(head), [list]: records }))
    },
    strange: smallAndStrange,
    isOneSession: true,
    isStreamed: false,
  }
}

export function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
