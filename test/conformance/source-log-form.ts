import { type Form, jsonLines, parsed, smallAndStrange } from './source-forms.js'

interface Operation {
  readonly kind: number
  readonly v: unknown
}

/**
 * A change log: the first line has everything but the records, and each further line appends a record to
 * this list.
 */
export function operationLog(list: string): Form {
  const adding = (line: string) =>
    parsed(line) === undefined ? line : `{"kind":2,"k":["${list}"],"v":[${line}]}`
  return {
    async linesOf(content) {
      const [first, ...rest] = (await jsonLines.linesOf(content)).map(line => JSON.parse(line) as Operation)
      const { [list]: _none, ...head } = (first?.v ?? {}) as Record<string, unknown>
      return [head, ...rest.flatMap(({ v }) => v)].map(record => JSON.stringify(record))
    },
    fileOf: ([head = '{}', ...lines]) => jsonLines.fileOf([`{"kind":0,"v":${head}}`, ...lines.map(adding)]),
    strange: smallAndStrange,
    isOneSession: true,
    isStreamed: true,
    wholeUpTo: (content, size) => jsonLines.wholeUpTo?.(content, size) ?? size,
  }
}
