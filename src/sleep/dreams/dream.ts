import type { EventBody, Place } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { contentHash } from '../../core/text/hash.js'
import { marked } from '../../core/text/marked.js'
import { shorten } from '../../core/text/shorten.js'
import { ask } from '../../trainer/stages/ask.js'
import { dreamReply as contract } from '../../trainer/stages/contracts.js'
import type { Prompts } from '../../trainer/stages/prompts.js'
import type { SleepTask } from '../model/sleep-task.js'
import { cannotVary, textsAsked, variantProblem, withReason } from './variants.js'

export type DreamedTask = EventBody<'task.dreamed'>

export interface DreamOptions {
  readonly prompts: Prompts
  /** Maximum number of variants per task. */
  readonly variants: number
  /** Rejects variants that are valid by themselves but would leak held-out tasks. */
  readonly guard: {
    /** Changes only when the held-out tasks change. */
    readonly key: string
    problems(source: SleepTask, variants: readonly string[]): Promise<readonly (string | undefined)[]>
  }
}

/**
 * Asks the optimizer for variants of a task: other details in other words, judged by the same rubric. The
 * prompt contains only this one task. A repeated call reads the reply from the log. If the held-out tasks
 * have changed since, that reply is checked again without a new call.
 */
export function dreamOf(
  run: Run,
  task: SleepTask,
  { prompts, variants, guard }: DreamOptions,
  place: Place,
): Promise<DreamedTask> {
  const scope = dreamKey(task, variants)
  return run.once('task.dreamed', `${scope} ${guard.key}`, async (): Promise<DreamedTask> => {
    const { id } = task
    const reason = cannotVary(task)
    if (reason !== undefined) return { status: 'skipped', task: id, reason }
    const content = dreamText(task, variants)
    const answer = await ask(run, prompts, { prompt: 'dream', content, schema: contract, scope, place })
    if (!answer.ok) return { status: 'failed', task: id, problem: answer.problem }
    return { status: 'written', task: id, ...(await usable(task, answer.value.variants, variants, guard)) }
  })
}

/** Cache key over everything the optimizer is shown. */
export function dreamKey(task: SleepTask, variants: number): string {
  return `${task.id} ${contentHash(dreamText(task, variants)).slice(0, 16)}`
}

async function usable(
  task: SleepTask,
  proposed: readonly string[],
  most: number,
  guard: DreamOptions['guard'],
): Promise<{ readonly variants: string[]; readonly dropped: string[] }> {
  const sound: string[] = []
  const dropped: string[] = []
  for (const text of proposed) {
    const problem = variantProblem(text, task, sound)
    if (problem === undefined) sound.push(text)
    else dropped.push(withReason(text, problem))
  }
  const variants: string[] = []
  const objections = await guard.problems(task, sound)
  for (const [index, text] of sound.entries()) {
    const problem =
      objections[index] ?? (variants.length === most ? 'it is one more than asked for' : undefined)
    if (problem === undefined) variants.push(text)
    else dropped.push(withReason(text, problem))
  }
  return { variants, dropped }
}

const longestRequest = 800

/**
 * Builds the prompt for the optimizer. The number of variants is stated in our words; all external text
 * stands between delimiters.
 */
export function dreamText(task: SleepTask, variants: number): string {
  const lines = (texts: readonly string[]) => texts.map(text => JSON.stringify(text)).join('\n')
  const shown = marked({
    intent: lines([task.intent]),
    rubric: lines(task.rubric),
    requests: lines(textsAsked(task).map(text => shorten(text, longestRequest))),
  })
  return `Variations wanted: ${variants}.\n\n${shown}`
}
