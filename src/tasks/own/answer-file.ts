import { lstat } from 'node:fs/promises'
import { join, normalize, sep } from 'node:path'
import type { Environment } from '../../core/ports/environment.js'
import { isText } from '../../core/task/files.js'
import type { Task } from '../../core/task/task.js'
import { bytes } from '../../core/text/format.js'
import { readPlainFile } from '../../system/plain-file.js'
import { isMissing } from '../loading/rows.js'

/** Scores the files that an agent left. If there is an answer file, it replaces the reply. */
export function scoreWork<T extends Task>(
  score: Environment<T>['score'],
  answerFile: string | undefined,
): Environment<T>['score'] {
  return async (task, trajectory, context) => {
    const { workspace } = context
    if (workspace === undefined)
      throw new Error(`The attempt at ${task.id} has no folder in which its work could be.`)
    if (answerFile === undefined) return score(task, trajectory, context)
    const written = await readAnswerFile(workspace, answerFile)
    if ('text' in written) return score(task, { ...trajectory, answer: written.text }, context)
    const scored = await score(task, { ...trajectory, answer: '' }, context)
    return { ...scored, feedback: `${written.problem} ${scored.feedback}` }
  }
}

/** Maximum size of an answer; judges and reports have to include all of it. */
const largestAnswer = 1_000_000

/** The answer in a file, or a sentence that says why there is none. */
type WrittenAnswer = { readonly text: string } | { readonly problem: string }

/** Reads a file that an agent left, without following links. */
async function readAnswerFile(workspace: string, name: string): Promise<WrittenAnswer> {
  const path = join(workspace, name)
  try {
    if (await hasLink(workspace, name)) return { problem: `${name} is a link, and links are not followed.` }
    const stats = await lstat(path)
    if (!stats.isFile()) return { problem: `${name} is not a file.` }
    if (stats.size > largestAnswer)
      return { problem: `${name} is too large: ${bytes(stats.size)}; at most ${bytes(largestAnswer)} count.` }
  } catch (error) {
    if (isMissing(error)) return { problem: `The agent did not write the file ${name}.` }
    throw error
  }
  const content = await readPlainFile(path)
  if (!isText(content)) return { problem: `${name} is not a text in UTF-8.` }
  return { text: content.toString('utf8').replace(/^\uFEFF/, '') }
}

/** Whether any part of the path is a link. */
async function hasLink(folder: string, name: string): Promise<boolean> {
  let path = folder
  for (const step of normalize(name).split(sep)) {
    path = join(path, step)
    if ((await lstat(path)).isSymbolicLink()) return true
  }
  return false
}
