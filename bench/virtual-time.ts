import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunEvent } from '../src/core/log/event.js'
import type { Model, ModelReply, ModelRequest, Role } from '../src/core/ports/model.js'
import { attemptRate } from '../src/core/task/reward.js'
import { assemble } from '../src/project/assemble.js'
import { loadProject } from '../src/project/load.js'
import { Budget } from '../src/run/budget.js'
import { CallPool } from '../src/run/pool.js'
import { createRun } from '../src/run/run.js'
import { latencyFor } from '../src/simulated/faults.js'
import { answerSimulated } from '../src/simulated/responder.js'
import { createMemoryStore } from '../src/store/memory.js'
import { trainByTrials } from '../src/trainer/loops/trials.js'
import { attemptTask } from '../src/trainer/stages/attempt.js'
import { callsIn } from './call-graph.js'
import { type Bound, listSchedule } from './list-schedule.js'
import { type BenchProject, writeBenchProject } from './project.js'

export interface VirtualTraining {
  readonly calls: number
  readonly wallMs: number
  readonly bound: Bound
  readonly ratio: number
  /** Processor time of the training itself, which takes no virtual time. */
  readonly cpuMs: number
  readonly events: readonly RunEvent[]
}

interface VirtualOptions {
  /** Latency of model calls: the median, and the standard deviation of its logarithm. */
  readonly medianMs: number
  readonly sigma: number
  /** Whether the training's own processor time blocks the event loop, as it does in one process. */
  readonly ownTime?: boolean
}

const lanes = { target: 8, optimizer: 8 }

/**
 * Runs a training on a simulated clock: only model calls take time, so the result is the schedule alone. It
 * depends neither on this machine nor on what else runs on it.
 */
export async function trainInVirtualTime(
  sizes: BenchProject['sizes'],
  config: BenchProject['config'],
  { medianMs, sigma, ownTime = false }: VirtualOptions,
): Promise<VirtualTraining> {
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-virtual-'))
  try {
    await writeBenchProject(folder, { url: 'http://127.0.0.1:9', sizes, config, concurrency: lanes.target })
    const loaded = await loadProject({ project: folder, env: {}, trust: true })
    const replies = { cpuMs: 0 }
    const clock = createVirtualClock(ownTime ? () => cpuMs() - replies.cpuMs : () => 0)
    let requests = 0
    const latency = { kind: 'lognormal', medianMilliseconds: medianMs, sigma, seed: 5 } as const
    const wait = () => clock.sleep(latencyFor(latency, requests++))
    const setup = await assemble(loaded, {
      createModel: async ({ model }) => simulatedModel(model, wait, replies),
    })
    const models = setup.models as Record<Role, Model>
    const roles = Object.fromEntries(
      Object.entries(models).map(([role, model]) => [
        role,
        { model, concurrency: lanes[role as keyof typeof lanes], retries: 0, timeoutMs: 1e9 },
      ]),
    )
    const store = createMemoryStore()
    const events: RunEvent[] = []
    const run = createRun({
      store,
      pool: new CallPool({ roles, budget: new Budget(setup.config.limits) }),
      models,
      attemptIdentity: 'bench',
      attempt: (effect, context) => attemptTask(setup, effect, context),
      rate: attemptRate(setup.config.evaluation),
      signal: new AbortController().signal,
      onEvent: event => events.push(event),
      now: () => clock.now,
    })
    const before = cpuMs()
    await clock.drive(trainByTrials(run, setup))
    const ownMs = cpuMs() - before - replies.cpuMs
    // The recorded durations are those of the real clock.
    const calls = (
      await callsIn(events, { get: ref => store.get(ref), seedSkill: setup.skill, began: 0 })
    ).map(call => ({ ...call, ms: call.ended - call.started }))
    const bound = listSchedule(calls, lanes)
    const wallMs = clock.now
    return {
      calls: calls.length,
      wallMs,
      bound,
      ratio: wallMs / bound.ms,
      cpuMs: ownMs,
      events,
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Answers like the loopback server, without HTTP. */
function simulatedModel(id: string, wait: () => Promise<void>, replies: { cpuMs: number }): Model {
  const name = id.split('/').at(-1) ?? id
  return {
    id,
    parameters: {},
    maxOutputTokens: 4096,
    price: { input: 0, output: 0 },
    async generate({ messages, seed }: ModelRequest): Promise<ModelReply> {
      await wait()
      const began = cpuMs()
      const { content = '', error } = answerSimulated({
        model: name,
        seed: seed ?? 0,
        messages: messages.map(({ role, text }) => ({ role, content: text })),
      })
      replies.cpuMs += cpuMs() - began
      if (error !== undefined) throw new Error(error.message)
      return { text: content, stop: 'stop', usage: { input: 0, output: 0 } }
    },
  }
}

/** Processor time of this process. Unlike elapsed time, it does not grow while other programs run. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

interface VirtualClock {
  readonly now: number
  sleep(ms: number): Promise<void>
  /** Runs work to its end and advances the clock whenever nothing but the clock is waited for. */
  drive<T>(work: Promise<T>): Promise<T>
}

/** Turns of the event loop after which everything that needs no time is done. */
const settlingTurns = 4

/** The clock advances by the time that `ownMs` has grown by, too. */
function createVirtualClock(ownMs: () => number): VirtualClock {
  const sleeping: { readonly until: number; readonly wake: () => void }[] = []
  let now = 0
  return {
    get now() {
      return now
    },
    sleep: ms => new Promise(wake => sleeping.push({ until: now + ms, wake })),
    async drive(work) {
      let isDone = false
      const ending = work.finally(() => {
        isDone = true
      })
      ending.catch(() => undefined)
      let spent = ownMs()
      while (!isDone) {
        for (let turn = 0; turn < settlingTurns; turn += 1) await new Promise(done => setImmediate(done))
        const own = ownMs()
        now += own - spent
        spent = own
        const next = sleeping.reduce((first, one) => (one.until < first ? one.until : first), Infinity)
        if (next === Infinity) continue
        now = Math.max(now, next)
        for (const one of sleeping.filter(({ until }) => until <= now)) one.wake()
        sleeping.splice(0, sleeping.length, ...sleeping.filter(({ until }) => until > now))
      }
      return ending
    },
  }
}
