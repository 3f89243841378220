import type { UpdateMode } from '../core/config.js'
import type { EventBody, FailurePattern, Patch, Place } from '../core/event.js'
import type { Run } from '../core/ports.js'
import { lengthNote, type SkillLimit } from '../core/skill-limit.js'
import type { Attempt } from '../core/task.js'
import { ask } from './ask.js'
import { startedEarly } from './concurrency.js'
import { type Analysis as Analysed, analysis, toEdit } from './contracts.js'
import { earlierSteps, type Memory } from './memory.js'
import type { PromptName, Prompts } from './prompts.js'
import { isSuccess, section, sections, trajectorySection } from './render.js'

export type Side = 'failure' | 'success'
export const sides: readonly Side[] = ['failure', 'success']

export interface ReflectOptions {
  readonly prompts: Prompts
  readonly minibatchSize: number
  readonly editLimit: number
  /** Counts the batches of a step whose gradients are accumulated. */
  readonly round: number
  readonly failureOnly: boolean
  readonly failurePatterns: boolean
  readonly rejectedEdits: boolean
  readonly mode: UpdateMode
  readonly skillAware: { readonly enabled: boolean; readonly successes: boolean }
  readonly limit: SkillLimit | undefined
}

/** Each side as soon as it is known, so that its merge need not wait for the other. */
export interface Reflection {
  readonly failure: Promise<readonly Patch[]>
  readonly success: Promise<readonly Patch[]>
  readonly whole: Promise<EventBody<'reflect.finished'>>
}

/**
 * Backward: analysts read minibatches of trajectories and propose edits. Minibatches are formed in the seeded order,
 * each as soon as every earlier attempt is known: who finished first never matters.
 */
export function reflect(
  run: Run,
  skill: string,
  attempts: readonly Promise<Attempt>[],
  memory: Memory,
  options: ReflectOptions,
  place: Place,
): Reflection {
  const key = `step ${place.step}.${options.round}`
  const known = { failure: deferred<readonly Patch[]>(), success: deferred<readonly Patch[]>() }

  const whole = run.once('reflect.finished', key, async () => {
    const analyses = await startAnalysts(attempts, options, (side, minibatch, index) =>
      analyse(run, skill, side, minibatch, index, memory, options, place),
    )
    const settle = async (side: Side) => {
      const results = await Promise.all(analyses[side])
      const patches = results.filter(result => result !== 'unusable')
      known[side].resolve(patches)
      return { patches, failed: results.length - patches.length }
    }
    const [failure, success] = await Promise.all([settle('failure'), settle('success')])
    return {
      epoch: place.epoch,
      step: place.step,
      patches: [...failure.patches, ...success.patches],
      failed: failure.failed + success.failed,
    }
  })

  const recorded = (side: Side) => whole.then(body => body.patches.filter(patch => patch.from === side))
  return {
    failure: startedEarly(Promise.race([known.failure.promise, recorded('failure')])),
    success: startedEarly(Promise.race([known.success.promise, recorded('success')])),
    whole,
  }
}

type Analysis = Promise<Patch | 'unusable'>

async function startAnalysts(
  attempts: readonly Promise<Attempt>[],
  options: ReflectOptions,
  analyst: (side: Side, minibatch: readonly Attempt[], index: number) => Analysis,
): Promise<Record<Side, Analysis[]>> {
  const waiting: Record<Side, Attempt[]> = { failure: [], success: [] }
  const analyses: Record<Side, Analysis[]> = { failure: [], success: [] }
  const start = (side: Side) => {
    analyses[side].push(startedEarly(analyst(side, waiting[side], analyses[side].length)))
    waiting[side] = []
  }
  for (const promise of attempts) {
    const attempt = await promise
    if (attempt.outcome.status === 'failed') continue
    const side = isSuccess(attempt) ? 'success' : 'failure'
    if (side === 'success' && options.failureOnly) continue
    waiting[side].push(attempt)
    if (waiting[side].length === options.minibatchSize) start(side)
  }
  for (const side of sides) if (waiting[side].length > 0) start(side)
  return analyses
}

async function analyse(
  run: Run,
  skill: string,
  side: Side,
  minibatch: readonly Attempt[],
  index: number,
  memory: Memory,
  options: ReflectOptions,
  place: Place,
): Analysis {
  const { prompts, mode, editLimit } = options
  const skillAware = options.skillAware.enabled && (side === 'failure' || options.skillAware.successes)
  const content = sections(
    section('skill', skill),
    section('meta_skill', memory.metaSkill),
    earlierSteps(memory, options),
    section('skill_length', lengthNote(skill, options.limit)),
    section('edit_limit', mode === 'full_rewrite_minibatch' ? undefined : String(editLimit)),
    await trajectorySection(run, minibatch),
  )
  const answer = await ask(
    run,
    prompts,
    {
      prompt: `analyst-${side}`,
      instructions: analystInstructions(prompts, side, mode, skillAware),
      content,
      schema: analysis(side, mode, skillAware),
      scope: `step ${place.step}.${options.round} ${side} ${index}`,
    },
    place,
  )
  if (!answer.ok) return 'unusable'
  const tasks = minibatch.map(attempt => attempt.task)
  const { patch, lapses } = answer.value
  const origin = (mark: string, why: string, numbers: readonly number[] | null | undefined) => ({
    id: `s${place.step}.${options.round}.${side[0]}${index}.${mark}`,
    why,
    support: 1,
    from: side,
    tasks: namedTasks(numbers, tasks),
  })
  const edits = patch.proposed
    .slice(0, mode === 'full_rewrite_minibatch' ? undefined : editLimit)
    .map((proposed, number) =>
      toEdit(proposed, origin(String(number), patch.reasoning, proposed.trajectories)),
    )
  const reminders = lapses?.map(({ reminder, trajectories }, number) => ({
    op: 'remind' as const,
    content: reminder,
    ...origin(`lapse${number}`, 'A lapse: the skill says it already.', trajectories),
  }))
  return {
    from: side,
    tasks,
    reasoning: patch.reasoning,
    patterns: patternsOf(answer.value),
    edits,
    ...(reminders === undefined ? {} : { reminders }),
  }
}

const forms = {
  patch: 'form-edits',
  rewrite_from_suggestions: 'form-suggestions',
  full_rewrite_minibatch: 'form-rewrite',
} as const satisfies Record<UpdateMode, PromptName>

/** How to read attempts, then in which form to propose. A prompt of the user's without the mark says both itself. */
function analystInstructions(prompts: Prompts, side: Side, mode: UpdateMode, skillAware: boolean): string {
  const text = prompts[`analyst-${side}`].text.replace('{{form}}', () => prompts[forms[mode]].text)
  return skillAware ? `${text}\n\n${prompts['skill-aware'].text}` : text
}

function patternsOf(analysis: Analysed): FailurePattern[] {
  return (analysis.failure_summary ?? []).map(({ failure_type, count, description }) => ({
    type: failure_type,
    count: count ?? 1,
    description: description ?? '',
  }))
}

/** An edit stands for the attempts that the analyst names, or for its whole minibatch if it names none. */
function namedTasks(numbers: readonly number[] | null | undefined, tasks: readonly string[]): string[] {
  const named = (numbers ?? []).flatMap(number => tasks[number - 1] ?? [])
  return [...new Set(named.length > 0 ? named : tasks)]
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>(done => {
    resolve = done
  })
  return { promise, resolve }
}
