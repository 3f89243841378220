import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { personsMemory } from '../../../../test/support/adoption.js'
import {
  endOf,
  makeNightWorld,
  type NightWorld,
  runSleep,
  sleepJson,
} from '../../../../test/support/night.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { lockNights } from '../../../sleep/nights/night-lock.js'
import { beginNight } from '../../../sleep/nights/nights.js'

let world: NightWorld
beforeEach(async () => {
  world = await makeNightWorld()
})
afterEach(() => world.end())

const run = (...argv: string[]) => runSleep(world, argv)
const json = (...argv: string[]) => sleepJson(world, argv)

/** Replaces the default fixture. */
async function anew(options: Parameters<typeof makeNightWorld>[0]): Promise<void> {
  await world.end()
  world = await makeNightWorld(options)
}

describe('status', () => {
  it('says how the last night went, what waits and where things are', async () => {
    const { code, out, err } = await run('status')
    expect({ code, err }).toEqual({ code: exitCodes.ok, err: '' })
    expect(out).toContain(`${world.project}\n`)
    expect(out).toMatch(/last night +night 1, \S+ \S+ \(.* ago\): it learned something\n/)
    expect(out).toContain('4 sessions, 3 tasks; 40 calls, 12,345 tokens, cost $0.25, 1 min 05 s\n')
    expect(out).toContain(
      'skill:tests: 50.0% (40.0% to 60.0%) → 75.0% (65.0% to 85.0%) on 12 fresh tasks. Two edits were accepted.',
    )
    expect(out).toMatch(
      /waits +the proposal of night 1, since .*: 4 edits for skill:tests, memory:CLAUDE\.md/,
    )
    expect(out).toMatch(/adopted +nothing\n/)
    expect(out).toMatch(/tasks +none\n/)
    expect(out).toMatch(/schedule +none; `skillopt sleep schedule`/)
    expect(out).toContain(world.kept.folder)
  })

  it('says "unknown" where nobody knows what it cost', async () => {
    await anew({
      outcome: { spent: { calls: 3, tokens: 0, cost: 0, unknownUsage: 3, unknownCost: 3, activeMs: 1000 } },
    })
    expect((await run('status')).out).toContain('3 calls, unknown tokens, cost unknown, 1 s')
    await anew({
      outcome: {
        ...endOf(),
        outcome: 'nothing-learned',
        spent: { ...endOf().spent, calls: 0 },
        simulated: true,
      },
    })
    expect((await run('status')).out).toMatch(
      /nothing was better than what is there {2}SIMULATED [\s\S]*no model was called/,
    )
  })

  it('distinguishes a stopped night from a running one', async () => {
    const begun = { format: 'skillopt.sleep.night.v1', number: 2, project: world.project } as const
    await beginNight(world.kept.folder, { ...begun, at: '2026-02-01T02:00:00Z' })
    expect((await run('status')).out).toMatch(
      /in progress +night 2, begun .*, stopped; `skillopt sleep run` resumes it/,
    )
    const lock = await lockNights(world.kept.folder)
    try {
      expect((await run('status')).out).toMatch(/night 2, begun .*: running\n/)
      expect(await json('status')).toMatchObject({ openNight: { number: 2, isAtWork: true } })
    } finally {
      await lock.release()
    }
  })

  it('says what was changed since, and what was adopted', async () => {
    await writeFile(world.files.memory, `${personsMemory}More.\n`)
    await rm(world.files.skill)
    const { out } = await run('status')
    expect(out).toContain('CLAUDE.md was changed since, around the region')
    expect(out).toContain('SKILL.md was deleted since.')
    await run('adopt', '--yes', '--target', 'skill:fresh')
    expect((await run('status')).out).toMatch(
      /adopted +night 1, .*, measured: \.claude\/skills\/fresh\/SKILL\.md\n/,
    )
    expect(await json('status')).toMatchObject({
      adopted: { night: 1, label: 'measured' },
      lastNight: { number: 1, outcome: 'proposed' },
      waiting: { night: 1, targets: ['skill:tests', 'memory:CLAUDE.md'] },
      schedule: null,
      tasks: { splits: { train: 0 } },
    })
  })

  it('knows all projects, and says what to do first where there is nothing', async () => {
    const desk = join(world.root, 'desk')
    await mkdir(desk)
    const first = await run('status', '--project', desk)
    expect(first.out).toContain('Nothing recorded for this project yet. `skillopt sleep harvest --dry-run`')
    const all = await run('status', '--all')
    expect(all.out).toMatch(
      /^project +last night +waits +schedule\n.*project +it learned something +night 1\n$/,
    )
    await mkdir(join(world.root, 'kept', 'sleep', 'projects', 'strange'))
    expect((await run('status', '--all')).err).toContain('strange does not name its project.')
    await rm(join(world.root, 'kept'), { recursive: true })
    expect((await run('status', '--all')).out).toContain('No projects yet.')
  })

  it('reports damaged files and continues', async () => {
    await writeFile(join(world.proposalFolder, 'proposal.json'), '{')
    await writeFile(join(world.kept.folder, 'tasks.json'), '{')
    const { code, err, out } = await run('status')
    expect(code).toBe(exitCodes.ok)
    expect(err).toMatch(/warning: .*tasks\.json is damaged[\s\S]*warning: .*proposal\.json is damaged/)
    expect(out).toContain('waits       nothing to review')
  })
})
