import type { UpdateMode } from '../../core/config/config.js'
import type { EventBody, Place, RecordedEdit } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { ask } from './ask.js'
import { mergeReply, toEdit } from './contracts.js'
import { type PromptName, type Prompts, withPreferences } from './prompts.js'
import type { Reflection, Side } from './reflect.js'
import { editList, section, sections } from './render.js'

interface AggregateInput {
  readonly skill: string
  readonly reflections: readonly Reflection[]
  readonly metaSkill?: string | undefined
  readonly place: Place
}

export interface AggregateOptions {
  readonly prompts: Prompts
  readonly mergeBatchSize: number
  readonly mode: UpdateMode
  /** The user's preferences for the skill. */
  readonly preferences?: string | undefined
}

/** A list of edits in the merge tree, and the number of unusable merges below it. */
interface Branch {
  readonly edits: readonly RecordedEdit[]
  readonly failed: number
}

/**
 * Reduce: merges patches in groups, level by level. Failures and successes are merged separately, and then
 * together with failures first.
 */
export function aggregate(
  run: Run,
  { skill, reflections, metaSkill, place }: AggregateInput,
  options: AggregateOptions,
): Promise<EventBody<'aggregate.finished'>> {
  return run.once('aggregate.finished', `step ${place.step}`, async () => {
    const merge = (branches: readonly Branch[], name: string) =>
      mergeGroup(run, { skill, branches, metaSkill, name, place }, options)
    const side = async (name: Side) => {
      const patches = (await Promise.all(reflections.map(reflection => reflection[name]))).flat()
      const leaves = patches.map(patch => ({ edits: patch.edits, failed: 0 }))
      const tree = mergeTree(leaves, options.mergeBatchSize, (group, level) =>
        merge(group, `${name} ${level}`),
      )
      return { branch: await tree, reminders: patches.flatMap(patch => patch.reminders ?? []) }
    }
    const [failure, success] = await Promise.all([side('failure'), side('success')])
    const { edits, failed } = await merge([failure.branch, success.branch], 'both')
    const reminders = joinReminders([...failure.reminders, ...success.reminders])
    return {
      epoch: place.epoch,
      step: place.step,
      edits: [...edits],
      reminders: reminders.length === 0 ? undefined : reminders,
      failed,
    }
  })
}

async function mergeTree(
  leaves: readonly Branch[],
  groupSize: number,
  merge: (group: readonly Branch[], name: string) => Promise<Branch>,
): Promise<Branch> {
  let branches = leaves
  for (let level = 0; branches.length > 1; level++) {
    const groups = Array.from({ length: Math.ceil(branches.length / groupSize) }, (_, index) =>
      branches.slice(index * groupSize, (index + 1) * groupSize),
    )
    branches = await Promise.all(groups.map((group, index) => merge(group, `${level}.${index}`)))
  }
  return branches[0] ?? { edits: [], failed: 0 }
}

interface MergeInput extends Omit<AggregateInput, 'reflections'> {
  readonly branches: readonly Branch[]
  /** Position in the merge tree. It is part of the call's scope and of edit ids. */
  readonly name: string
}

async function mergeGroup(
  run: Run,
  { skill, branches, metaSkill, name, place }: MergeInput,
  options: AggregateOptions,
): Promise<Branch> {
  const pool = branches.flatMap(branch => branch.edits)
  const failed = branches.reduce((sum, branch) => sum + branch.failed, 0)
  // A single list needs no merge, whatever its length, since its edits were proposed or merged together.
  if (branches.filter(branch => branch.edits.length > 0).length < 2) return { edits: pool, failed }
  const content = sections(
    section('skill', skill),
    section('meta_skill', metaSkill),
    section('preferences', options.preferences),
    section('edits', editList(pool)),
  )
  const prompt = mergePrompts[options.mode]
  const answer = await ask(run, options.prompts, {
    prompt,
    instructions: withPreferences(options.prompts, prompt, options.preferences),
    content,
    schema: mergeReply[options.mode],
    scope: `step ${place.step} merge ${name}`,
    skill,
    place,
  })
  // The failure is reported and the proposals stay unmerged. Dropping them would look as if there was nothing
  // to learn.
  if (!answer.ok) return { edits: pool, failed: failed + 1 }
  const edits = answer.value.map((proposed, index) => {
    const parents = parentsOf(proposed, pool)
    return toEdit(proposed, {
      id: `s${place.step}.m${name.replaceAll(' ', '')}.${index}`,
      why: [...new Set(parents.map(parent => parent.why).filter(why => why !== ''))].join(' | '),
      support: proposed.support_count ?? parents.reduce((sum, parent) => sum + parent.support, 0),
      from:
        proposed.source_type ?? (parents.some(parent => parent.from === 'failure') ? 'failure' : 'success'),
      tasks: [...new Set(parents.flatMap(parent => parent.tasks))],
    })
  })
  return { edits, failed }
}

const mergePrompts = {
  patch: 'merge',
  rewrite_from_suggestions: 'merge-suggestions',
  full_rewrite_minibatch: 'merge-rewrites',
} as const satisfies Record<UpdateMode, PromptName>

/**
 * Joins reminders with the same text into one that has the support of all. Reminders with the same meaning
 * are joined later, in the appendix.
 */
function joinReminders(reminders: readonly RecordedEdit[]): RecordedEdit[] {
  const joined = new Map<string, RecordedEdit>()
  for (const reminder of reminders) {
    const words = ('content' in reminder ? reminder.content : '').toLowerCase().replace(/\s+/g, ' ').trim()
    const known = joined.get(words)
    joined.set(
      words,
      known === undefined
        ? reminder
        : {
            ...known,
            support: known.support + reminder.support,
            tasks: [...new Set([...known.tasks, ...reminder.tasks])],
          },
    )
  }
  return [...joined.values()]
}

/**
 * The proposals that a merged edit comes from: those that the merge names, or those that it copied verbatim.
 * If there are neither, all proposals count, which is the cautious answer.
 */
function parentsOf(
  merged: {
    from?: readonly number[] | null | undefined
    content?: string | null | undefined
    target?: string | null | undefined
  },
  pool: readonly RecordedEdit[],
): readonly RecordedEdit[] {
  const named = (merged.from ?? []).flatMap(index => pool[index] ?? [])
  if (named.length > 0) return named
  const copied = pool.filter(
    edit =>
      ('content' in edit ? edit.content : '') === (merged.content ?? '') &&
      ('target' in edit ? edit.target : '') === (merged.target ?? ''),
  )
  return copied.length > 0 ? copied : pool
}
