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

/** Tried before anything is locked or made: a mistake in what was named leaves no folder behind. */
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

/** Texts of transcripts and models may hold what moves a cursor or is not seen; JSON can say it without doing it. */
export function printSafeJson(io: Io, value: unknown): void {
  printLine(io, JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped))
}

/** Characters beyond the first plane are two units, and JSON writes each. */
function escaped(character: string): string {
  return character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
