import { lstat, readFile } from 'node:fs/promises'
import { join, normalize, sep } from 'node:path'
import type { Environment } from '../../core/ports/environment.js'
import { isText } from '../../core/task/files.js'
import type { Task } from '../../core/task/task.js'
import { bytes } from '../../core/text/format.js'
import { isMissing } from '../loading/rows.js'

/** Scores what an agent has left in its folder: one file of it in place of the reply, if so wanted. */
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

/** More than anybody would call an answer; judges and reports would have to take it. */
const largestAnswer = 1_000_000

/** What the agent wrote, or why there is nothing to score, as a sentence. */
type WrittenAnswer = { readonly text: string } | { readonly problem: string }

/** Reads a file that an agent has left. A link is not followed, whatever it leads to. */
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
  const content = await readFile(path)
  if (!isText(content)) return { problem: `${name} is not a text in UTF-8.` }
  return { text: content.toString('utf8').replace(/^\uFEFF/, '') }
}

/** At any step of the way. */
async function hasLink(folder: string, name: string): Promise<boolean> {
  let path = folder
  for (const step of normalize(name).split(sep)) {
    path = join(path, step)
    if ((await lstat(path)).isSymbolicLink()) return true
  }
  return false
}
