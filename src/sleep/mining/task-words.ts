import type { Check } from '../../core/task/check.js'
import { contentHash } from '../../core/text/hash.js'
import { shorten } from '../../core/text/shorten.js'
import { isRework } from '../model/session-request.js'
import type { SleepTask } from '../model/sleep-task.js'
import type { Recurrence } from './recurrence.js'
import type { PlannedTask } from './task-plan.js'

/** The text of a task, written by a model or a person or derived from the requests. */
export interface TaskWords {
  readonly intent: string
  readonly rubric: readonly string[]
  readonly checks: readonly Check[]
}

export const byHeuristics = 'heuristics'

const longest = { intent: 1_000, point: 300 }
const mostCorrections = 5

/**
 * Derives a task's text from the requests when there is no model: the most typical request becomes the
 * intent, the corrections become the rubric. Such a text does not generalise, and it is marked as heuristic.
 */
export function heuristicWords({ central, requests }: Pick<Recurrence, 'central' | 'requests'>): TaskWords {
  const heard = requests.flatMap(({ evidence }) => evidence.filter(isRework))
  // Only corrections count: an interruption or a repetition does not say what was wrong.
  const corrections = new Set(
    heard.filter(({ kind }) => kind === 'correction').map(({ text }) => oneLine(text)),
  )
  return {
    intent: shorten(central.text.trim(), longest.intent),
    rubric: [
      'It does what was asked, wholly, and nothing that was not asked.',
      ...[...corrections]
        .slice(-mostCorrections)
        .map(text => `It needs no such correction as was made before: “${shorten(text, longest.point)}”`),
    ],
    checks: [],
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/**
 * True if the task's text must stay. Only unreviewed text from heuristics may be replaced, and only by a
 * model.
 */
export function keepsItsWords({ reviewed, writtenBy }: SleepTask, hasModel: boolean): boolean {
  return reviewed || writtenBy === 'person' || !hasModel || writtenBy !== byHeuristics
}

export function taskOf(planned: PlannedTask, words: TaskWords, writtenBy: string): SleepTask {
  const { known, split, family, skill, examples, evidence } = planned
  const { skill: _skill, ...rest } = known ?? {}
  return {
    reviewed: false,
    origin: 'real',
    ...rest,
    id: known?.id ?? taskId(words.intent, planned.id),
    intent: words.intent,
    rubric: [...words.rubric],
    checks: [...words.checks],
    writtenBy,
    split,
    family,
    ...(skill === undefined ? {} : { skill }),
    examples: [...examples],
    evidence,
  }
}

/** Updates a known task with its current evidence. */
export function refreshed(planned: PlannedTask & { readonly known: SleepTask }): SleepTask {
  const { intent, rubric, checks, writtenBy } = planned.known
  return taskOf(planned, { intent, rubric, checks }, writtenBy)
}

const wordsInId = 4

/** Creates a unique task id that a person can type and recognise. */
function taskId(intent: string, cluster: string): string {
  const words = intent
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, '')
    .match(/[a-z0-9]{2,}/g)
  const name = (words ?? ['task']).slice(0, wordsInId).join('-').slice(0, 40).replace(/-$/, '')
  return `${name}-${contentHash(cluster).slice(0, 6)}`
}
