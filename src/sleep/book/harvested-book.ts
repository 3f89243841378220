import type { MinedTask } from '../mining/mine.js'
import type { PlannedTask } from '../mining/task-plan.js'
import { byHeuristics, heuristicWords, refreshed, type TaskWords, taskOf } from '../mining/task-words.js'
import type { PassedOver, SleepTask, TaskBook } from '../model/sleep-task.js'

/** What a harvest changed in the tasks of a project, by task id. */
export interface BookChange {
  readonly added: readonly string[]
  /** Known tasks that were requested again. */
  readonly updated: readonly string[]
  /** Known tasks whose heuristic text a model has now rewritten. */
  readonly rewritten: readonly string[]
  /** Recurring requests that the model considers unsuitable for a task. */
  readonly passedOver: readonly PassedOver[]
  /** Recurring requests for which the model's reply was unusable. The next harvest asks again. */
  readonly failed: readonly { readonly text: string; readonly problem: string }[]
}

type Said =
  | { readonly status: 'written'; readonly words: TaskWords; readonly writtenBy: string }
  | { readonly status: 'skipped'; readonly reason: string }
  | { readonly status: 'failed'; readonly problem: string }

/** Maps a task id to the text written for the task. */
type Words = ReadonlyMap<string, Said>

/**
 * Takes the text of each task from the model, or from the requests themselves if there is no model. A missing
 * model reply is never replaced by heuristics.
 */
export function wordsOf(
  pending: readonly PlannedTask[],
  mined: ReadonlyMap<string, MinedTask>,
  model: string | undefined,
): Words {
  const words = new Map<string, Said>()
  for (const { id, recurrence } of pending) {
    const answer = mined.get(id)
    if (model === undefined && recurrence !== undefined)
      words.set(id, { status: 'written', words: heuristicWords(recurrence), writtenBy: byHeuristics })
    else if (model !== undefined && answer?.status === 'written')
      words.set(id, { status: 'written', words: answer, writtenBy: model })
    else if (answer !== undefined && answer.status !== 'written') words.set(id, answer)
  }
  return words
}

export function bookWith(
  book: TaskBook,
  planned: readonly PlannedTask[],
  words: Words,
  sessions: readonly { readonly source: string }[],
  now: Date,
): { readonly book: TaskBook; readonly change: BookChange } {
  const at = now.toISOString()
  const [added, updated, rewritten]: [string[], string[], string[]] = [[], [], []]
  const passedOver: PassedOver[] = []
  const failed: { text: string; problem: string }[] = []
  const tasks = planned.flatMap((one): SleepTask[] => {
    const { known, recurrence } = one
    const said = words.get(one.id)
    if (said?.status === 'written') {
      const task = taskOf(one, said.words, said.writtenBy)
      if (known === undefined) added.push(task.id)
      else rewritten.push(task.id)
      return [task]
    }
    const text = recurrence?.central.text ?? ''
    if (said?.status === 'failed') failed.push({ text, problem: said.problem })
    if (known !== undefined) {
      if (recurrence !== undefined) updated.push(known.id)
      return [refreshed({ ...one, known })]
    }
    if (said?.status === 'skipped') {
      const requestIds = one.evidence.requestIds
      passedOver.push({ text, reason: said.reason, at, requestIds: [...requestIds] })
    }
    return []
  })
  const made = book.tasks.filter(({ origin }) => origin !== 'real')
  return {
    book: {
      ...book,
      harvestedAt: at,
      sessions: countedBySource(sessions),
      tasks: [...tasks, ...made],
      passedOver: [...book.passedOver, ...passedOver],
    },
    change: { added, updated, rewritten, passedOver, failed },
  }
}

function countedBySource(sessions: readonly { readonly source: string }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { source } of sessions) counts[source] = (counts[source] ?? 0) + 1
  return counts
}
