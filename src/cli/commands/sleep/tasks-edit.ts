import { basename } from 'node:path'
import { exitCodes, InputError } from '../../../core/errors/errors.js'
import { readBook } from '../../../sleep/book/book.js'
import { isSameTask, type TaskChange, withTask } from '../../../sleep/book/change.js'
import { findTask, inProject } from '../../../sleep/book/find-task.js'
import { openDraft } from '../../../sleep/book/task-draft.js'
import { checkedChange, readCheck, readTaskText } from '../../../sleep/book/task-text.js'
import { weaknesses } from '../../../sleep/book/tasks-file.js'
import type { SleepTask } from '../../../sleep/model/sleep-task.js'
import { openInEditor } from '../../terminal/editor.js'
import { type Io, printLine, sayWarnings } from '../../terminal/io.js'
import { changeBook, openSleepProject, printSafeJson, type SleepFlags } from './book.js'

export interface EditFlags extends SleepFlags {
  readonly intent?: string | undefined
  readonly rubric?: readonly string[] | undefined
  readonly check?: readonly string[] | undefined
  readonly skill?: string | undefined
  readonly reviewed?: true | undefined
}

export async function editTask(io: Io, name: string, flags: EditFlags): Promise<number> {
  const change = changeIn(flags)
  const { before, task } = Object.values(change).every(value => value === undefined)
    ? await editInEditor(io, name, flags)
    : await changeNamed(io, { ...flags, name }, found => checkedChange(found, change))
  const isChanged = !isSameTask(before, task)
  if (flags.json === true) printSafeJson(io, { changed: isChanged, task })
  else printLine(io, isChanged ? `changed ${task.id}` : `${task.id} is unchanged.`)
  sayWarnings(io, weaknesses([task]))
  return exitCodes.ok
}

/** The requested change to a task. The value `none` clears a field. */
function changeIn({ intent, rubric, check, skill, reviewed }: EditFlags): TaskChange {
  const isNone = (values: readonly string[]) => values.length === 1 && values[0] === 'none'
  return {
    intent,
    reviewed,
    rubric: rubric === undefined ? undefined : isNone(rubric) ? [] : [...rubric],
    checks: check === undefined ? undefined : isNone(check) ? [] : check.map(readCheck),
    skill: skill === 'none' ? null : skill,
  }
}

interface Edited {
  readonly before: SleepTask
  readonly task: SleepTask
}

async function changeNamed(
  io: Io,
  { name, ...flags }: SleepFlags & { readonly name: string },
  change: (task: SleepTask) => SleepTask,
): Promise<Edited> {
  return changeBook(io, flags, book => {
    const before = findTask(book.tasks, name, inProject(book))
    const task = change(before)
    return { before, task, book: withTask(book, task) }
  })
}

async function editInEditor(io: Io, name: string, flags: SleepFlags): Promise<Edited> {
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true || flags.json === true) {
    throw new InputError('No change given, and there is no terminal for an editor.', {
      hint: 'Pass --intent, --rubric, --check, --skill or --reviewed.',
    })
  }
  const { folder, root } = await openSleepProject(io, flags)
  const book = await readBook(folder, root)
  const before = findTask(book.tasks, name, inProject(book))
  const draft = await openDraft(folder, before)
  if (draft.isEarlier) printLine(io, 'This is your unfinished edit. To discard it, empty the file.')
  const code = await openInEditor(io, draft.file).catch(async (error: unknown) => {
    if (!draft.isEarlier) await draft.remove()
    throw error
  })
  const text = await draft.read()
  if (text === undefined) {
    await draft.remove()
    return { before, task: before }
  }
  const edited = await keeping(async () => {
    if (code !== 0) throw new InputError(`The editor exited with code ${code}; nothing was changed.`)
    const wanted = readTaskText(before, text, basename(draft.file))
    if (wanted === undefined) return { before, task: before }
    return changeNamed(io, { ...flags, name: before.id }, found => {
      if (isSameTask(found, before)) return wanted
      throw new InputError(`Task ${before.id} was changed elsewhere in the meantime.`)
    })
  })
  await draft.remove()
  return edited
}

/** Adds to an input error that the user's text is kept and opens again next time. */
async function keeping<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    const kept = 'Your text is kept; rerun the same command to reopen it.'
    throw new InputError(error.message, {
      hint: error.hint === undefined ? kept : `${error.hint}\n${kept}`,
      cause: error,
    })
  }
}
