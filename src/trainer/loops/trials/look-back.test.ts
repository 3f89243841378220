import { describe, expect, it } from 'vitest'
import { worldRun, worldSetup } from '../../../../test/world.js'
import type { ConfigInput } from '../../../core/config/config.js'
import type { EventOf, EventType, RunEvent } from '../../../core/log/event.js'
import { seedDocument } from '../../../core/skill/document.js'
import { readMessage } from '../../../core/task/messages.js'
import type { Attempt, StoredMessage } from '../../../core/task/task.js'
import { trainByTrials } from '../trials.js'
import { lookBack } from './look-back.js'
import { emptyPool } from './pool.js'
import { admitEdits, startReflection } from './propose.js'
import { prepareTrials } from './training.js'
import { initialTrialState, type TrialState } from './trial-state.js'
import type { TrialEdit } from './types.js'

const of = <T extends EventType>(events: readonly RunEvent[], type: T) =>
  events.filter((event): event is EventOf<T> => event.type === type)

async function trained(optimizer: ConfigInput['optimizer']) {
  const setup = await worldSetup({
    sizes: { train: 20, val: 12, test: 6 },
    config: {
      train: { loop: 'trials', epochs: 10 },
      trials: { round: 10 },
      evaluation: { test: [] },
      optimizer,
    },
  })
  const { run, events } = worldRun(setup)
  await trainByTrials(run, setup)
  return { events }
}

/**
 * A training after its first round, which is also its first epoch: one edit was accepted, another dropped.
 */
async function afterEpoch(optimizer: ConfigInput['optimizer']) {
  const setup = await worldSetup({
    sizes: { train: 20, val: 4, test: 4 },
    config: { train: { loop: 'trials', epochs: 3 }, trials: { round: 20 }, optimizer },
  })
  const { run, events } = worldRun(setup)
  const training = await prepareTrials(run, setup, seedDocument(setup.skill))
  const edit = (id: string, status: TrialEdit['status']): TrialEdit => ({
    edit: { op: 'append', content: `- The rule ${id}.`, id, why: '', support: 1, from: 'failure', tasks: [] },
    slot: id,
    concerned: new Set(training.taskIds),
    status,
    since: 1,
    decided: 1,
  })
  const effect = { mean: 0.25, sd: 0.1 }
  const estimate = { edit: 'good', effect, elsewhere: effect, origin: effect, trials: 9, tasks: 4 }
  const state: TrialState = {
    ...initialTrialState(training.seed),
    current: seedDocument(`${setup.skill}\n- The rule good.\n`),
    pool: {
      ...emptyPool,
      edits: [edit('good', 'accepted'), edit('bad', 'dropped')],
      accepted: ['good'],
      estimates: new Map([['good', estimate]]),
    },
  }
  const promptsOf = async (stage: string) =>
    Promise.all(
      of(events, 'call.finished')
        .filter(({ body }) => body.stage === stage)
        .map(async ({ body }) => (await readMessage(body.messages[1] as StoredMessage, run.get)).text),
    )
  return { training, state, events, promptsOf }
}

describe('the end of an epoch of trials', () => {
  it('writes nothing unless enabled', async () => {
    const { training, state, events } = await afterEpoch({})
    const after = await lookBack(training, state, 1)
    expect(after).toEqual({ ...state, epochStart: state.current })
    expect(events).toEqual([])
  })

  it('proposes the slow update as an edit that is tried like any other', async () => {
    const { training, state, events } = await afterEpoch({ slowUpdate: { enabled: true, samples: 4 } })
    const after = await lookBack(training, state, 1)
    const [{ body } = { body: undefined }] = of(events, 'slow-update.finished')
    expect(body?.outcome).toBe('proposed')
    expect(after.guidance).toMatchObject([{ id: 'slow-update:1', op: 'append', content: body?.guidance }])
    expect(after.guidance[0]?.tasks).toHaveLength(4)
    expect(after.current).toBe(state.current)
    const { pool } = await admitEdits(training, after, { proposed: after.guidance, round: 2 })
    expect(pool.edits.at(-1)).toMatchObject({ edit: { id: 'slow-update:1' }, status: 'pending' })
  })

  it('skips the comparison while the last slow update is on trial or if the skill is unchanged', async () => {
    const { training, state, events } = await afterEpoch({ slowUpdate: { enabled: true, samples: 4 } })
    const first = await lookBack(training, state, 1)
    const { pool } = await admitEdits(training, first, { proposed: first.guidance, round: 2 })
    const changed = seedDocument(`${first.current.text}\n- Another rule.\n`)
    const attempts = of(events, 'attempt.finished').length
    const second = await lookBack(training, { ...first, pool, current: changed }, 2)
    const third = await lookBack(training, { ...second, pool: state.pool }, 3)
    expect([second.guidance, third.guidance]).toEqual([[], []])
    expect(of(events, 'attempt.finished')).toHaveLength(attempts)
  })

  it('writes the meta skill from the verdicts of the epoch, without extra attempts', async () => {
    const { training, state, events, promptsOf } = await afterEpoch({ metaSkill: true })
    const after = await lookBack(training, { ...state, metaSkill: 'Earlier notes.' }, 1)
    expect(after.metaSkill).toBe(of(events, 'meta-skill.finished')[0]?.body.content)
    const [asked] = await promptsOf('meta-skill')
    expect(asked).toContain('Earlier notes.')
    expect(asked).toContain('- step 1 accepted (effect +0.250): append "- The rule good."')
    expect(asked).toContain('- step 1 rejected: append "- The rule bad."')
    expect(of(events, 'attempt.finished')).toEqual([])
  })

  it('asks for no notes after an epoch without verdicts', async () => {
    const { training, state, events } = await afterEpoch({ metaSkill: true })
    const after = await lookBack(training, { ...state, metaSkill: 'Earlier notes.' }, 2)
    expect(after.metaSkill).toBe('Earlier notes.')
    expect(events).toEqual([])
  })

  it('shows the notes to the analysts', async () => {
    const { training, state, promptsOf } = await afterEpoch({})
    const [task] = training.taskIds
    const place = { stage: 'rollout', epoch: 1, step: 1 } as const
    const found = training.taskById.get(task ?? '')
    if (found === undefined) throw new Error('There is no task.')
    const skill = '# Nothing\n'
    const attempt = await training.run.perform(
      { kind: 'attempt', skill, task: found, sample: 0, scope: '' },
      place,
    )
    const failed = { ...attempt, outcome: { ...attempt.outcome, score: { hard: 0, soft: 0, feedback: '' } } }
    await startReflection(
      training,
      { ...state, pool: emptyPool, metaSkill: 'Name exact actions.' },
      { round: 2, attempts: [failed as Attempt] },
    ).proposed
    expect(await promptsOf('reflect')).toMatchObject([expect.stringContaining('Name exact actions.')])
  })
})

describe('the edit budget of a round of trials', () => {
  const budgets = async (optimizer: ConfigInput['optimizer']) =>
    of((await trained(optimizer)).events, 'step.started').map(({ body }) => body.budget ?? 0)

  it('is constant by default', async () => {
    expect(new Set(await budgets({}))).toEqual(new Set([4]))
  })

  it('decreases with the schedule', async () => {
    const falling = await budgets({ schedule: 'linear', learningRate: 6 })
    expect(falling[0]).toBe(6)
    expect(falling.at(-1)).toBeLessThan(6)
    expect(falling).toEqual(falling.toSorted((one, other) => other - one))
  })
})
