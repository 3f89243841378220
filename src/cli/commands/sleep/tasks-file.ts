import { resolve } from 'node:path'
import { exitCodes, InputError } from '../../../core/errors/errors.js'
import { type TakenReview, takeReviewed } from '../../../sleep/book/review.js'
import { readTasksFile, writeTasksFile } from '../../../sleep/book/tasks-file.js'
import { clean, plural } from '../../output/text.js'
import { type Io, printLine, sayWarnings } from '../../terminal/io.js'
import { changeBook, openBook, printSafeJson, type SleepFlags } from './book.js'

export interface FileFlags extends SleepFlags {
  readonly force?: true | undefined
}

export async function exportTasks(io: Io, file: string, flags: FileFlags): Promise<number> {
  const book = await openBook(io, flags)
  if (book.tasks.length === 0) {
    throw new InputError('No tasks to write.', {
      hint: '`skillopt sleep harvest` finds tasks in your transcripts.',
    })
  }
  await writeTasksFile(resolve(io.cwd, file), book, { force: flags.force === true, shownAs: file })
  if (flags.json === true) printSafeJson(io, { project: book.project, file, tasks: book.tasks.length })
  else {
    printLine(io, `${plural(book.tasks.length, 'task')} written to ${clean(file)}, readable only by you.`)
    printLine(
      io,
      `Correct it, write "reviewed: true" at the top, then: skillopt sleep tasks import ${clean(file)}`,
    )
  }
  return exitCodes.ok
}

export async function importTasks(io: Io, file: string, flags: FileFlags): Promise<number> {
  const { book: theirs, warnings } = await readTasksFile(resolve(io.cwd, file), file)
  const at = new Date()
  const taken = await changeBook(io, flags, ours =>
    takeReviewed(ours, theirs, { shownAs: file, at, force: flags.force === true }),
  )
  const { book, warnings: moved, ...result } = taken
  const allWarnings = [...warnings, ...moved]
  if (flags.json === true) {
    printSafeJson(io, { project: book.project, file, ...result, warnings: allWarnings })
    return exitCodes.ok
  }
  for (const line of resultLines(result, theirs.tasks.length)) printLine(io, clean(line))
  sayWarnings(io, allWarnings.map(clean))
  return exitCodes.ok
}

type Result = Omit<TakenReview, 'book' | 'warnings'>

function resultLines({ changed, added, dropped, kept, stayDropped }: Result, inFile: number): string[] {
  const line = (ids: readonly string[], text: string) =>
    ids.length === 0 ? [] : [`  ${text}: ${ids.join(', ')}`]
  return [
    `${plural(inFile - stayDropped.length, 'task')} reviewed.`,
    ...line(changed, 'changed'),
    ...line(added, 'new'),
    ...line(dropped, 'dropped: not in the file'),
    ...line(kept, 'kept: may be newer than the file (`skillopt sleep tasks drop` drops it)'),
    ...line(stayDropped, 'still dropped (`skillopt sleep tasks restore` restores it)'),
  ]
}
