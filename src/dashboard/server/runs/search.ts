import { join } from 'node:path'
import { InputError } from '../../../core/errors/errors.js'
import type { RunEvent } from '../../../core/log/event.js'
import type { BlobRef } from '../../../core/task/task.js'
import { refOfLine, textOfLine } from '../../../store/blobs.js'
import { blobsFile, parseEventText } from '../../../store/disk.js'
import { readLines } from '../../../store/read-lines.js'
import type { AttemptColumns } from './attempt-columns.js'
import { withFile } from './run-log.js'
import type { SearchHits } from './types.js'

/** Number of bytes of the log read at a time. */
const spanLength = 4 << 20

/** For each search word, the blobs of the run that contain it. */
type Holding = ReadonlyMap<string, ReadonlySet<BlobRef>>

/**
 * Searches the texts of attempts in the log and in its blobs. Raw lines are searched first; only lines that
 * may match are parsed.
 */
export async function searchAttempts(
  place: { readonly directory: string; readonly path: string },
  attempts: AttemptColumns,
  query: string,
  most: number,
  signal: AbortSignal,
): Promise<SearchHits> {
  const words = [...new Set(query.toLowerCase().split(/\s+/))].filter(word => word !== '')
  const holding = await textsWith(place.directory, words, signal)
  const isIn = (line: string, word: string, refs: ReadonlySet<BlobRef>): boolean =>
    line.includes(written(word)) || refsIn(line).some(ref => refs.has(ref))
  const found: number[] = []
  const length = attempts.length
  return withFile(place.path, place.directory, async file => {
    let index = 0
    while (index < length && found.length < most) {
      stopIfClosing(signal)
      const { offset: from } = attempts.placeAt(index)
      let end = index
      const endOf = (at: number) => attempts.placeAt(at).offset + attempts.placeAt(at).length
      while (end + 1 < length && endOf(end + 1) - from <= spanLength) end += 1
      const bytes = Buffer.allocUnsafe(endOf(end) - from)
      await file.read(bytes, 0, bytes.length, from)
      for (; index <= end && found.length < most; index += 1) {
        const { offset, length: lineLength } = attempts.placeAt(index)
        const text = bytes.toString('utf8', offset - from, offset - from + lineLength)
        const lower = text.toLowerCase()
        const none: ReadonlySet<BlobRef> = new Set()
        if (!words.every(word => isIn(lower, word, holding.get(word) ?? none))) continue
        const event = parseEventText(text, place.path)
        if (event !== undefined && words.every(word => isSaid(event, word, holding.get(word) ?? none)))
          found.push(index)
      }
    }
    return { found, isWhole: index >= length }
  })
}

/** Throws an `InputError` if the dashboard closes during a search, because that is not a bug. */
function stopIfClosing(signal: AbortSignal): void {
  if (signal.aborted) throw new InputError('The dashboard was closed while it searched.')
}

/** The form that a search word has inside a JSON string. */
const written = (word: string): string => JSON.stringify(word).slice(1, -1)

const refPattern = /[0-9a-f]{32}/g
const refsIn = (line: string): readonly BlobRef[] => line.match(refPattern) ?? []

async function textsWith(directory: string, words: readonly string[], signal: AbortSignal): Promise<Holding> {
  const holding = new Map(words.map(word => [word, new Set<BlobRef>()]))
  await withFile(join(directory, blobsFile), directory, async file => {
    for await (const lines of readLines(file)) {
      stopIfClosing(signal)
      for (const { bytes } of lines) {
        const ref = refOfLine(bytes)
        if (ref === undefined) continue
        const line = bytes.toString('utf8')
        const lower = line.toLowerCase()
        const maybe = words.filter(word => lower.includes(written(word)))
        if (maybe.length === 0) continue
        const text = textOfLine(line).toLowerCase()
        for (const word of maybe) if (text.includes(word)) holding.get(word)?.add(ref)
      }
    }
  })
  return holding
}

/** Whether the word occurs in the texts of the attempt, as opposed to field names. */
function isSaid(event: RunEvent, word: string, refs: ReadonlySet<BlobRef>): boolean {
  return (
    textsOf(event).some(text => text.toLowerCase().includes(word)) || refsOf(event).some(ref => refs.has(ref))
  )
}

function textsOf(event: RunEvent): readonly string[] {
  if (event.type === 'attempt.failed') return [event.body.task, event.body.kind, event.body.message]
  if (event.type !== 'attempt.finished') return []
  const { task, type, messages, outcome } = event.body
  const said = messages.flatMap(({ text, toolCalls = [] }) => [
    ...(text === undefined ? [] : [text]),
    ...toolCalls.flatMap(({ name, arguments: given }) => [name, given]),
  ])
  const judged =
    outcome.status === 'failed'
      ? [outcome.failure.kind, outcome.failure.message]
      : [outcome.score.feedback, ...(outcome.score.votes ?? []).map(({ reason }) => reason)]
  return [task, type, ...said, ...judged]
}

function refsOf(event: RunEvent): readonly BlobRef[] {
  if (event.type !== 'attempt.finished') return []
  return event.body.messages.flatMap(({ blob, parts = [] }) => [
    ...(blob === undefined ? [] : [blob]),
    ...parts.flatMap(part => (part.type === 'text' ? [part.blob] : [])),
  ])
}
