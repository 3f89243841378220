import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { dotted, isSection } from '../core/config/tree.js'
import { InputError, messageOf } from '../core/errors/errors.js'
import { readPlainFile } from './plain-file.js'

export interface Document {
  readonly data: Record<string, unknown>
  /** Line number of every key, by dotted path. */
  readonly lines: ReadonlyMap<string, number>
}

/** Reads a YAML or JSON file, with the line number of every key. JSON is a subset of YAML. */
export async function readDocument(file: string, shownAs: string): Promise<Document> {
  const { data, lines } = parseText(await readText(file, shownAs), shownAs)
  const sections: unknown = data ?? {}
  if (!isSection(sections)) {
    throw new InputError(`${shownAs} must hold sections such as "train:" and "models:" at its top level.`)
  }
  return { data: sections, lines }
}

/** Like `readDocument`, but accepts any value at the top level. List indexes count as keys too. */
export function parseText(
  text: string,
  shownAs: string,
): { readonly data: unknown; readonly lines: Document['lines'] } {
  const counter = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: counter,
    merge: true,
    prettyErrors: false,
    // Errors are reported below; the library's warnings would only mix with our output.
    logLevel: 'error',
  })
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = counter.linePos(error.pos[0])
    throw new InputError(
      `${shownAs} is not valid ${shownAs.endsWith('.json') ? 'JSON' : 'YAML'}, line ${line}, column ${col}: ${error.message}.`,
      {
        cause: error,
      },
    )
  }
  const lines = new Map<string, number>()
  collectLines(document.contents, [], counter, lines)
  try {
    return { data: document.toJS(), lines }
  } catch (cause) {
    // Thrown for aliases that would expand without end.
    throw new InputError(`${shownAs} cannot be read: ${messageOf(cause)}.`, { cause })
  }
}

function collectLines(
  node: Node | null,
  path: readonly string[],
  counter: LineCounter,
  lines: Map<string, number>,
): void {
  if (isSeq<Node | null>(node)) {
    for (const [index, item] of node.items.entries()) {
      const inner = [...path, String(index)]
      const start = item?.range?.[0]
      if (start !== undefined) lines.set(dotted(inner), counter.linePos(start).line)
      collectLines(item, inner, counter, lines)
    }
  }
  if (!isMap<Node, Node | null>(node)) return
  for (const { key, value } of node.items) {
    if (!isScalar(key)) continue
    const inner = [...path, String(key.value)]
    const start = key.range?.[0]
    if (start !== undefined) lines.set(dotted(inner), counter.linePos(start).line)
    collectLines(value, inner, counter, lines)
  }
}

/** Maximum size of a file, far more than any config or skill needs. */
const mostConfigBytes = 64 * 1024 * 1024

export async function readText(file: string, shownAs: string): Promise<string> {
  try {
    return (await readPlainFile(file, { mostBytes: mostConfigBytes })).toString('utf8')
  } catch (error) {
    throw new InputError(`${shownAs} cannot be read: ${reasonOf(error)}.`, { cause: error })
  }
}

/** The reason why a file could not be opened, without the system's prefix and the absolute path. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known: Record<string, string> = {
    ENOENT: 'there is no such file',
    ENOTDIR: 'part of the path is a file, not a folder',
    EISDIR: 'it is a folder',
    EACCES: 'permission is missing',
    EPERM: 'permission is missing',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
  }
  return known[code] ?? (error instanceof Error ? error.message : String(error))
}
