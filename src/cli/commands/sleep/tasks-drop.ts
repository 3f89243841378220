import { exitCodes } from '../../../core/errors/errors.js'
import { dropTasks, restoreTasks } from '../../../sleep/book/change.js'
import { amongDropped, findTask, inProject } from '../../../sleep/book/find-task.js'
import { oneLine } from '../../output/text.js'
import { type Io, printLine } from '../../terminal/io.js'
import { changeBook, printSafeJson, type SleepFlags } from './book.js'

export async function dropNamed(io: Io, names: readonly string[], flags: SleepFlags): Promise<number> {
  const at = new Date()
  const { book, ids } = await changeBook(io, flags, before => {
    const ids = uniqueIds(names.map(name => findTask(before.tasks, name, inProject(before))))
    return { book: dropTasks(before, ids, at), ids }
  })
  if (flags.json === true) {
    printSafeJson(io, { project: book.project, dropped: [...ids] })
    return exitCodes.ok
  }
  for (const { id, intent } of book.dropped)
    if (ids.has(id)) printLine(io, `dropped ${id}: ${oneLine(intent)}`)
  printLine(io, io.colors.dim('Later harvests leave it out; `skillopt sleep tasks restore` restores it.'))
  return exitCodes.ok
}

export async function restoreNamed(io: Io, names: readonly string[], flags: SleepFlags): Promise<number> {
  const { book, ids, heldBack } = await changeBook(io, flags, before => {
    const ids = uniqueIds(names.map(name => findTask(before.dropped, name, amongDropped)))
    return { ids, ...restoreTasks(before, ids) }
  })
  if (flags.json === true) {
    printSafeJson(io, { project: book.project, restored: [...ids], heldBack })
    return exitCodes.ok
  }
  for (const { id, split } of book.tasks) {
    if (!ids.has(id)) continue
    const why = heldBack.includes(id) ? '; newer tasks are too similar for any other split' : ''
    printLine(io, `restored ${id} (${split}${why})`)
  }
  return exitCodes.ok
}

const uniqueIds = (tasks: readonly { readonly id: string }[]): ReadonlySet<string> =>
  new Set(tasks.map(({ id }) => id))
