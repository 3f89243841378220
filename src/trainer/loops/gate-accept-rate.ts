import { setImmediate as nextTurn } from 'node:timers/promises'
import { PausedError } from '../../core/errors/errors.js'
import type { GateFactory } from '../../core/ports/gate.js'
import type { Run } from '../../core/ports/run.js'
import {
  acceptRate,
  type CheckedGate,
  maximumGain,
  minimumDetectableGain,
  type NullDecisions,
  repeatsNeeded,
  simulateNullEdits,
  tasksNeeded,
} from '../../core/statistics/gate-power.js'
import { mean, type NoiseFloor, noiseFloor, type RepeatedTask } from '../../core/statistics/repeats.js'
import { scoreOfAttempt } from '../../core/task/metric.js'
import type { Row, Task } from '../../core/task/task.js'
import { mapConcurrently } from '../stages/concurrency.js'
import { rowOf, summarize } from '../stages/rollout.js'
import type { EvaluationContext } from './evaluation.js'

export interface GateCheckPlan {
  readonly skill: string
  readonly tasks: readonly Task[]
  /** Attempts at each task. */
  readonly samples: number
  readonly gates: readonly CheckedGate[]
  /** Gain to detect, as a share of the maximum score. */
  readonly gain?: number | undefined
  /** Called when all attempts are made. The simulation that follows takes time but makes no calls. */
  readonly onMeasured?: (() => void) | undefined
}

export interface GateFigures extends NullDecisions {
  readonly gate: string
  /** Smallest gain accepted 8 times out of 10; undefined if even the maximum gain is accepted less often. */
  readonly smallestGain: number | undefined
}

export interface GainFigures {
  readonly gain: number
  /** Maximum possible gain of an edit. If it is below the wanted gain, there are no figures. */
  readonly room: number
  readonly gates: readonly {
    readonly gate: string
    /** Accept rate of edits with this gain, on the tasks that exist. */
    readonly accepted: number
    /** Number of tasks needed for an accept rate of 8 in 10; undefined if beyond the search limit. */
    readonly tasks: number | undefined
  }[]
  /** Attempts per task under both skills needed to tell this gain from noise. */
  readonly repeats: number
}

export interface GateFindings {
  /** Tasks with at least one score, on which the gates decide here. */
  readonly tasks: number
  readonly samples: number
  /** Numbers of scored attempts and of external failures. No figure includes the latter. */
  readonly scored: number
  readonly failed: number
  readonly noise: NoiseFloor
  /** The score of each repeat, over the tasks that have a score in every repeat. */
  readonly repeats: readonly number[]
  readonly gates: readonly GateFigures[]
  readonly gain: GainFigures | undefined
}

/** Evaluates a skill against itself, and simulates how the gates would decide on edits to it. */
export async function checkGates(
  { run, score, concurrency }: Omit<EvaluationContext, 'setup'>,
  plan: GateCheckPlan,
): Promise<GateFindings> {
  const rows = await measure(run, concurrency, plan)
  const { scored, failed } = summarize(rows)
  const all = plan.tasks.map(({ type = '' }, index) => {
    const own = Array.from({ length: plan.samples }, (_, sample) => rows[sample * plan.tasks.length + index])
    return { type, scores: own.flatMap(row => scoreOfAttempt(row, score) ?? []) }
  })
  const tasks = all.filter(({ scores }) => scores.length > 0)
  if (!tasks.some(({ scores }) => scores.length > 1)) {
    throw new PausedError('No task was scored twice, so the noise cannot be estimated.', {
      hint: '`skillopt show RUN --task ID` shows the error of a task. Fix it, then rerun the same command to resume.',
    })
  }
  plan.onMeasured?.()
  const noise = noiseFloor(tasks)
  return {
    tasks: tasks.length,
    samples: plan.samples,
    scored,
    failed,
    noise,
    repeats: scoresOfRepeats(tasks, plan.samples),
    gates: await gateFigures(run, plan, tasks),
    gain:
      plan.gain === undefined ? undefined : await gainFigures(run, plan, { tasks, noise, gain: plan.gain }),
  }
}

/**
 * Runs one sample of all tasks after the other, so that a stopped check has complete repeats. Each sample
 * number is run at most once.
 */
async function measure(
  run: Run,
  concurrency: number,
  { skill, tasks, samples }: GateCheckPlan,
): Promise<Row[]> {
  const place = { stage: 'gate', epoch: 0, step: 0 } as const
  for (let sample = 0; sample < samples; sample += 1)
    await run.emit('stage.started', { ...place, total: tasks.length }, `gate-check ${sample}`)
  const wanted = Array.from({ length: samples }, (_, sample) => tasks.map(task => ({ task, sample }))).flat()
  return mapConcurrently(wanted, concurrency, async ({ task, sample }) =>
    rowOf(await run.perform({ kind: 'attempt', skill, task, sample, scope: '' }, place)),
  )
}

function scoresOfRepeats(tasks: readonly RepeatedTask[], samples: number): number[] {
  const whole = tasks.filter(({ scores }) => scores.length === samples)
  if (whole.length === 0) return []
  return Array.from({ length: samples }, (_, sample) => mean(whole.map(({ scores }) => scores[sample] ?? 0)))
}

async function gateFigures(
  run: Run,
  { gates }: GateCheckPlan,
  tasks: readonly RepeatedTask[],
): Promise<GateFigures[]> {
  const smallest = memoizeByRule(gate => runSimulation(run, minimumDetectableGain(gate, tasks)))
  const figures: GateFigures[] = []
  for (const gate of gates) {
    const decided = await runSimulation(run, simulateNullEdits(gate, tasks))
    figures.push({ gate: gate.name, ...decided, smallestGain: await smallest(gate) })
  }
  return figures
}

async function gainFigures(
  run: Run,
  { gates }: GateCheckPlan,
  {
    tasks,
    noise,
    gain,
  }: { readonly tasks: readonly RepeatedTask[]; readonly noise: NoiseFloor; readonly gain: number },
): Promise<GainFigures> {
  const room = maximumGain(tasks)
  const repeats = repeatsNeeded(noise.deviation, gain)
  if (gain > room) return { gain, room, gates: [], repeats }
  const seen = memoizeByRule(async gate => ({
    accepted: await runSimulation(run, acceptRate(gate, tasks, gain)),
    tasks: await runSimulation(run, tasksNeeded(gate, tasks, gain)),
  }))
  const figures: GainFigures['gates'][number][] = []
  for (const gate of gates) figures.push({ gate: gate.name, ...(await seen(gate)) })
  return { gain, room, gates: figures, repeats }
}

/** Early stopping does not change a rule's decisions, so its power is computed once per rule. */
function memoizeByRule<T>(work: (gate: CheckedGate) => Promise<T>): (gate: CheckedGate) => Promise<T> {
  const known = new Map<GateFactory, Promise<T>>()
  return gate => {
    const result = known.get(gate.create) ?? work(gate)
    known.set(gate.create, result)
    return result
  }
}

/** Maximum time that a simulation may block the event loop, so that Ctrl-C still works. */
const yieldIntervalMs = 50

async function runSimulation<T>({ signal }: Run, simulation: Generator<void, T>): Promise<T> {
  let pausedAt = performance.now()
  for (;;) {
    const step = simulation.next()
    if (step.done === true) return step.value
    if (performance.now() - pausedAt < yieldIntervalMs) continue
    await nextTurn()
    signal.throwIfAborted()
    pausedAt = performance.now()
  }
}
