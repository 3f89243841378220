import { readBook, updateBook } from '../../../sleep/book/book.js'
import type { TaskBook } from '../../../sleep/model/sleep-task.js'
import { openProject, type SleepProject } from '../../../sleep/settings/places.js'
import { type Io, printLine } from '../../terminal/io.js'

export interface SleepFlags {
  readonly project?: string | undefined
  readonly json?: true | undefined
}

export async function openSleepProject(io: Io, { project = '.' }: SleepFlags): Promise<SleepProject> {
  return openProject(project, io)
}

export async function openBook(io: Io, flags: SleepFlags): Promise<TaskBook> {
  const { folder, root } = await openSleepProject(io, flags)
  return readBook(folder, root)
}

/**
 * Changes the list of recurring tasks. The change is tried before anything is locked or created, so that
 * invalid input leaves no folder behind.
 */
export async function changeBook<Changed extends { readonly book: TaskBook }>(
  io: Io,
  flags: SleepFlags,
  change: (book: TaskBook) => Changed,
): Promise<Changed> {
  const { folder, root } = await openSleepProject(io, flags)
  let changed = change(await readBook(folder, root))
  await updateBook(folder, root, book => {
    changed = change(book)
    return changed.book
  })
  return changed
}

/** Prints JSON with control and invisible characters escaped, which transcripts may contain. */
export function printSafeJson(io: Io, value: unknown): void {
  printLine(io, JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped))
}

/**
 * Escapes a character. One outside the Basic Multilingual Plane consists of two UTF-16 units, which JSON
 * escapes separately.
 */
function escaped(character: string): string {
  return character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
