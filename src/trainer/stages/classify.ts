import type { EventBody, Place, RecordedEdit } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { shorten } from '../../core/text/shorten.js'
import { ask } from './ask.js'
import { classifyReply } from './contracts.js'
import type { Prompts } from './prompts.js'
import { section, sections } from './render.js'

/** Maximum characters of a task and of a remedy, and tasks per call: 12,000 tokens together. */
const longestTask = 240
const longestRemedy = 240
const mostTasks = 200

export interface ClassifyOptions {
  /** One edit for each cause to classify. */
  readonly edits: readonly RecordedEdit[]
  readonly tasks: readonly { readonly id: string; readonly text: string }[]
  readonly prompts: Prompts
}

/**
 * Asks the optimizer in one call which train tasks each cause concerns. An unusable reply is reported and
 * names no tasks. If there are too many tasks, only part of them is shown, and the reply covers only those.
 */
export function classifyTasks(
  run: Run,
  { edits, tasks, prompts }: ClassifyOptions,
  place: Place,
): Promise<EventBody<'trials.classified'>> {
  const { epoch, step } = place
  const key = `step ${step}`
  return run.once('trials.classified', key, async () => {
    const shown = chooseTasks(
      tasks,
      edits.flatMap(edit => edit.tasks),
    )
    // The tasks come first: they are the same in every call, so providers can cache them.
    const content = sections(
      section('tasks', shown.map(({ text }, index) => `[${index + 1}] ${taskLine(text)}`).join('\n')),
      section('causes', edits.map((edit, index) => `[${index + 1}] ${causeLine(edit)}`).join('\n')),
    )
    const answer = await ask(run, prompts, {
      prompt: 'concern',
      content,
      schema: classifyReply,
      scope: key,
      place,
    })
    if (!answer.ok) return { epoch, step, shown: shown.length, causes: [], failed: 1 }
    const causes = answer.value.concerned.flatMap(({ cause: number, all_tasks, tasks: numbers }) => {
      const cause = edits[number - 1]?.cause
      if (cause === undefined) return []
      const isForAll = all_tasks === true
      const named = isForAll ? [] : (numbers ?? []).flatMap(one => shown[one - 1]?.id ?? [])
      return [{ cause, all: isForAll, tasks: [...new Set(named)] }]
    })
    return { epoch, step, shown: shown.length, causes, failed: 0 }
  })
}

/**
 * Chooses the tasks to show: all of them if they fit, otherwise the edits' support tasks and an even
 * selection of the rest.
 */
function chooseTasks<Task extends { readonly id: string }>(
  tasks: readonly Task[],
  support: readonly string[],
): readonly Task[] {
  if (tasks.length <= mostTasks) return tasks
  const known = new Set(support)
  const behind = tasks.filter(({ id }) => known.has(id)).slice(0, mostTasks / 2)
  const others = tasks.filter(task => !behind.includes(task))
  const room = mostTasks - behind.length
  const even = Array.from({ length: room }, (_, at) => others[Math.floor((at * others.length) / room)])
  const chosen = new Set([...behind, ...even])
  return tasks.filter(task => chosen.has(task))
}

function taskLine(text: string): string {
  return shorten(text.replaceAll(/\s+/g, ' ').trim(), longestTask).replaceAll('\n', ' ')
}

function causeLine(edit: RecordedEdit): string {
  const remedy = 'content' in edit ? edit.content : `Remove: ${edit.target}`
  return JSON.stringify({
    cause: edit.cause,
    applies_to: edit.condition,
    remedy: shorten(remedy, longestRemedy),
  })
}
