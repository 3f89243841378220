import type { Failures } from '../core/comparison/failures.js'
import type { RunEvent } from '../core/log/event.js'
import type { Attempt, Scores } from '../core/task/task.js'
import type { RunView } from '../core/view/fold.js'
import { scoreOf } from './evaluation-details.js'

interface Tried {
  readonly type: string
  readonly scores: number[]
  feedback: string
}

const half = 0.5

/**
 * The tasks that still fail with the shipped skill, on the test split if it was run, else on validation.
 * Undefined if no skill was scored. Reads the log once.
 */
export async function failingTasks(
  view: RunView,
  events: AsyncIterable<RunEvent>,
): Promise<Failures | undefined> {
  const { best, tests, kind } = view
  const first = view.versions.find(({ version }) => version === 0)?.skill
  if (kind !== 'train' || best === undefined) return undefined
  const isTested = tests.some(({ which, scored }) => which === 'best' && scored > 0)
  const stages = isTested ? ['test'] : ['gate', 'baseline']
  const score = scoreOf(view.config)
  const of = { best: new Map<string, Tried>(), seed: new Map<string, Tried>() }
  const trainTypes = new Map<string, string>()
  for await (const { type, body } of events) {
    if (type !== 'attempt.finished') continue
    if (body.stage === 'rollout') trainTypes.set(body.task, body.type)
    if (!stages.includes(body.stage)) continue
    if (body.skill === best.skill) add(of.best, body as Attempt, score)
    if (body.skill === first) add(of.seed, body as Attempt, score)
  }
  if (of.best.size === 0) return undefined
  const all = [...of.best].map(([task, { type, scores, feedback }]) => {
    const seed = of.seed.get(task)
    return { task, type, score: mean(scores), before: seed && mean(seed.scores), feedback }
  })
  const types = [...new Set(all.map(({ type }) => type))].map(type => {
    const own = all.filter(one => one.type === type)
    const before = own.flatMap(one => one.before ?? [])
    return {
      type,
      tasks: own.length,
      score: mean(own.map(one => one.score)),
      before: before.length === own.length ? mean(before) : undefined,
      failing: own.filter(one => one.score < half),
      line: lineFor(view, type, trainTypes),
    }
  })
  return {
    split: isTested ? 'test' : 'validation',
    tasks: all.length,
    types: types
      .filter(({ failing }) => failing.length > 0)
      .toSorted((one, other) => other.failing.length - one.failing.length),
    broken: all.filter(one => one.score < half && (one.before ?? 0) >= half),
  }
}

function add(tried: Map<string, Tried>, attempt: Attempt, score: (scores: Scores) => number): void {
  const { task, type, outcome, reward } = attempt
  if (outcome.status !== 'scored') return
  const { hard, soft, feedback } = outcome.score
  const value = score({ hard, soft, reward })
  const known = tried.get(task) ?? { type, scores: [], feedback: '' }
  known.scores.push(value)
  if (value < half) known.feedback = feedback
  tried.set(task, known)
}

function lineFor(view: RunView, type: string, trainTypes: ReadonlyMap<string, string>): string | undefined {
  const edits =
    view.loop === 'trials'
      ? view.trialEdits.filter(({ fate }) => fate === 'kept' || fate === 'accepted')
      : view.steps
          .filter(({ step, outcome }) => outcome === 'accepted' && step <= (view.best?.version ?? 0))
          .flatMap(({ edits: made }) => made.filter(({ fate }) => fate === 'applied'))
  const isAbout = (tasks: readonly string[]) =>
    type !== '' && tasks.length > 0 && tasks.every(task => trainTypes.get(task) === type)
  return edits.findLast(({ tasks, content }) => content !== undefined && isAbout(tasks))?.content
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
