/**
 * How an agent writes its sessions down. Every check works on records as lines of JSON, one record each, and a form takes
 * a file apart into them and puts one together from them: so the same records can be changed, fuzzed and torn whether
 * they lie in lines, in one document or in a database.
 */
export interface Form {
  /** The records of the one session that the checks work on, the one that tells its folder first. */
  linesOf(content: Buffer): Promise<readonly string[]>
  /** A file with these, in this order. A line that is no JSON is put where a record would be, as it is. */
  fileOf(lines: readonly string[]): Promise<Buffer>
  /** Lines that are no records, or unknown ones, each of which is to be counted. The first says `from-the-future`. */
  readonly strange: readonly string[]
  /** Whether a file is one session, so that an empty one is a session without a request. */
  readonly isOneSession: boolean
  /** Whether a file that is larger than the memory can be read. */
  readonly isStreamed: boolean
  /** Where records do not say of what kind they are, so that none can be of an unknown one. */
  readonly hasNoKinds?: boolean
  /** How much of a file that was cut here can still be read; without it, all that is demanded is that it is told. */
  wholeUpTo?(content: Buffer, size: number): number
}

export const smallAndStrange = [
  '{"type":"from-the-future","of":{"a":[1]}}',
  ...['[]', '3', '"text"', 'no JSON'],
]

/** One record per line: what was written is there, whatever became of the rest. */
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

/** One document with everything, and the records in a list of this name. Its other fields are the first line. */
export function jsonDocument(list: string): Form {
  return {
    async linesOf(content) {
      const { [list]: records, ...head } = JSON.parse(content.toString())
      return [head, ...records].map(record => JSON.stringify(record))
    },
    async fileOf([head = '{}', ...lines]) {
      // Without a place for what is no JSON, it stands as a text among the records.
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
