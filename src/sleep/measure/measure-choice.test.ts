import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeNightWorld, type NightWorld } from '../../../test/support/night.js'
import { worldSetup } from '../../../test/world.js'
import { CapReachedError } from '../../core/errors/errors.js'
import type { Environment } from '../../core/ports/environment.js'
import type { Model } from '../../core/ports/model.js'
import type { Setup } from '../../trainer/loops/setup.js'
import { adopt, type Choice, preview, sha256 } from '../adopt/index.js'
import { listNights } from '../nights/nights.js'
import { loadSettings } from '../settings/settings.js'
import { type MeasureChoiceOptions, measureChoice } from './measure-choice.js'

let world: NightWorld
let calls = 0
beforeEach(async () => {
  world = await makeNightWorld()
  calls = 0
})
afterEach(() => world.end())

/** Passes every task if its instructions contain one of the rules, and fails every task otherwise. */
const follower = (rules: readonly string[], price = 0): Model => ({
  id: 'test/follower',
  parameters: {},
  maxOutputTokens: 100,
  price: { input: price, output: price },
  async generate({ messages }) {
    calls += 1
    const told = messages.map(({ text }) => text).join('\n')
    const text = rules.some(rule => told.includes(rule)) ? 'good' : 'bad'
    return { text, stop: 'stop', usage: { input: 10, output: 1 } }
  },
})

async function setupWith(target: Model, limits: Setup['config']['limits'] = {}): Promise<Setup> {
  const setup = await worldSetup({ sizes: { train: 2, val: 8, test: 6 }, models: { target } })
  const environment: Environment = {
    ...setup.environment,
    score: async (_, { answer }) => ({ hard: answer === 'good' ? 1 : 0, soft: 0, feedback: '' }),
  }
  return { ...setup, environment, config: { ...setup.config, limits } }
}

async function measure(
  choice: Choice,
  { setup, ...more }: Partial<MeasureChoiceOptions> & { readonly setup: Setup },
) {
  const [night] = await listNights(world.kept.folder)
  if (night === undefined) throw new Error('There is no night.')
  const { changes } = await preview(world.proposalFolder, world.place, choice)
  const settings = await loadSettings({ env: world.env, cwd: world.project })
  return measureChoice({
    night,
    project: world.project,
    changes,
    settings,
    setupFor: async (_plan, target) => ({
      ...setup,
      skill: target.region,
      fingerprints: { skill: sha256(target.region) },
    }),
    ...more,
  })
}

describe("a person's choice", () => {
  it('is adopted as measured if the gate accepts exactly that', async () => {
    const setup = await setupWith(follower(['New rule.']))
    const result = await measure({ edits: ['e2'] }, { setup })
    expect(result).toMatchObject({
      outcome: 'accepted',
      error: undefined,
      simulated: true,
      targets: [
        {
          name: 'skill:tests',
          accepted: true,
          validation: { before: 0, after: 1 },
          test: { before: { mean: 0 }, after: { mean: 1 }, tasks: 6 },
        },
      ],
    })
    const receipt = await adopt(world.proposalFolder, world.place, {
      edits: ['e2'],
      measured: result.measured,
    })
    expect(receipt).toMatchObject({ label: 'measured', edits: ['e2'] })
    expect(sha256(await readFile(world.files.skill))).toBe(result.measured.get('skill:tests'))
  })

  it('stays unmeasured if a different text is adopted', async () => {
    const { measured } = await measure({ edits: ['e2'] }, { setup: await setupWith(follower(['New rule.'])) })
    const receipt = await adopt(world.proposalFolder, world.place, { edits: ['e1', 'e2'], measured })
    expect(receipt.label).toBe('unmeasured')
  })

  it('is rejected if it is no better, and no further document is measured', async () => {
    const setup = await setupWith(follower(['French']))
    const result = await measure({ edits: ['e2', 'e3'] }, { setup })
    expect(result).toMatchObject({ outcome: 'rejected', targets: [{ name: 'skill:tests', accepted: false }] })
    expect(result.targets).toHaveLength(1)
    expect(result.measured.size).toBe(0)
  })

  it('is read from the log when repeated', async () => {
    const setup = await setupWith(follower(['New rule.']))
    await measure({ edits: ['e2'] }, { setup })
    const before = calls
    expect(before).toBe(2 * (8 + 6))
    expect(await measure({ edits: ['e2'] }, { setup })).toMatchObject({ outcome: 'accepted' })
    expect(calls).toBe(before)
    await measure({ edits: ['e1', 'e2'] }, { setup })
    expect(await readdir(join(world.night, 'measures'))).toHaveLength(2)
  })

  it('costs nothing without confirmation', async () => {
    const setup = await setupWith(follower(['New rule.'], 1))
    const asked: number[][] = []
    const confirm = async (...numbers: number[]) => {
      asked.push(numbers)
      return false
    }
    expect(await measure({ edits: ['e2', 'e3'] }, { setup, confirm })).toMatchObject({ outcome: 'declined' })
    expect({ asked, calls }).toEqual({ asked: [[56, 0]], calls: 0 })
  })

  it('respects one cap over all documents', async () => {
    const setup = await setupWith(follower(['New rule.', 'French']), { maxCalls: 30 })
    const result = await measure({ edits: ['e2', 'e3'] }, { setup })
    expect(result).toMatchObject({ outcome: 'cap', targets: [{ name: 'skill:tests', accepted: true }] })
    expect(result.error).toBeInstanceOf(CapReachedError)
    expect(result.error?.message).toContain('The cap of 30 calls for the whole measurement is reached.')
    expect(calls).toBeLessThanOrEqual(30)
    const more = { ...setup, config: { ...setup.config, limits: { maxCalls: 60 } } }
    expect(await measure({ edits: ['e2', 'e3'] }, { setup: more })).toMatchObject({ outcome: 'accepted' })
    expect(calls).toBe(56)
  })

  it('cannot be measured by a night without that document', async () => {
    const setup = await setupWith(follower([]))
    const [night] = await listNights(world.kept.folder)
    if (night?.plan === undefined) throw new Error('There is no plan.')
    const targets = night.plan.targets.slice(1)
    await expect(
      measure({ edits: ['e2'] }, { setup, night: { ...night, plan: { ...night.plan, targets } } }),
    ).rejects.toThrow('Night 1 does not say by which tasks skill:tests is to be judged.')
  })
})
