import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { measureDocuments } from '../../src/experiment/measure.js'
import { readRegion } from '../../src/sleep/model/managed-region.js'
import type { LoopbackServer } from '../../src/testing/index.js'
import { saidBy } from '../support/sleep/house.js'
import {
  anew,
  makeNightMachine,
  nightsOf,
  proposedBy,
  writeOnce,
  writeSettings,
  writeWeek,
} from '../support/sleep/night-machine.js'
import { type Machine, run, treeOf } from './sleep-support.js'
import { type Finished, filesOf, parcelServer } from './support.js'

/** A whole night from the user's view: sessions, one command, a proposal. */

const managed = 'skill:skillopt-sleep-learned'

let server: LoopbackServer
let machine: Machine
let before: Record<string, string>
let said: Finished

const outsideOf = ({ root, kept }: Machine) => treeOf(root, path => path.startsWith(kept))

beforeAll(async () => {
  server = await parcelServer({ keepLog: true })
  machine = await makeNightMachine()
  await writeWeek(machine, 1)
  await writeFile(join(machine.project, 'README.md'), '# Ledger\n')
  await writeSettings(machine, server.url)
  before = await outsideOf(machine)
})

describe('before the night', () => {
  it('a dry run says what it would do, asks nobody and writes nothing', async () => {
    const all = await treeOf(machine.root)
    const dry = await run(machine, ['sleep', 'run', '--dry-run'])
    expect(dry).toMatchObject({ code: 0, stderr: '' })
    expect(dry.stdout).toContain('Nothing was written and no model was called.')
    expect(server.counters.requests).toBe(0)
    expect(await treeOf(machine.root)).toEqual(all)
  })
})

describe('the night', () => {
  beforeAll(async () => {
    said = await run(machine, ['sleep', 'run', '--yes'])
  })

  it('ends with a proposal, and says what it took', async () => {
    expect(said).toMatchObject({ code: 0, stderr: '' })
    expect(said.stdout).toMatch(
      /^proposed: \d+ changes? of skill:skillopt-sleep-learned waits? for review\./m,
    )
    expect(said.stdout).toContain('Next: `skillopt sleep review` shows it')
    const [night] = await nightsOf(machine)
    expect(night?.outcome).toMatchObject({ outcome: 'proposed', simulated: false })
    expect(night?.outcome?.spent.calls).toBe(server.counters.completions)
    const { promptTokens, completionTokens } = server.counters
    expect(night?.outcome?.spent.tokens).toBe(promptTokens + completionTokens)
  })

  it('gains on held-out tasks, confirmed by an independent evaluation', async () => {
    const [night] = await nightsOf(machine)
    const [target] = night?.outcome?.targets ?? []
    expect(target?.test?.tasks).toBeGreaterThanOrEqual(10)
    const told = (target?.test?.after.mean ?? 0) - (target?.test?.before.mean ?? 0)
    expect(told).toBeGreaterThan(0.2)

    const { texts } = await proposedBy(night)
    const tasks = (night?.plan?.tasks ?? []).filter(({ split }) => split === 'test')
    const documents = { before: night?.plan?.targets[0]?.frame ?? '', after: texts[managed] ?? '' }
    const place = { ...machine, close: async () => {} }
    const fresh = { tasks, samples: 2, target: 'simulated/target', folder: 'again' }
    const { difference } = await measureDocuments(place, documents, fresh)
    expect(difference.low).toBeGreaterThan(0)
    expect(Math.abs(difference.mean - told)).toBeLessThan(0.3)
  })

  it('shows the optimizer nothing of the validation and test tasks', async () => {
    const [night] = await nightsOf(machine)
    const textsIn = (splits: readonly string[]) =>
      (night?.plan?.tasks ?? [])
        .filter(({ split }) => splits.includes(split))
        .flatMap(({ examples }) => examples.map(({ text }) => text))
    const shown = server.log
      .flatMap(({ body }) => (body?.model === 'optimizer' ? [body] : []))
      .filter(body => !saidBy(body, 'system').includes('"skip": null'))
      .map(body => saidBy(body, 'user'))
    const isShown = (text: string) => shown.some(prompt => prompt.includes(text))
    expect(textsIn(['train']).filter(isShown).length).toBeGreaterThan(10)
    expect(textsIn(['val', 'test']).length).toBeGreaterThan(20)
    expect(textsIn(['val', 'test']).filter(isShown)).toEqual([])
  })

  it('writes nothing but in the folder of SkillOpt', async () => {
    expect(
      await treeOf(machine.root, path => path.startsWith(machine.kept) || path.includes('/again')),
    ).toEqual(before)
  })

  it('is shown by review, every line of what it learned', async () => {
    const review = await run(machine, ['sleep', 'review'])
    expect(review).toMatchObject({ code: 0, stderr: '' })
    const { texts } = await proposedBy((await nightsOf(machine))[0])
    const region = readRegion(texts[managed] ?? '')
    const lines = region.state === 'found' ? region.text.split('\n').filter(line => line !== '') : []
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) expect(review.stdout).toContain(`+${line}`)
  })

  it('is not repeated for unchanged data', async () => {
    const asked = server.counters.requests
    const again = await run(machine, ['sleep', 'run', '--yes'])
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(again.stdout).toMatch(/^nothing new: .*night 1, whose proposal waits/m)
    expect(server.counters.requests).toBe(asked)
    expect((await nightsOf(machine)).map(({ outcome }) => outcome?.outcome)).toEqual([
      'proposed',
      'nothing-new',
    ])
    expect((await run(machine, ['sleep', 'review'])).stdout).toContain('Night 1')
  })

  it('goes into the person’s files by adopt, and out of them by undo', async () => {
    const adopted = await run(machine, ['sleep', 'adopt', '--yes'])
    expect(adopted).toMatchObject({ code: 0, stderr: '' })
    const { texts } = await proposedBy((await nightsOf(machine))[0])
    const path = join(machine.project, '.claude/skills/skillopt-sleep-learned/SKILL.md')
    expect(await readFile(path, 'utf8')).toBe(texts[managed])
    expect(await run(machine, ['sleep', 'undo', '--yes'])).toMatchObject({ code: 0 })
    expect(Object.keys(await filesOf(machine.project))).toEqual(['README.md'])
  })
})

describe('a project in which nothing recurs', () => {
  it('has nothing to learn, and repeated nights cost nothing', async () => {
    const other = await makeNightMachine()
    await writeOnce(other)
    await writeSettings(other, server.url)
    const asked = server.counters.requests
    for (const json of [[], ['--json']]) {
      const { code, stdout, stderr } = await run(other, ['sleep', 'run', '--yes', ...json])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      if (json.length === 0)
        expect(stdout).toMatch(/^nothing to learn: Nothing recurs in the sessions so far\.$/m)
      else
        expect(JSON.parse(stdout)).toMatchObject({ outcome: 'nothing-to-learn', error: null, adopted: null })
    }
    expect(server.counters.requests).toBe(asked)
    const review = await run(other, ['sleep', 'review'])
    expect(review).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No proposal waits for a review.'),
    })
  })

  it('nor has one without a session', async () => {
    const other = anew(await makeNightMachine(), 'kept')
    await writeSettings(other, server.url)
    const { code, stdout } = await run(other, ['sleep', 'run', '--yes'])
    expect(code).toBe(0)
    expect(stdout).toContain('nothing to learn: No sessions were found')
  })
})
