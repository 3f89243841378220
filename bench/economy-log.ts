import type { Config } from '../src/core/config.js'
import type { EventOf, EventType, RunEvent } from '../src/core/event.js'
import type { BlobRef } from '../src/core/task.js'

/** What the log of a finished training says about what it took. The test is the measuring, not the training. */
export interface Taken {
  readonly steps: number
  readonly accepted: number
  readonly rejected: number
  /** Calls of the target while training, and those of them that the gate asked for. */
  readonly targetCalls: number
  readonly gateCalls: number
  readonly optimizerCalls: number
  readonly tokens: number
  /** From the beginning to the last that belongs to training: tests that are left over come after it. */
  readonly trainingMs: number
  readonly withTests: {
    readonly calls: number
    readonly tokens: number
    readonly cost: number
    readonly wallMs: number
  }
  /** Why training ended. */
  readonly because: string
}

export function takenBy(events: readonly RunEvent[]): Taken {
  const all = eventsOf(events, 'call.finished')
  const training = all.filter(isTraining)
  const decisions = eventsOf(events, 'gate.decided')
  const accepted = decisions.filter(({ body }) => body.action.startsWith('accept')).length
  const [started] = eventsOf(events, 'run.started')
  const [finished] = eventsOf(events, 'run.finished')
  const lastOfTraining = events.findLast(event => partsOfTraining.has(event.type) || isTraining(event))
  if (started === undefined || finished === undefined || lastOfTraining === undefined)
    throw new Error('The run is not finished.')
  const ofTarget = training.filter(({ body }) => body.role === 'target')
  return {
    steps: eventsOf(events, 'step.finished').length,
    accepted,
    rejected: decisions.length - accepted,
    targetCalls: ofTarget.length,
    gateCalls: ofTarget.filter(({ body }) => body.stage === 'gate').length,
    optimizerCalls: training.length - ofTarget.length,
    tokens: tokensOf(training),
    trainingMs: lastOfTraining.at - started.at,
    withTests: {
      calls: all.length,
      tokens: tokensOf(all),
      cost: all.reduce((sum, { body }) => sum + (body.cost ?? 0), 0),
      wallMs: finished.at - started.at,
    },
    because: finished.body.because ?? '',
  }
}

const partsOfTraining: ReadonlySet<EventType> = new Set([
  'gate.decided',
  'step.finished',
  'slow-update.finished',
  'meta-skill.finished',
] as const)

const isTraining = (event: RunEvent): boolean => event.type === 'call.finished' && event.body.stage !== 'test'

const tokensOf = (calls: readonly EventOf<'call.finished'>[]): number =>
  calls.reduce((sum, { body }) => sum + (body.usage.input ?? 0) + (body.usage.output ?? 0), 0)

/** A skill that became the current one, and the target's calls that training had made by then. */
export interface Became {
  readonly skill: BlobRef
  readonly calls: number
}

export function skillsOf(events: readonly RunEvent[]): {
  readonly seed: BlobRef
  readonly best: BlobRef
  readonly current: readonly Became[]
} {
  const current: Became[] = []
  let calls = 0
  for (const event of events) {
    if (event.type === 'call.finished' && event.body.role === 'target' && isTraining(event)) calls += 1
    if (event.type === 'skill.version' && event.body.text !== current.at(-1)?.skill)
      current.push({ skill: event.body.text, calls })
  }
  const best = eventsOf(events, 'best.changed').at(-1)?.body.text
  const seed = current[0]?.skill
  if (best === undefined || seed === undefined) throw new Error('The run has no skill.')
  return { seed, best, current }
}

/** How often the paper's protocol has to ask the target, term by term, and how often it was asked. */
export interface Protocol {
  readonly rollouts: number
  readonly compared: number
  /** Where the skill of an epoch ago is the current one, both sides of a comparison are the same attempt, made once. */
  readonly comparedOnce: number
  readonly skills: number
  readonly validated: number
  readonly expected: number
  readonly made: number
}

export function protocolOf(events: readonly RunEvent[]): Protocol {
  const [started] = eventsOf(events, 'run.started')
  if (started === undefined) throw new Error('The run has not begun.')
  const { epochs } = started.body
  const { train = 0, val = 0 } = started.body.tasks
  const { optimizer } = started.body.config as unknown as Config
  const samples = Math.min(optimizer.slowUpdate.samples, train)
  // Steps × batch: each has a whole one, but the last of an epoch, which has what is left.
  const rollouts = epochs * train
  const compared = 2 * samples * (epochs - 1)
  const comparedOnce = samples * unchangedEpochs(events, epochs)
  const seed = eventsOf(events, 'skill.version').slice(0, 1)
  const candidates = eventsOf(events, 'gate.decided').map(({ body }) => body.candidate)
  const skills = new Set([...seed.map(({ body }) => body.skill), ...candidates]).size
  const validated = val * skills
  return {
    ...{ rollouts, compared, comparedOnce, skills, validated },
    expected: rollouts + compared - comparedOnce + validated,
    made: takenBy(events).targetCalls,
  }
}

/** Of those at whose end skills are compared, from the second on. */
function unchangedEpochs(events: readonly RunEvent[], epochs: number): number {
  const starts = eventsOf(events, 'step.started')
  const ends = eventsOf(events, 'step.finished')
  return Array.from({ length: epochs - 1 }, (_, index) => index + 2).filter(epoch => {
    const first = starts.find(({ body }) => body.epoch === epoch)?.body.skill
    return first !== undefined && first === ends.findLast(({ body }) => body.epoch === epoch)?.body.skill
  }).length
}

function eventsOf<T extends EventType>(events: readonly RunEvent[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type)
}
