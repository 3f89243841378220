import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Library } from '../../src/cli/library.js'
import { main } from '../../src/cli/main.js'
import { type NightOutcome, type NightPlan, nightFormat } from '../../src/sleep/model/night-record.js'
import type { Proposal } from '../../src/sleep/model/proposal.js'
import { beginNight, endNight, pinPlan } from '../../src/sleep/nights/nights.js'
import { adoptionState } from '../../src/sleep/proposal/adoption-place.js'
import { openProject, type SleepProject } from '../../src/sleep/settings/places.js'
import { type AdoptionWorld, makeAdoptionWorld, makeProposal } from './adoption.js'
import { fakeIo } from './fake-io.js'
import { sleepTask } from './sleep-book.js'

/**
 * A project for which Sleep has one hand-made night: the proposal of `makeProposal`, with its plan and its
 * outcome.
 */
export interface NightWorld extends AdoptionWorld {
  readonly env: Readonly<Record<string, string>>
  readonly kept: SleepProject
  /** The night's own folder. */
  readonly night: string
  end(): Promise<void>
}

interface NightOptions {
  readonly change?: (proposal: Proposal) => Proposal
  readonly outcome?: Partial<NightOutcome>
  readonly env?: Readonly<Record<string, string>>
}

export async function makeNightWorld(options: NightOptions = {}): Promise<NightWorld> {
  const world = await makeAdoptionWorld()
  const env = { HOME: join(world.root, 'person'), SKILLOPT_HOME: join(world.root, 'kept'), ...options.env }
  const surroundings = { env, cwd: world.project }
  const kept = await openProject('.', surroundings)
  const { folder } = await beginNight(kept.folder, {
    format: nightFormat,
    number: 1,
    project: world.project,
    at: '2026-01-31T02:00:00Z',
  })
  const place = { ...adoptionState(kept, surroundings), roots: [world.project] }
  const made = { ...world, place, proposalFolder: join(folder, 'proposal') }
  const proposal = await makeProposal(made, options.change)
  await pinPlan(folder, planOf(proposal))
  await endNight(folder, { ...endOf(), ...options.outcome })
  const end = () => rm(world.root, { recursive: true, force: true, maxRetries: 5 })
  return { ...made, env, kept, night: folder, end }
}

function planOf({ targets, roots }: Proposal): NightPlan {
  const tasks = [
    sleepTask('t1', { intent: 'Run the tests of the project.' }),
    sleepTask('t2', { intent: 'Answer a question about it.', split: 'val' }),
    sleepTask('t3', { intent: 'Say what could go wrong.', split: 'test' }),
  ]
  return {
    format: nightFormat,
    tasks,
    commits: {},
    skipped: [],
    models: {},
    roots,
    memory: [],
    sessions: 4,
    fingerprint: 'f',
    targets: targets.map(({ name, path, before }) => ({
      name,
      path,
      region: '',
      tasks: tasks.map(({ id }) => id),
      live: before === null ? null : 'As the night found it.\n',
      frame: '',
    })),
  }
}

export function endOf(): NightOutcome {
  return {
    format: nightFormat,
    outcome: 'proposed',
    reason: 'Two documents learned something.',
    endedAt: '2026-01-31T03:00:00Z',
    simulated: false,
    sessions: 4,
    tasks: 3,
    targets: [
      {
        name: 'skill:tests',
        status: 'learned',
        reason: 'Two edits were accepted.',
        test: {
          before: { mean: 0.5, low: 0.4, high: 0.6 },
          after: { mean: 0.75, low: 0.65, high: 0.85 },
          tasks: 12,
        },
      },
    ],
    spent: { calls: 40, tokens: 12_345, cost: 0.25, unknownUsage: 0, unknownCost: 0, activeMs: 65_000 },
  }
}

/** `skillopt sleep …` in that project. */
export async function runSleep(
  { project, env }: Pick<NightWorld, 'project' | 'env'>,
  argv: readonly string[],
): Promise<{ code: number; out: string; err: string }> {
  const io = fakeIo<Library>({ cwd: project, env })
  const code = await main(['sleep', ...argv], io)
  return { code, out: io.out(), err: io.err() }
}

/** Parsed output with `--json`, which must be exactly one line. */
export async function sleepJson(
  world: Pick<NightWorld, 'project' | 'env'>,
  argv: readonly string[],
): Promise<unknown> {
  const { code, out, err } = await runSleep(world, [...argv, '--json'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out.trimEnd()).not.toContain('\n')
  return JSON.parse(out)
}
