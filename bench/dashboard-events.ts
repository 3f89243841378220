import type { EventBody, EventType, Place, RunEvent } from '../src/core/log/event.js'
import { PythonRandom } from '../src/core/statistics/random.js'
import type { BlobRef } from '../src/core/task/task.js'
import { contentHash } from '../src/core/text/hash.js'

/** Size of a synthetic training, modelled on an agent with tools that is scored by a judge. */
export interface TrainingShape {
  readonly steps: number
  readonly rollouts: number
  readonly validations: number
  readonly callsPerAttempt: number
  /** One in this many attempts is judged by a model, which takes one more call. */
  readonly judgedOneIn: number
}

const models = { target: 'example/worker-1', optimizer: 'example/thinker-1', judge: 'example/judge-1' }
const stepsPerEpoch = 50
const tasks = 2_000
const types = ['invoice', 'refund', 'address change', 'délai de livraison', 'complaint', 'stock check']
const firstMoment = Date.UTC(2026, 8, 1)

/** Deterministic events of a synthetic training. Blob texts go to `put`. */
export function* trainingEvents(
  shape: TrainingShape,
  put: (text: string) => BlobRef,
  pid: number,
): Generator<RunEvent> {
  const random = new PythonRandom(9)
  const words = createWords(random)
  let seq = 0
  let at = firstMoment
  const event = <T extends EventType>(type: T, body: EventBody<T>, key?: string): RunEvent => {
    at += random.below(20)
    const made = key === undefined ? { seq, at, type, body } : { seq, at, type, key, body }
    seq += 1
    return made as RunEvent
  }
  const skillText = (version: number) =>
    `# Desk\n\n${words(12 + version)}\n\n- Rule ${version}: ${words(20)}\n`
  const origins = (text: string) => put(JSON.stringify([{ length: text.length, origin: 'seed' }]))
  const rows = put(
    Array.from({ length: shape.validations }, (_, row) =>
      JSON.stringify({
        task: `val-${row}`,
        type: types[row % types.length],
        sample: 0,
        hard: row % 2,
        soft: 1,
      }),
    ).join('\n'),
  )

  function* attempt(place: Place, skill: string, system: BlobRef, number: number): Generator<RunEvent> {
    const task = `${place.stage === 'rollout' ? 'train' : 'val'}-${number % tasks}`
    const user = put(`${task}: ${words(150 + (number % 60))}`)
    const key = (what: string) => contentHash(`${what} ${seq}`)
    type Stored = EventBody<'attempt.finished'>['messages'][number]
    const messages: Stored[] = [
      { role: 'system', blob: system },
      { role: 'user', blob: user },
    ]
    for (let call = 1; call <= shape.callsPerAttempt; call++) {
      const isLast = call === shape.callsPerAttempt
      const callKey = key('call')
      yield event(
        'call.started',
        { role: 'target', ...place, try: 1, reserved: { input: 1800, output: 4096, cost: 0.011 } },
        callKey,
      )
      const id = `call_${callKey.slice(0, 12)}`
      const look = { id, name: 'look_up', arguments: JSON.stringify({ query: words(6), limit: 5 }) }
      const reply: Stored = isLast
        ? { role: 'assistant', text: `${words(40)}\n<answer>${words(2)}</answer>` }
        : { role: 'assistant', text: words(18), toolCalls: [look] }
      yield event(
        'call.finished',
        {
          role: 'target',
          model: models.target,
          messages: [...messages],
          reply,
          stop: isLast ? 'stop' : 'tool-calls',
          usage: { input: 900 + 300 * call, output: 60 + random.below(80), cachedInput: 640 },
          ms: 300 + random.below(2_000),
          tries: 1,
          ...place,
          cost: 0.0021,
        },
        callKey,
      )
      messages.push(reply)
      if (!isLast) messages.push({ role: 'tool', blob: put(`${task} ${seq}: ${words(50)}`), toolCallId: id })
    }
    if (number % shape.judgedOneIn === 0) {
      const callKey = key('judge')
      const reserved = { input: 1200, output: 512, cost: 0.004 }
      yield event('call.started', { role: 'judge', ...place, try: 1, reserved }, callKey)
      yield event(
        'call.finished',
        {
          role: 'judge',
          model: models.judge,
          messages: messages.slice(0, 2),
          reply: { role: 'assistant', text: `{"score": ${random.below(2)}, "reason": "${words(14)}"}` },
          stop: 'stop',
          usage: { input: 1_050, output: 44 },
          ms: 700,
          tries: 1,
          ...place,
          cost: 0.0009,
        },
        callKey,
      )
    }
    const hard = random.below(10) < 6 ? 1 : 0
    yield event(
      'attempt.finished',
      {
        skill,
        ...place,
        task,
        type: types[number % types.length] ?? '',
        sample: 0,
        messages,
        outcome: {
          status: 'scored',
          score: {
            hard,
            soft: hard,
            feedback: hard === 1 ? 'Correct.' : `Expected “${words(3)}”: ${words(9)}.`,
          },
          stop: 'answered',
        },
      },
      key('attempt'),
    )
  }

  const seed = skillText(0)
  let skill = contentHash(seed).slice(0, 16)
  yield event(
    'run.started',
    {
      log: 1,
      kind: 'train',
      run: 'desk-001',
      product: 'skillopt',
      config: configOf(),
      sources: { name: 'file skillopt.yaml:1' },
      fingerprints: {},
      simulated: false,
      seedSkill: put(seed),
      tasks: { train: tasks, val: shape.validations, test: 0 },
      epochs: Math.ceil(shape.steps / stepsPerEpoch),
      stepsPerEpoch,
    },
    'run.started:run',
  )
  yield event('session.started', { pid, resumed: false, limits: {} })
  yield event('skill.version', {
    version: 0,
    skill,
    text: put(seed),
    origins: origins(seed),
    score: 0.31,
    because: 'the seed skill',
  })
  yield event('best.changed', { version: 0, skill, text: put(seed), origins: origins(seed), score: 0.31 })
  let best = 0.31
  let number = 0
  for (let step = 1; step <= shape.steps; step++) {
    const epoch = Math.ceil(step / stepsPerEpoch)
    const here = { epoch, step }
    const batch = Array.from({ length: shape.rollouts }, (_, task) => `train-${(number + task) % tasks}`)
    yield event('step.started', { ...here, budget: 4, tasks: batch, skill }, `step.started:step ${step}`)
    yield event('stage.started', { stage: 'rollout', ...here, total: shape.rollouts })
    const system = put(`Answer as the skill says.\n\n${skillText(step)}`)
    for (let rollout = 0; rollout < shape.rollouts; rollout++) {
      yield* attempt({ stage: 'rollout', ...here }, skill, system, number)
      number += 1
    }
    const summed = { hard: 0.6, soft: 0.6, scored: shape.rollouts, failed: 0 }
    yield event('rollout.finished', { ...here, round: 0, ...summed })
    const edits = Array.from({ length: 5 }, (_, edit) => ({
      op: 'append' as const,
      content: `- ${words(14)}`,
      id: `s${step}.${edit}`,
      why: words(20),
      support: 3,
      from: 'failure' as const,
      tasks: batch.slice(0, 3),
    }))
    const patch = { from: 'failure' as const, tasks: batch.slice(0, 5), reasoning: words(30), patterns: [] }
    yield event('reflect.finished', { ...here, patches: [{ ...patch, edits }], failed: 0 })
    yield event('aggregate.finished', { ...here, edits, failed: 0 })
    const selected = edits.slice(0, 4)
    yield event('select.finished', {
      ...here,
      budget: 4,
      edits: selected,
      dropped: [`s${step}.4`],
      failed: 0,
    })
    const proposed = skillText(step)
    const text = put(proposed)
    const candidate = contentHash(`${step}`).slice(0, 16)
    const reports = selected.map(({ id }) => ({ edit: id, status: 'applied' as const, reason: 'Appended.' }))
    yield event('update.finished', { ...here, skill: candidate, text, reports })
    yield event('stage.started', { stage: 'gate', ...here, total: shape.validations })
    for (let task = 0; task < shape.validations; task++) {
      yield* attempt({ stage: 'gate', ...here }, candidate, system, task)
    }
    const score = 0.3 + (step / shape.steps) * 0.5 + random.below(100) / 1_000
    const measured = { hard: score, soft: score, scored: shape.validations, failed: 0 }
    yield event('evaluation.finished', {
      stage: 'gate',
      ...here,
      skill: candidate,
      split: 'val',
      ...measured,
      score,
      rows,
    })
    const isBetter = score > best
    yield event('gate.decided', {
      ...here,
      what: 'step',
      candidate,
      current: best,
      score,
      best,
      rows,
      action: isBetter ? 'accept_new_best' : 'reject',
      verdict: { decision: isBetter ? 'accept' : 'reject', complete: true, reason: words(16) },
    })
    if (isBetter) {
      ;[best, skill] = [score, candidate]
      const version = { version: step, skill, text, origins: origins(proposed), score }
      yield event('skill.version', { ...version, because: 'accepted' })
      yield event('best.changed', version)
    }
    yield event('step.finished', { ...here, outcome: isBetter ? 'accepted' : 'rejected', skill })
  }
  yield event('run.finished', { best: shape.steps, last: shape.steps, score: best, because: 'all epochs' })
}

const vocabulary =
  'the order customer says invoice total Lieferung parcel price – refund date when before after checks rule answer “exact” agent table row amount tax née depot weight policy asks never always number field'.split(
    ' ',
  )

/** Slices one long text: drawing every word separately would take most of the time. */
function createWords(random: PythonRandom): (count: number) => string {
  const text = Array.from({ length: 5_000 }, () => vocabulary[random.below(vocabulary.length)] ?? '')
  return count => {
    const from = random.below(text.length - count)
    return text.slice(from, from + count).join(' ')
  }
}

function configOf() {
  return {
    name: 'desk',
    skill: 'SKILL.md',
    environment: { use: 'tasks', scorer: 'judge' },
    models,
    train: { epochs: 4, batchSize: 40, seed: 9 },
    evaluation: { gate: 'strict', metric: 'hard' },
  }
}
