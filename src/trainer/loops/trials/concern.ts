import type { RecordedEdit } from '../../../core/log/event.js'
import { createWordIndex, type TaskText, type WordIndex, type WordMatch } from './word-index.js'

/**
 * Each function here determines which train tasks an edit concerns, as a pure function of the edit and the
 * tasks.
 */

/** Tasks that share rare words with the edit's cause and its stated condition. */
export function statedWords(words: WordIndex, edit: RecordedEdit): WordMatch {
  return words.match([edit.cause ?? '', edit.condition ?? ''].join(' '), edit.tasks)
}

/** Tasks that share rare words with the edit's own text, its cause and its condition. */
export function editWords(words: WordIndex, edit: RecordedEdit): WordMatch {
  const target = 'target' in edit ? edit.target : ''
  const content = 'content' in edit ? edit.content : ''
  return words.match([target, content, edit.cause ?? '', edit.condition ?? ''].join(' '), edit.tasks)
}

/** Other tasks of the same types as the edit's support tasks. Tasks without a type form one type. */
export function sameType(tasks: readonly TaskText[], edit: RecordedEdit): ReadonlySet<string> {
  const types = new Set(tasks.filter(({ id }) => edit.tasks.includes(id)).map(({ type }) => type))
  return idsOf(tasks.filter(({ id, type }) => types.has(type) && !edit.tasks.includes(id)))
}

/**
 * The tasks that the edit was proposed from. They are not fresh evidence, so no edit is tried on them alone.
 */
export function supportTasks(tasks: readonly TaskText[], edit: RecordedEdit): ReadonlySet<string> {
  return idsOf(tasks.filter(({ id }) => edit.tasks.includes(id)))
}

/**
 * The tasks that the optimizer's classification names for the edit's cause. The edit certainly concerns its
 * support tasks, so a classification that leaves out most of them is not used.
 */
export function classifiedTasks(
  tasks: readonly TaskText[],
  edit: RecordedEdit,
  named: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  if (named === undefined) return undefined
  const support = [...supportTasks(tasks, edit)]
  const isRight = support.filter(id => named.has(id)).length * 2 >= support.length
  const found = idsOf(tasks.filter(({ id }) => named.has(id)))
  return isRight && [...found].some(id => !edit.tasks.includes(id)) ? found : undefined
}

/** The train tasks that the optimizer named for each cause, by the cause as `causeOf` writes it. */
export type ConcernedByCause = ReadonlyMap<string, ReadonlySet<string>>

/** The train tasks that an edit concerns, never none. `named` are the optimizer's for its cause. */
export type Concern = (edit: RecordedEdit, named?: ReadonlySet<string>) => ReadonlySet<string>

/**
 * Uses the first available source: the optimizer's classification, the words of cause and condition, the
 * words of the edit, the types of the support tasks. Without any of them the edit concerns all tasks.
 */
export function createConcern(tasks: readonly TaskText[], words = createWordIndex(tasks)): Concern {
  const all = idsOf(tasks)
  return (edit, named) => {
    const classified = classifiedTasks(tasks, edit, named)
    if (classified !== undefined) return classified
    const stated = statedWords(words, edit)
    if (stated.isUseful && stated.isAtHome) return stated.near
    const said = editWords(words, edit)
    if (said.isUseful) return said.near
    const alike = sameType(tasks, edit)
    return alike.size === 0 ? all : alike
  }
}

function idsOf(tasks: readonly TaskText[]): ReadonlySet<string> {
  return new Set(tasks.map(({ id }) => id))
}
