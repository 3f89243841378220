import { metaSkillText, proposeLines } from '../worlds/proposals.js'
import type { World } from '../worlds/world.js'
import {
  editOf,
  failureText,
  guidanceFor,
  joinEdits,
  type Optimizer,
  type OptimizerRequest,
  rankBySupport,
  type SupportedEdit,
  unknownPrompt,
  usualLimit,
} from './optimizer.js'

/**
 * Simulated optimizer for the Python SkillOpt. Its user messages consist of sections under `##` headings,
 * which identify the stage.
 */

type Stage = (world: World, request: OptimizerRequest) => object

const stages: readonly (readonly [heading: RegExp, stage: Stage])[] = [
  [/^## Failed Trajectories \(/m, analyseFailures],
  [/^## Successful Trajectories \(/m, analyseSuccesses],
  [/^## (?:Patches to merge|Two pre-merged patch groups)/m, merge],
  [/^## Edits Pool \(/m, rank],
  [/^## Proposed Update Items$/m, chooseRate],
  [/^## Previous Slow Update Guidance$/m, writeGuidance],
  [/^## Previous Optimizer Meta Skill$/m, writeMetaSkill],
]

export const skilloptOptimizer: Optimizer = (world, request) => {
  const found = stages.find(([heading]) => heading.test(request.user))
  if (found === undefined) throw unknownPrompt('the Python SkillOpt', request)
  return JSON.stringify(found[1](world, request))
}

function analyseFailures(world: World, { user, sample }: OptimizerRequest): object {
  const shown = user.slice(user.search(/^## Failed Trajectories \(/m))
  const failures = questionsIn(world, shown, /^### Trajectory \d+ \(id=/m)
  const limit = Number(/at most L=(\d+) edits/.exec(user)?.[1] ?? usualLimit)
  const lines = proposeLines(world, { prompt: user, skill: currentSkill(user), failures, limit, sample })
  return {
    batch_size: failures.length,
    failure_summary: [{ failure_type: 'missing rule', count: failures.length, description: failureText }],
    patch: { reasoning: failureText, edits: lines.slice(0, limit).map(editOf) },
  }
}

function analyseSuccesses(): object {
  return { batch_size: 0, success_patterns: [], patch: { reasoning: 'Nothing new to learn.', edits: [] } }
}

interface ShownEdit {
  readonly op?: string
  readonly target?: string
  readonly content?: string
  readonly support_count?: number
  readonly source_type?: 'failure' | 'success'
}

function merge(_world: World, { user }: OptimizerRequest): object {
  const heading = user.search(/^## (?:Patches to merge|Two pre-merged patch groups)/m)
  const list = user.slice(heading).search(/^\[$/m)
  const patches = JSON.parse(user.slice(heading + list)) as { readonly edits?: readonly ShownEdit[] }[]
  const edits = patches.flatMap(({ edits = [] }) => edits.map(supportedEdit))
  return {
    reasoning: 'Joined edits that say the same.',
    edits: joinEdits(edits).map(({ edit: { op, target, content }, support, source }) => ({
      op,
      target,
      content,
      support_count: support,
      source_type: source,
    })),
  }
}

function supportedEdit(edit: ShownEdit): SupportedEdit {
  const { op = 'append', target = '', content = '', support_count = 1, source_type = 'failure' } = edit
  return { op, target, content, support: support_count, source: source_type }
}

function rank(_world: World, request: OptimizerRequest): object {
  const { user } = request
  const budget = Number(/^## Edits Pool \(\d+ edits, budget=(\d+)\)/m.exec(user)?.[1] ?? usualLimit)
  const order = rankBySupport(supportsIn(user), request)
  return { reasoning: 'Most supported first.', selected_indices: order.slice(0, budget) }
}

function chooseRate(_world: World, { user }: OptimizerRequest): object {
  const learning_rate = Math.min(usualLimit, supportsIn(user).length)
  return { learning_rate, reasoning: 'As usual.', confidence: 0.5, risk_notes: [] }
}

/** Support of edits that are listed one per line as `[i] op=… support=n`. */
function supportsIn(user: string): number[] {
  return [...user.matchAll(/^\[\d+\] op=.*?(?:support=(\d+))?$/gm)].map(([, support]) => Number(support ?? 1))
}

const pairHeading = /^#### Task /m

function writeGuidance(world: World, request: OptimizerRequest): object {
  const { user } = request
  // Regressions and persistent failures come first; tasks listed from the improvements on pass under the
  // current skill.
  const failing = between(user, /^### Regressions .*$/m, /^### Improvements /m)
  const previous = between(
    user,
    /^Reflect on .*$|^The following guidance .*$/m,
    /^## Longitudinal Comparison \(/m,
  )
  const content = guidanceFor(world, {
    request,
    skill: between(user, /^## Current Epoch's Skill$/m, /^## Previous Slow Update Guidance$/m),
    previous: previous.trim().startsWith('(') ? '' : previous.trim(),
    failures: questionsIn(world, failing, pairHeading),
  })
  return { reasoning: 'Rules for what still fails.', slow_update_content: content }
}

function writeMetaSkill(): object {
  return { reasoning: 'What the pairs show.', meta_skill_content: metaSkillText }
}

function currentSkill(user: string): string {
  return between(user, /^## Current Skill$/m, /^## (?:Edits Budget|Update Format)$/m)
}

function between(text: string, start: RegExp, end: RegExp): string {
  const opening = start.exec(text)
  if (opening === null) return ''
  const rest = text.slice(opening.index + opening[0].length)
  const length = rest.search(end)
  return (length === -1 ? rest : rest.slice(0, length)).replace(/^\n|\n\s*$/g, '')
}

/** Questions in blocks that each start with a heading. */
function questionsIn(world: World, text: string, heading: RegExp): string[] {
  const [, ...blocks] = text.split(heading)
  return blocks.flatMap(block => world.task(block)?.question ?? [])
}
