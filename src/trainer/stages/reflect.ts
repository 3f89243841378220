import type { UpdateMode } from '../../core/config/config.js'
import type { EventBody, FailurePattern, Patch, Place, RecordedEdit } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import type { SkillLimit } from '../../core/skill/skill-limit.js'
import type { Attempt } from '../../core/task/task.js'
import { ask } from './ask.js'
import { startEarly } from './concurrency.js'
import { type AnalystReply as Analysed, analystReply, toEdit } from './contracts.js'
import { earlierSteps, type Memory } from './memory.js'
import type { PromptName, Prompts } from './prompts.js'
import { editLine, isSuccess, type ReviewedAttempt, section, sections, trajectorySection } from './render.js'

export type Side = 'failure' | 'success'
export const sides: readonly Side[] = ['failure', 'success']

interface ReflectInput {
  readonly skill: string
  readonly attempts: readonly Promise<Attempt>[]
  readonly memory: Memory
  readonly place: Place
}

export interface ReflectOptions {
  readonly prompts: Prompts
  readonly minibatchSize: number
  readonly editLimit: number
  /** Index of the batch in a step with accumulated gradients. */
  readonly round: number
  readonly failureOnly: boolean
  /** Number of consecutive attempts at each task. */
  readonly samples: number
  readonly failurePatterns: boolean
  readonly rejectedEdits: boolean
  readonly mode: UpdateMode
  readonly skillAware: { readonly enabled: boolean; readonly successes: boolean }
  /** The user's preferences for the skill. */
  readonly preferences?: string | undefined
  readonly limit: SkillLimit | undefined
  /** Remedies per cause; more than one if edits compete with each other. */
  readonly alternatives?: number
  /** Edits already on trial, which must not be proposed again. */
  readonly pending?: readonly RecordedEdit[]
  /** The fixed text around the skill, if the skill is part of a document. */
  readonly around?: string | undefined
}

/** Patches from failures and from successes. Each side resolves on its own, so its merge can begin. */
export interface Reflection {
  readonly failure: Promise<readonly Patch[]>
  readonly success: Promise<readonly Patch[]>
  readonly whole: Promise<EventBody<'reflect.finished'>>
}

/**
 * Backward: analysts read minibatches of trajectories and propose edits. Minibatches follow the seeded order,
 * and each starts once all earlier attempts are known, so the order of completion never matters.
 */
export function reflect(
  run: Run,
  { skill, attempts, memory, place }: ReflectInput,
  options: ReflectOptions,
): Reflection {
  const key = `step ${place.step}.${options.round}`
  const known = { failure: deferred<readonly Patch[]>(), success: deferred<readonly Patch[]>() }

  const whole = run.once('reflect.finished', key, async () => {
    const analyses = await startAnalysts(attempts, options, (side, minibatch, index) =>
      analyse(run, { skill, side, minibatch, index, memory, place }, options),
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
    failure: startEarly(Promise.race([known.failure.promise, recorded('failure')])),
    success: startEarly(Promise.race([known.success.promise, recorded('success')])),
    whole,
  }
}

type PendingPatch = Promise<Patch | 'unusable'>

async function startAnalysts(
  attempts: readonly Promise<Attempt>[],
  options: ReflectOptions,
  analyst: (side: Side, minibatch: readonly ReviewedAttempt[], index: number) => PendingPatch,
): Promise<Record<Side, PendingPatch[]>> {
  const waiting: Record<Side, ReviewedAttempt[]> = { failure: [], success: [] }
  const analyses: Record<Side, PendingPatch[]> = { failure: [], success: [] }
  const start = (side: Side) => {
    analyses[side].push(startEarly(analyst(side, waiting[side], analyses[side].length)))
    waiting[side] = []
  }
  for (let first = 0; first < attempts.length; first += options.samples) {
    const shown = pickContrast(await Promise.all(attempts.slice(first, first + options.samples)))
    if (shown === undefined) continue
    // A success counts as a failure if another attempt at the same task did better, since it can be improved.
    const side = shown.better === undefined && isSuccess(shown.attempt) ? 'success' : 'failure'
    if (side === 'success' && options.failureOnly) continue
    waiting[side].push(shown)
    if (waiting[side].length === options.minibatchSize) start(side)
  }
  for (const side of sides) if (waiting[side].length > 0) start(side)
  return analyses
}

interface AnalystInput extends Omit<ReflectInput, 'attempts'> {
  readonly side: Side
  readonly minibatch: readonly ReviewedAttempt[]
  /** Number of the minibatch among the failures or the successes. */
  readonly index: number
}

async function analyse(
  run: Run,
  { skill, memory, place, side, minibatch, index }: AnalystInput,
  options: ReflectOptions,
): PendingPatch {
  const { prompts, mode, editLimit } = options
  const skillAware = options.skillAware.enabled && (side === 'failure' || options.skillAware.successes)
  const content = sections(
    section('skill', skill),
    section('around_the_skill', options.around),
    section('meta_skill', memory.metaSkill),
    earlierSteps(memory, options),
    section('preferences', options.preferences),
    section('skill_length', options.limit?.note(skill)),
    section('pending_edits', pendingLines(options.pending)),
    section('edit_limit', mode === 'full_rewrite_minibatch' ? undefined : String(editLimit)),
    section('alternatives', options.alternatives === undefined ? undefined : String(options.alternatives)),
    await trajectorySection(run, minibatch),
  )
  const answer = await ask(run, prompts, {
    prompt: `analyst-${side}`,
    instructions: analystInstructions({ side, minibatch, skillAware }, options),
    content,
    schema: analystReply(side, mode, { skillAware, isRaced: options.alternatives !== undefined }),
    scope: `step ${place.step}.${options.round} ${side} ${index}`,
    skill,
    place,
  })
  if (!answer.ok) return 'unusable'
  const tasks = minibatch.map(({ attempt }) => attempt.task)
  const { patch, lapses } = answer.value
  const origin = (mark: string, why: string, numbers: readonly number[] | null | undefined) => ({
    id: `s${place.step}.${options.round}.${side[0]}${index}.${mark}`,
    why,
    support: 1,
    from: side,
    tasks: namedTasks(numbers, tasks),
  })
  const most = editLimit * (options.alternatives ?? 1)
  const edits = patch.proposed
    .slice(0, mode === 'full_rewrite_minibatch' ? undefined : most)
    .map((proposed, number) =>
      toEdit(proposed, {
        ...origin(String(number), patch.reasoning, proposed.trajectories),
        // Models also write null or an empty text for "none".
        cause: proposed.cause || undefined,
        condition: proposed.applies_to || undefined,
      }),
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
    reminders,
  }
}

const forms = {
  patch: 'form-edits',
  rewrite_from_suggestions: 'form-suggestions',
  full_rewrite_minibatch: 'form-rewrite',
} as const satisfies Record<UpdateMode, PromptName>

/**
 * System message of an analyst: how to read attempts, then the form of proposals. A user's prompt without the
 * placeholder replaces both. Further sections depend on the minibatch and the options.
 */
function analystInstructions(
  {
    side,
    minibatch,
    skillAware,
  }: Pick<AnalystInput, 'side' | 'minibatch'> & { readonly skillAware: boolean },
  { prompts, mode, preferences, alternatives }: ReflectOptions,
): string {
  const text = prompts[`analyst-${side}`].text.replace('{{form}}', () => prompts[forms[mode]].text)
  const further = {
    alternatives: alternatives !== undefined && mode === 'patch',
    contrast: minibatch.some(({ better }) => better !== undefined),
    reward: minibatch.some(({ attempt }) => attempt.reward !== undefined),
    preferences: preferences !== undefined,
    'skill-aware': skillAware,
  }
  const names = (Object.keys(further) as (keyof typeof further)[]).filter(name => further[name])
  return [text, ...names.map(name => prompts[name].text)].join('\n\n')
}

function pendingLines(pending: readonly RecordedEdit[] | undefined): string | undefined {
  return pending?.map(edit => `- cause "${edit.cause ?? 'not named'}": ${editLine(edit)}`).join('\n')
}

function patternsOf(analysis: Analysed): FailurePattern[] {
  return (analysis.failure_summary ?? []).map(({ failure_type, count, description }) => ({
    type: failure_type,
    count: count ?? 1,
    description: description ?? '',
  }))
}

/** Tasks of the attempts that the analyst names for an edit, or of its whole minibatch if it names none. */
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

/**
 * If scores of attempts at one task differ by at least this, the attempts took a different course, and not
 * only by chance.
 */
const smallestSpread = 0.3

/**
 * Selects which of several attempts at a task reflection sees. If they differ, it is the worst beside the
 * best; otherwise the first, since the others would show the same. Undefined if all failed for external
 * reasons.
 */
export function pickContrast(attempts: readonly Attempt[]): ReviewedAttempt | undefined {
  const scored = attempts.filter(({ outcome }) => outcome.status === 'scored')
  const [first] = scored
  if (first === undefined) return undefined
  const order = scored.toSorted((one, other) => rankOf(one) - rankOf(other))
  const [worst = first, best = first] = [order[0], order.at(-1)]
  const differs =
    isSuccess(worst) !== isSuccess(best) || rewardOrScore(best) - rewardOrScore(worst) >= smallestSpread
  return differs ? { attempt: worst, better: best } : { attempt: first }
}

/** Solved attempts rank above unsolved ones, whatever their cost. */
const rankOf = (attempt: Attempt): number => (isSuccess(attempt) ? 2 : 0) + rewardOrScore(attempt)

function rewardOrScore({ outcome, reward }: Attempt): number {
  return reward ?? (outcome.status === 'scored' ? outcome.score.soft : 0)
}
