import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inWords, makePrivateFolder, readIfThere, writePrivateFile } from '../../system/private-file.js'
import type { SleepTask } from '../model/sleep-task.js'
import { taskText } from './task-text.js'

/** A task's text while a person edits it. It is kept until it is valid, so that a mistake loses no work. */
export interface TaskDraft {
  readonly file: string
  /** True if the draft was left behind by an earlier attempt. */
  readonly isEarlier: boolean
  /** Returns the saved text; undefined if it does not differ from the task. */
  read(): Promise<string | undefined>
  remove(): Promise<void>
}

export async function openDraft(folder: string, task: SleepTask): Promise<TaskDraft> {
  const file = join(folder, `edit-${task.id}.yaml`)
  const untouched = taskText(task)
  const earlier = await readIfThere(file)
  if (earlier === undefined) {
    await makePrivateFolder(folder)
    await writePrivateFile(file, untouched)
  }
  return {
    file,
    isEarlier: earlier !== undefined,
    async read() {
      const text = await readIfThere(file)
      return text === untouched ? undefined : text
    },
    remove: () => inWords(file, () => rm(file, { force: true })),
  }
}
