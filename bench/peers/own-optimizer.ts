import { numbered } from '../../src/simulated/optimizer/concern.js'
import {
  editLimitOf,
  listedIn,
  pairsIn,
  parseObject,
  section,
  trajectoriesIn,
} from '../../src/simulated/optimizer/sections.js'
import { concernedBy, metaSkillText, proposeLines } from '../worlds/proposals.js'
import type { World } from '../worlds/world.js'
import {
  editOf,
  failureText,
  guidanceFor,
  joinEdits,
  type Optimizer,
  type OptimizerRequest,
  rankBySupport,
  unknownPrompt,
} from './optimizer.js'

/** Simulated optimizer for our own trainer, whose prompts have tagged sections. */

type Stage = (world: World, request: OptimizerRequest) => object

/**
 * Stages by a key that only their reply has. Merged edits have `support_count` too, so the merge comes last.
 */
const stages: readonly (readonly [key: string, stage: Stage])[] = [
  ['all_tasks', classify],
  ['selected_indices', rank],
  ['"learning_rate"', chooseRate],
  ['slow_update_content', writeGuidance],
  ['meta_skill_content', writeMetaSkill],
  ['success_patterns', analyseSuccesses],
  ['failure_summary', analyseFailures],
  ['support_count', merge],
]

export const ownOptimizer: Optimizer = (world, request) => {
  const found = stages.find(([key]) => request.system.includes(key))
  if (found === undefined) throw unknownPrompt('our trainer', request)
  return JSON.stringify(found[1](world, request))
}

function analyseFailures(world: World, { user, sample }: OptimizerRequest): object {
  const trajectories = trajectoriesIn(user).map(({ number, passed, whole }) => ({
    number,
    passed,
    question: world.task(whole)?.question ?? '',
  }))
  const failed = trajectories.filter(({ passed, question }) => !passed && question !== '')
  const asked = section(user, 'alternatives')
  const limit = editLimitOf(user)
  const lines = proposeLines(world, {
    // Earlier edits appear as JSON strings, so quotation marks are unescaped to find rules in them.
    prompt: user.replaceAll('\\"', '"'),
    skill: section(user, 'skill') ?? '',
    failures: failed.map(({ question }) => question),
    limit,
    sample,
    ...(asked === undefined ? {} : { alternatives: Math.max(1, Number.parseInt(asked, 10)) }),
  })
  const edits = lines.map(line => ({
    ...editOf(line),
    trajectories: failed.flatMap(({ number, question }) => (line.causes.includes(question) ? [number] : [])),
    ...(asked === undefined ? {} : { cause: line.cause }),
  }))
  return {
    batch_size: trajectories.length,
    failure_summary: [{ failure_type: 'missing rule', count: failed.length, description: failureText }],
    patch: { reasoning: failureText, edits },
  }
}

function analyseSuccesses(_world: World, { user }: OptimizerRequest): object {
  const patch = { reasoning: 'Nothing new to learn.', edits: [] }
  return { batch_size: trajectoriesIn(user).length, success_patterns: [], patch }
}

function classify(world: World, { user }: OptimizerRequest): object {
  const tasks = numbered(user, 'tasks').map(([number, line]) => ({ number, id: world.task(line)?.id ?? '' }))
  const concerned = numbered(user, 'causes').map(([cause, json]) => {
    const name = String(parseObject(json)?.cause)
    const named = concernedBy(
      world,
      name,
      tasks.map(({ id }) => id),
    )
    const numbers = tasks.filter(({ id }) => named?.has(id)).map(({ number }) => number)
    return { cause, all_tasks: named === undefined, tasks: numbers }
  })
  return { concerned }
}

function merge(_world: World, { user }: OptimizerRequest): object {
  const listed = listedIn(user, 'edits')
  return {
    reasoning: 'Joined edits that say the same.',
    edits: joinEdits(listed).map(({ edit: { op, target, content }, support, source, from }) => ({
      op,
      target,
      content,
      support_count: support,
      source_type: source,
      from: from.map(position => listed[position]?.index ?? position),
    })),
  }
}

function rank(_world: World, request: OptimizerRequest): object {
  const listed = listedIn(request.user, 'edits')
  const order = rankBySupport(
    listed.map(({ support }) => support),
    request,
  )
  return {
    reasoning: 'Most supported first.',
    selected_indices: order.slice(0, editLimitOf(request.user)).map(position => listed[position]?.index ?? 0),
  }
}

function chooseRate(_world: World, { user }: OptimizerRequest): object {
  const learning_rate = Math.max(1, Math.min(editLimitOf(user), listedIn(user, 'edits').length))
  return { learning_rate, reasoning: 'As the schedule says.', confidence: 0.5, risk_notes: '' }
}

function writeGuidance(world: World, request: OptimizerRequest): object {
  const { user } = request
  const failing = pairsIn(user).filter(
    ({ outcome }) => outcome === 'regressed' || outcome === 'persistent_failure',
  )
  const content = guidanceFor(world, {
    request,
    skill: section(user, 'current_skill') ?? '',
    previous: section(user, 'current_guidance') ?? '',
    failures: failing.flatMap(({ question }) => world.task(question)?.question ?? []),
  })
  return { reasoning: 'Rules for what still fails.', slow_update_content: content }
}

function writeMetaSkill(): object {
  return { reasoning: 'What the record shows.', meta_skill_content: metaSkillText }
}
