import { diceOf } from '../../src/simulated/random.js'
import { type ProposedLine, proposeLines } from '../worlds/proposals.js'
import { meaningsIn } from '../worlds/vocabulary.js'
import type { World } from '../worlds/world.js'

/**
 * Logic shared by the simulated optimizers of all trainers. They differ only in how they parse a prompt and
 * format the reply: proposing, merging and ranking are decided here, identically for all.
 */

export interface OptimizerRequest {
  readonly system: string
  readonly user: string
  /** Distinguishes repeats of the same request. */
  readonly sample: number
}

/**
 * Answers one prompt of a trainer. Throws on an unknown prompt: an empty reply would look like "nothing to
 * learn".
 */
export type Optimizer = (world: World, request: OptimizerRequest) => string

/** Number of lessons per reflection if the prompt sets no limit: the edit limit of the other trainers. */
export const usualLimit = 4

/** Maximum number of new rules per slow update. */
const mostGuidance = 2

export interface Edit {
  readonly op: string
  readonly target?: string
  readonly content?: string
}

export interface SupportedEdit extends Edit {
  readonly support: number
  readonly source: 'failure' | 'success'
}

/** The edit that adds a proposed line to a skill. */
export function editOf({ text, replaces }: ProposedLine): Edit {
  return replaces === undefined
    ? { op: 'append', content: `- ${text}` }
    : { op: 'replace', target: replaces, content: text }
}

/** The skill with the proposed lines added, for trainers that expect the whole text. */
export function withLines(skill: string, lines: readonly ProposedLine[]): string {
  let text = skill.trimEnd()
  for (const line of lines) {
    if (line.replaces !== undefined && text.includes(line.replaces))
      text = text.replace(line.replaces, () => line.text)
    else text += `\n- ${line.text}`
  }
  return text
}

export interface JoinedEdit<Item extends SupportedEdit> {
  /** The first of the equivalent edits, unchanged. */
  readonly edit: Item
  readonly support: number
  readonly source: 'failure' | 'success'
  /** Indices of the edits that it represents. */
  readonly from: readonly number[]
}

/** Merges equivalent edits and adds up their support. Nothing is reworded or dropped. */
export function joinEdits<Item extends SupportedEdit>(edits: readonly Item[]): JoinedEdit<Item>[] {
  const groups = new Map<string, { edit: Item; from: number[] }>()
  for (const [index, edit] of edits.entries()) {
    const key = meaningOf(edit)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { edit, from: [index] })
    else group.from.push(index)
  }
  return [...groups.values()].map(({ edit, from }) => {
    const members = edits.filter((_, index) => from.includes(index))
    return {
      edit,
      from,
      support: members.reduce((sum, member) => sum + member.support, 0),
      source: members.some(({ source }) => source === 'failure') ? 'failure' : 'success',
    }
  })
}

/** Paraphrases count as equal, as they would for a model that reads them. */
function meaningOf({ op, target = '', content = '' }: Edit): string {
  const meanings = meaningsIn(content)
  const said = meanings.length > 0 ? JSON.stringify(meanings) : content.trim()
  return [op, target.trim(), said].join('\u0000')
}

/**
 * Indices ordered by support. Ties are broken differently per prompt: the optimizer cannot know which edit
 * is right.
 */
export function rankBySupport(supports: readonly number[], { user, sample }: OptimizerRequest): number[] {
  const dice = diceOf('rank', user, sample)
  return supports
    .map((support, index) => ({ index, support, tie: dice.next() }))
    .sort((one, other) => other.support - one.support || one.tie - other.tie)
    .map(({ index }) => index)
}

export interface GuidanceRequest {
  readonly request: OptimizerRequest
  readonly skill: string
  /** Guidance that is already in the skill and that the reply replaces. */
  readonly previous: string
  /** Questions that fail under the current skill. */
  readonly failures: readonly string[]
}

/** A slow update keeps the existing guidance and adds rules for tasks that still fail. */
export function guidanceFor(world: World, { request, skill, previous, failures }: GuidanceRequest): string {
  const { user: prompt, sample } = request
  const lines = proposeLines(world, { prompt, skill, failures, limit: mostGuidance, sample })
  const kept = previous.split('\n').filter(line => line.trim() !== '')
  return [...kept, ...lines.slice(0, mostGuidance).map(({ text }) => `- ${text}`)].join('\n')
}

/**
 * Failure pattern for later prompts. It names no rule, because rules that appear in a prompt are not
 * proposed again.
 */
export const failureText = 'The skill has no rule, or a wrong one, for these tasks.'

export function unknownPrompt(trainer: string, { user }: OptimizerRequest): Error {
  return new Error(`The optimizer does not know this prompt of ${trainer}: ${user.slice(0, 200)}`)
}
