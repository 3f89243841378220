import type { EventBody, EventType, RunEvent, StageName } from '../../src/core/log/event.js'
import { contentHash } from '../../src/core/text/hash.js'
import { createView, foldEvent, type RunView } from '../../src/core/view/fold.js'

/** A hand-made log, for tests of its readers. */
export class LogBuilder {
  readonly events: RunEvent[] = []
  readonly blobs = new Map<string, string>()
  at = 1_700_000_000_000

  add<T extends EventType>(
    type: T,
    body: EventBody<T>,
    options: { key?: string; after?: number } = {},
  ): this {
    this.at += options.after ?? 100
    const key = options.key === undefined ? {} : { key: options.key }
    this.events.push({ seq: this.events.length, at: this.at, type, ...key, body } as RunEvent)
    return this
  }

  put(text: string): string {
    const ref = contentHash(text)
    this.blobs.set(ref, text)
    return ref
  }

  view(upTo = this.events.length): RunView {
    return this.events.slice(0, upTo).reduce(foldEvent, createView())
  }

  /** A reader like that of a run directory. */
  reader() {
    const { events, blobs } = this
    return {
      async *events() {
        yield* events
      },
      async get(ref: string) {
        const text = blobs.get(ref)
        if (text === undefined) throw new Error(`no blob ${ref}`)
        return text
      },
    }
  }

  start(body: Partial<EventBody<'run.started'>> = {}): this {
    this.add('run.started', {
      log: 1,
      kind: 'train',
      run: 'sample-run',
      product: '0.1.0',
      config: { name: 'sample', train: { epochs: 2, batchSize: 4, accumulation: 1, seed: 42 } },
      sources: { name: 'file', 'train.epochs': 'flag' },
      fingerprints: {},
      simulated: true,
      seedSkill: this.put(seedText),
      tasks: { train: 4, val: 4, test: 10 },
      epochs: 2,
      stepsPerEpoch: 1,
      ...body,
    })
    return this.add('session.started', { pid: 999_999_999, resumed: false, limits: {} })
  }

  call(
    stage: StageName,
    epoch: number,
    step: number,
    options: Partial<EventBody<'call.finished'>> = {},
  ): this {
    const role = options.role ?? (stage === 'reflect' || stage === 'aggregate' ? 'optimizer' : 'target')
    const place = { stage, epoch, step, role }
    this.add('call.started', { ...place, try: 1, reserved: { input: 100, output: 4096 } })
    return this.add('call.finished', {
      ...place,
      model: `simulated/${role}`,
      messages: [{ role: 'user', text: 'question' }],
      reply: { role: 'assistant', text: 'answer' },
      stop: 'stop',
      usage: { input: 100, output: 20, cachedInput: 40 },
      cost: 0.001,
      ms: 40,
      tries: 1,
      ...options,
    })
  }

  attempt(stage: StageName, epoch: number, step: number, task: string, hard: number, skill = seedHash): this {
    return this.add('attempt.finished', {
      stage,
      epoch,
      step,
      skill,
      task,
      type: 'sum',
      sample: 0,
      messages: [
        { role: 'user', text: `Question of ${task}` },
        { role: 'assistant', text: `Answer of ${task}` },
      ],
      outcome: {
        status: 'scored',
        score: { hard, soft: hard, feedback: hard ? 'right' : 'wrong' },
        stop: 'answered',
      },
    })
  }
}

export const seedHash = 'a'.repeat(16)
export const bestHash = 'b'.repeat(16)
export const worseHash = 'c'.repeat(16)
export const seedText = '# Sums\n\nAnswer the question.\n'
export const bestText = '# Sums\n\nAnswer the question.\nRound to two decimals.\n'
export const worseText = '# Sums\n\nNever answer.\n'

/**
 * A simulated run with two epochs of one step: the first edit helps, the second harms; one edit finds no
 * anchor.
 */
export function sampleLog(): LogBuilder {
  const log = new LogBuilder().start()
  const seedOrigins = log.put(JSON.stringify([{ length: seedText.length, origin: 'seed' }]))
  const bestOrigins = log.put(
    JSON.stringify([
      { length: seedText.length, origin: 'seed' },
      { length: bestText.length - seedText.length, origin: '1.0' },
    ]),
  )
  const rows = log.put(JSON.stringify({ task: 'v1', type: 'sum', sample: 0, hard: 1, soft: 1 }))
  const seed = log.put(seedText)
  const best = log.put(bestText)
  const tasks = ['t1', 't2', 't3', 't4']

  log.add('skill.version', { version: 0, skill: seedHash, text: seed, origins: seedOrigins, because: 'seed' })
  log.add('stage.started', { stage: 'baseline', epoch: 0, step: 0, total: 4 })
  for (const task of ['v1', 'v2', 'v3', 'v4']) {
    log.call('baseline', 0, 0).attempt('baseline', 0, 0, task, task === 'v1' ? 1 : 0)
  }
  log.add('evaluation.finished', {
    stage: 'baseline',
    epoch: 0,
    step: 0,
    skill: seedHash,
    split: 'val',
    hard: 0.25,
    soft: 0.25,
    scored: 4,
    failed: 0,
    score: 0.25,
    rows,
  })
  log.add('best.changed', { version: 0, skill: seedHash, text: seed, origins: seedOrigins, score: 0.25 })

  for (const step of [1, 2]) {
    const [epoch, skill] = [step, step === 1 ? seedHash : bestHash]
    log.add('step.started', { epoch, step, budget: 2, tasks, skill })
    log.add('stage.started', { stage: 'rollout', epoch, step, total: 4 })
    for (const task of tasks)
      log.call('rollout', epoch, step).attempt('rollout', epoch, step, task, 0.5, skill)
    log.add('rollout.finished', { epoch, step, round: 0, hard: 0.5, soft: 0.5, scored: 4, failed: 0 })
    log.add('stage.started', { stage: 'reflect', epoch, step, total: 1 })
    log.call('reflect', epoch, step)
    const kept = {
      id: `${step}.0`,
      op: 'append' as const,
      content: step === 1 ? 'Round to two decimals.' : 'Never answer.',
      why: 'two answers had too many digits',
      support: 3,
      from: 'failure' as const,
      tasks: ['t1', 't2'],
    }
    const lost = { ...kept, id: `${step}.1`, op: 'insert_after' as const, target: 'No such line', support: 1 }
    const third = { ...kept, id: `${step}.2`, content: 'Be nice.', support: 1, from: 'success' as const }
    const edits = [kept, lost, third]
    log.add('reflect.finished', {
      epoch,
      step,
      failed: 0,
      patches: [{ from: 'failure', tasks, reasoning: 'digits', patterns: [], edits }],
    })
    log.add('stage.started', { stage: 'aggregate', epoch, step, total: 1 })
    log.call('aggregate', epoch, step)
    log.add('aggregate.finished', { epoch, step, edits, failed: 0 })
    log.add('select.finished', {
      epoch,
      step,
      budget: 2,
      edits: [kept, lost],
      dropped: [third.id],
      failed: 0,
    })
    const candidate = step === 1 ? bestHash : worseHash
    log.add('update.finished', {
      epoch,
      step,
      skill: candidate,
      text: step === 1 ? best : log.put(worseText),
      reports: [
        { edit: kept.id, status: 'applied', reason: 'appended' },
        { edit: lost.id, status: 'unmatched', reason: 'the target was not found' },
      ],
    })
    log.add('stage.started', { stage: 'gate', epoch, step, total: 4 })
    const [score, current, bestScore] = step === 1 ? [0.75, 0.25, 0.25] : [0, 0.75, 0.75]
    for (const task of ['v1', 'v2', 'v3', 'v4']) {
      log.call('gate', epoch, step).attempt('gate', epoch, step, task, score > 0 ? 1 : 0, candidate)
    }
    log.add('evaluation.finished', {
      stage: 'gate',
      epoch,
      step,
      skill: candidate,
      split: 'val',
      rows,
      hard: score,
      soft: score,
      scored: 4,
      failed: 0,
      score,
    })
    const accepted = step === 1
    log.add('gate.decided', {
      epoch,
      step,
      what: 'step',
      candidate,
      current,
      score,
      best: bestScore,
      action: accepted ? 'accept_new_best' : 'reject',
      verdict: {
        decision: accepted ? 'accept' : 'reject',
        complete: true,
        reason: accepted ? 'higher' : 'lower',
      },
    })
    log.add('step.finished', { epoch, step, outcome: accepted ? 'accepted' : 'rejected', skill: bestHash })
    log.add('skill.version', {
      version: step,
      skill: bestHash,
      text: best,
      origins: bestOrigins,
      score: 0.75,
      because: accepted ? 'accepted by the gate' : 'rejected, kept',
    })
    if (accepted) {
      log.add('best.changed', { version: 1, skill: bestHash, text: best, origins: bestOrigins, score: 0.75 })
    }
  }
  log.add('slow-update.finished', {
    epoch: 2,
    reasoning: 'steady',
    outcome: 'unchanged',
    pairs: { improved: 1, regressed: 0, persistent: 2, stable: 1 },
  })
  log.add('meta-skill.finished', { epoch: 2, content: 'Small edits help.', reasoning: 'seen' })
  return log
}

export function finish(log: LogBuilder): LogBuilder {
  log.add('stage.started', { stage: 'test', epoch: 0, step: 0, total: 10 })
  const intervals = { none: 0.1, initial: 0.2, best: 0.7, last: 0.7 }
  for (const which of ['none', 'initial', 'best', 'last'] as const) {
    const score = intervals[which]
    const summary = { hard: score, soft: score, scored: 10, failed: 0 }
    const interval = { mean: score, low: Math.max(0, score - 0.2), high: Math.min(1, score + 0.2) }
    const types = [{ type: 'sum', ...summary, interval }]
    log.add('test.finished', { which, skill: seedHash, ...summary, score, interval, types })
  }
  return log.add('run.finished', { best: 1, last: 2, score: 0.75 })
}
