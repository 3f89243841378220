import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type AdoptionWorld,
  makeAdoptionWorld,
  personsMemory,
  personsSkill,
} from '../../../test/support/adoption.js'
import { type NightLogOptions, type NightStep, nightLog, recorded } from '../../../test/support/night-log.js'
import { plannedNight } from '../../../test/support/planned-night.js'
import { adopt, readLive, readProposal, undo, writeProposal } from '../adopt/index.js'
import type { PlannedTarget } from '../model/night-record.js'
import { outcomeOf } from './outcome.js'
import { proposalOf } from './proposal.js'
import type { TargetRun } from './target-result.js'

let world: AdoptionWorld
beforeEach(async () => {
  world = await makeAdoptionWorld()
})
afterEach(() => rm(world.root, { recursive: true }))

const at = '2026-01-31T03:00:00Z'
const better = { before: [0, 0, 0, 0, 1, 0, 0, 0], after: [1, 1, 1, 1, 1, 1, 1, 1] }
const worse = { before: better.after, after: better.before }
const learns: NightStep = { edits: [recorded('1')], accept: true }
const fails: NightStep = {
  edits: [recorded('9', { content: '- Harm.' })],
  accept: false,
  reason: 'Two tasks broke.',
}

const planned = (): Record<'skill' | 'memory' | 'made', PlannedTarget> => {
  const { skill, memory, made } = world.files
  return {
    skill: {
      name: 'skill:tests',
      path: skill,
      live: personsSkill,
      frame: personsSkill,
      region: '- Old rule.',
      tasks: [],
    },
    memory: {
      name: 'memory:CLAUDE.md',
      path: memory,
      live: personsMemory,
      frame: personsMemory,
      region: '',
      tasks: [],
    },
    made: {
      name: 'skill:fresh',
      path: made,
      live: null,
      frame: '---\nname: fresh\n---\n',
      region: '',
      tasks: [],
    },
  }
}

async function runOf(
  which: keyof ReturnType<typeof planned>,
  steps: readonly NightStep[],
  options: NightLogOptions = {},
  together: readonly string[] = [],
): Promise<TargetRun> {
  const target = planned()[which]
  const directory = join(world.root, 'night', 'runs', which)
  const log = await nightLog(target.region, steps, { directory, val: better, ...options })
  return { target, log, live: await readLive(target.path, [world.project]), together }
}

const night = () => plannedNight(world.project, Object.values(planned()))

async function written(runs: readonly TargetRun[]) {
  const made = proposalOf(night(), runs, at)
  if (made === undefined) throw new Error('There is no proposal.')
  await writeProposal(world.proposalFolder, made.proposal, made.texts)
  return made
}

describe('a proposal', () => {
  it('can be written, read, adopted and undone', async () => {
    const runs = [
      await runOf('skill', [learns, fails], { test: better }),
      await runOf('memory', [learns], { test: better }, ['skill:tests']),
      await runOf('made', [learns, { guidance: 'Be brief.', outcome: 'accepted' }]),
    ]
    const { proposal, texts } = await written(runs)
    expect((await readProposal(world.proposalFolder)).proposal).toEqual(proposal)
    const receipt = await adopt(world.proposalFolder, world.place)
    expect(receipt.label).toBe('measured')
    expect(await readFile(world.files.skill, 'utf8')).toBe(
      personsSkill.replace('- Old rule.\r\n', '- Old rule.\r\n\r\n- Rule 1.\r\n'),
    )
    expect(await readFile(world.files.memory, 'utf8')).toMatch(
      /^# Memory\n\nBe brief\.\n\n<!-- .*\n- Rule 1\.\n<!-- /,
    )
    await undo(world.place)
    expect(await readFile(world.files.skill, 'utf8')).toBe(personsSkill)
    expect(proposal).toMatchObject({
      id: 'night-007',
      project: world.project,
      madeAt: at,
      run: join(world.root, 'night', 'runs'),
      verdict: { accepted: true },
    })
    expect(proposal.targets.map(({ name, proposed }) => [name, proposed])).toEqual([
      ['skill:tests', '1-skill-tests.md'],
      ['memory:CLAUDE.md', '2-memory-CLAUDE.md'],
      ['skill:fresh', '3-skill-fresh.md'],
    ])
    expect([...texts.keys()]).toContain('report.md')
  })

  it('lets any of its edits be chosen', async () => {
    const runs = [await runOf('skill', [{ edits: [recorded('1'), recorded('2')], accept: true }])]
    await written(runs)
    await adopt(world.proposalFolder, world.place, { edits: ['e2'] })
    expect(await readFile(world.files.skill, 'utf8')).toBe(
      personsSkill.replace('- Old rule.\r\n', '- Old rule.\r\n\r\n- Rule 2.\r\n'),
    )
  })

  it('has tasks, sessions and reason for each edit, and lists lost edits', async () => {
    const lost = recorded('3', { op: 'delete', target: 'Nowhere.', tasks: ['greet.2', 'greet.1', 'other.1'] })
    const runs = [
      await runOf('skill', [{ edits: [recorded('1'), lost], accept: true }, fails]),
      await runOf('memory', [fails]),
    ]
    const { edits } = proposalOf(night(), runs, at)?.proposal ?? { edits: [] }
    const evidence = { tasks: ['greet'], sessions: ['claude-code:s1', 'claude-code:s2'] }
    const harm = {
      op: 'append',
      content: '- Harm.',
      why: 'It failed. — Two tasks broke.',
      status: 'rejected',
      ...evidence,
    }
    expect(edits).toEqual([
      {
        id: 'e1',
        target: 'skill:tests',
        op: 'append',
        content: '- Rule 1.',
        why: 'It failed.',
        status: 'proposed',
        gate: { before: 0.01, after: 0, edits: 1 },
        ...evidence,
      },
      {
        id: 'u1',
        target: 'skill:tests',
        op: 'delete',
        content: '',
        anchor: 'Nowhere.',
        status: 'unmatched',
        why: 'It failed. — The target is not in the skill.',
        ...evidence,
        tasks: ['greet', 'other'],
      },
      { id: 'r1', target: 'skill:tests', ...harm },
      { id: 'r2', target: 'memory:CLAUDE.md', ...harm },
    ])
  })

  it('has measures on validation and held-out test tasks', async () => {
    const runs = [
      await runOf('skill', [learns], { test: better }),
      await runOf('memory', [learns], {}, ['skill:tests']),
    ]
    const { measures } = proposalOf(night(), runs, at)?.proposal ?? { measures: [] }
    expect(measures.map(({ targets, tasks, measured }) => [targets, tasks, measured])).toEqual([
      [['skill:tests'], ['val-task'], true],
      [['skill:tests'], ['test-task'], true],
      [['skill:tests', 'memory:CLAUDE.md'], ['val-task'], true],
    ])
    expect(measures[0]).toMatchObject({
      before: { mean: 0.125 },
      after: { mean: 1 },
      difference: { mean: 0.875 },
    })
    expect(measures[0]?.difference?.low).toBeGreaterThan(0)
  })

  it('limits the size of model-written text', async () => {
    const huge = recorded('9', { content: 'x'.repeat(1_000_000), why: 'y'.repeat(1_000_000) })
    const many = Array.from({ length: 190 }, (_, index) => recorded(`m${index}`))
    const runs = [
      await runOf('skill', [{ edits: many, accept: false }, learns, { edits: [huge], accept: false }]),
    ]
    const made = proposalOf(night(), runs, at)
    expect(made?.proposal.edits).toHaveLength(192)
    expect(JSON.stringify(made?.proposal).length).toBeLessThan(200_000)
    expect(made?.texts.get('report.md')?.length).toBeLessThan(50_000)
  })

  it('is not made if nothing is new', async () => {
    const runs = [await runOf('skill', [fails])]
    expect(proposalOf(night(), runs, at)).toBeUndefined()
    expect(outcomeOf(night().plan, runs)).toEqual({
      outcome: 'nothing-learned',
      reason: expect.stringContaining(
        'skill:tests: One change was tried, and the gate rejected it: Two tasks broke.',
      ),
      targets: [
        {
          name: 'skill:tests',
          status: 'nothing-learned',
          reason: 'One change was tried, and the gate rejected it: Two tasks broke.',
        },
        { name: 'memory:CLAUDE.md', status: 'skipped', reason: 'The night did not come to it.' },
        { name: 'skill:fresh', status: 'skipped', reason: 'The night did not come to it.' },
      ],
    })
  })
})

describe('a text that the test shows to be worse', () => {
  it('is not accepted', async () => {
    const runs = [await runOf('skill', [learns], { test: worse })]
    const { proposal } = await written(runs)
    expect(proposal?.verdict).toEqual({
      accepted: false,
      reason: expect.stringMatching(
        /^On tasks that the night had not seen it did worse: 100\.0% → 12\.5% \(−87\.5 points/,
      ),
    })
    expect(outcomeOf(night().plan, runs)).toMatchObject({
      outcome: 'nothing-learned',
      targets: [{ status: 'nothing-learned', test: { tasks: 8 } }, {}, {}],
    })
    await expect(adopt(world.proposalFolder, world.place)).rejects.toThrow(/was not accepted: On tasks that/)
  })

  it('is left out if something else was learned, with its edits and everything measured with it', async () => {
    const runs = [
      await runOf('skill', [learns], { test: worse }),
      await runOf('memory', [learns], {}, ['skill:tests']),
      await runOf('made', [learns]),
    ]
    const { proposal } = proposalOf(night(), runs, at) ?? {}
    expect(proposal?.verdict.accepted).toBe(true)
    expect(proposal?.targets.map(({ name }) => name)).toEqual(['skill:fresh'])
    expect(proposal?.edits.map(({ id, target, status }) => [id, target, status])).toEqual([
      ['e1', 'skill:fresh', 'proposed'],
      ['r1', 'skill:tests', 'rejected'],
      ['r2', 'memory:CLAUDE.md', 'rejected'],
    ])
    expect(outcomeOf(night().plan, runs).targets.map(({ status }) => status)).toEqual([
      'nothing-learned',
      'nothing-learned',
      'learned',
    ])
  })

  it('is accepted if the test is inconclusive', async () => {
    const runs = [await runOf('skill', [learns], { test: { before: [1, 0, 1], after: [0, 1, 0] } })]
    expect(proposalOf(night(), runs, at)?.proposal.verdict.accepted).toBe(true)
  })
})

it('takes the last text without a gate, and says that it was not gated', async () => {
  const harm: NightStep = { edits: [recorded('2', { content: '- Harm.' })], accept: true }
  const runs = [await runOf('skill', [learns, harm], { gate: 'always', val: worse })]
  const { proposal, texts } = proposalOf(night(), runs, at) ?? {}
  expect(proposal?.verdict).toEqual({
    accepted: true,
    reason: expect.stringMatching(/^Not gated: .*100\.0% → 12\.5%/),
  })
  expect(texts?.get('1-skill-tests.md')).toContain('- Harm.')
  const forced = [await runOf('skill', [{ guidance: 'Be brief.', outcome: 'forced' }])]
  expect(proposalOf(night(), forced, at)?.proposal.verdict.reason).toMatch(/^Not gated: /)
})

it('takes a text that the gate accepted early if a cap prevented its full score', async () => {
  const early: NightStep = { ...learns, early: true }
  const { target, live } = await runOf('skill', [])
  const capped = { target, live, log: await nightLog(target.region, [early], { test: better }) }
  const { proposal, texts } = proposalOf(night(), [capped], at) ?? {}
  expect(proposal?.verdict).toEqual({
    accepted: true,
    reason: expect.stringMatching(
      /^The gate accepted it\. On tasks that the night had not seen: (Better|Cannot tell): \+88 points/,
    ),
  })
  expect(texts?.get('1-skill-tests.md')).toContain('- Rule 1.')
  expect(proposalOf(night(), [await runOf('skill', [early], { val: worse })], at)).toBeUndefined()
})

it('shows a bad test result without a gate, but does not block the proposal', async () => {
  const runs = [await runOf('skill', [learns], { gate: 'always', test: worse })]
  const { proposal, texts } = await written(runs)
  expect(proposal?.verdict).toEqual({
    accepted: true,
    reason: expect.stringMatching(/^Not gated: .*had not seen it did worse\..*Worse: −87 points on 8 tasks/),
  })
  expect(texts?.get('report.md')).toMatch(/NOT GATED[\s\S]*Worse: −/)
  expect(outcomeOf(night().plan, runs)).toMatchObject({ outcome: 'proposed' })
})

it('proposes nothing for a file that was changed while the night ran', async () => {
  await writeFile(world.files.skill, `${personsSkill}\nSaved meanwhile.`)
  const runs = [await runOf('skill', [learns])]
  expect(proposalOf(night(), runs, at)).toBeUndefined()
  expect(outcomeOf(night().plan, runs).targets[0]).toEqual({
    name: 'skill:tests',
    status: 'nothing-learned',
    reason: `${world.files.skill} was changed while the night ran.`,
  })
})
