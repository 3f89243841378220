import { diceOf } from '../../src/simulated/random.js'
import { type ProposedLine, proposeLines } from '../worlds/proposals.js'
import { meaningsIn } from '../worlds/vocabulary.js'
import type { World } from '../worlds/world.js'

/**
 * What the simulated optimizers of all trainers have in common. They differ only in how a prompt is read and in the form
 * of the reply: what is proposed, joined and preferred is decided here, alike for everybody.
 */

export interface OptimizerRequest {
  readonly system: string
  readonly user: string
  /** Tells repeats of the same request apart. */
  readonly sample: number
}

/** Answers one prompt of a trainer. Throws where it does not understand the prompt: silence would look like "nothing to learn". */
export type Optimizer = (world: World, request: OptimizerRequest) => string

/** How many lessons a reflection draws where the prompt sets no limit: the edit limit of the other trainers. */
export const usualLimit = 4

/** New rules that one slow update writes at most. */
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

/** The edit that puts a proposed line into a skill. */
export function editOf({ text, replaces }: ProposedLine): Edit {
  return replaces === undefined
    ? { op: 'append', content: `- ${text}` }
    : { op: 'replace', target: replaces, content: text }
}

/** The skill with proposed lines in it, for trainers that want the whole text. */
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
  /** The first of the edits that say the same, in its own words. */
  readonly edit: Item
  readonly support: number
  readonly source: 'failure' | 'success'
  /** Positions of the edits it stands for. */
  readonly from: readonly number[]
}

/** Joins edits that mean the same and adds up their support. Nothing is reworded and nothing is left out. */
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

/** Paraphrases count as the same, as they would for a model that reads them. */
function meaningOf({ op, target = '', content = '' }: Edit): string {
  const meanings = meaningsIn(content)
  const said = meanings.length > 0 ? JSON.stringify(meanings) : content.trim()
  return [op, target.trim(), said].join('\u0000')
}

/** Indices by support, ties in an order that differs from prompt to prompt: the optimizer cannot know which edit is right. */
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
  /** Guidance that stands in the skill already; the reply replaces it. */
  readonly previous: string
  /** Questions that fail under the current skill. */
  readonly failures: readonly string[]
}

/** A slow update keeps the guidance there is and adds rules for what still fails. */
export function guidanceFor(world: World, { request, skill, previous, failures }: GuidanceRequest): string {
  const { user: prompt, sample } = request
  const lines = proposeLines(world, { prompt, skill, failures, limit: mostGuidance, sample })
  const kept = previous.split('\n').filter(line => line.trim() !== '')
  return [...kept, ...lines.slice(0, mostGuidance).map(({ text }) => `- ${text}`)].join('\n')
}

/** For the failure pattern that later prompts show. It names no rule: a rule that stands in a prompt is not proposed again. */
export const failureText = 'The skill has no rule, or a wrong one, for these tasks.'

export function unknownPrompt(trainer: string, { user }: OptimizerRequest): Error {
  return new Error(`The optimizer does not know this prompt of ${trainer}: ${user.slice(0, 200)}`)
}
