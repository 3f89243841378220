import { describe, expect, it } from 'vitest'
import {
  bestHash,
  bestText,
  LogBuilder,
  sampleLog,
  seedHash,
  seedText,
  worseHash,
} from '../../../../test/support/sample-run.js'
import { skillHash } from '../../../core/skill/skill.js'
import { NotFoundError } from '../not-found.js'
import { findSkill, type KnownSkill, knownSkills } from './known-skills.js'

const skillsOf = (log: LogBuilder) => knownSkills(log.view(), ref => log.reader().get(ref))
const ids = (known: readonly KnownSkill[]) => known.map(({ shown }) => shown.id)

describe('the skills of a training', () => {
  it('are in order of creation, a step’s candidate before its version', async () => {
    const known = await skillsOf(sampleLog())
    expect(known.map(({ shown }) => shown)).toEqual([
      {
        id: 'v0',
        name: 'v0',
        kind: 'version',
        skill: seedHash,
        step: 0,
        because: 'seed',
        isBest: false,
        hasText: true,
        score: 0.25,
      },
      {
        id: 'v1',
        name: 'v1',
        kind: 'version',
        skill: bestHash,
        step: 1,
        because: 'accepted by the gate',
        isBest: true,
        hasText: true,
        score: 0.75,
      },
      {
        id: 'c2',
        name: 'step 2',
        kind: 'candidate',
        skill: worseHash,
        step: 2,
        because: 'lower',
        outcome: 'rejected',
        isBest: false,
        hasText: true,
        score: 0,
      },
      {
        id: 'v2',
        name: 'v2',
        kind: 'version',
        skill: bestHash,
        step: 2,
        sameAs: 'v1',
        because: 'rejected, kept',
        isBest: false,
        hasText: true,
        score: 0.75,
      },
    ])
  })

  it('include a candidate without a decision yet', async () => {
    const whole = sampleLog()
    const log = new LogBuilder()
    log.events.push(
      ...whole.events.slice(
        0,
        whole.events.findIndex(({ type }) => type === 'gate.decided'),
      ),
    )
    const [, candidate] = await skillsOf(log)
    expect(candidate?.shown).toMatchObject({ id: 'c1', because: 'not judged yet' })
    expect(candidate?.shown).not.toHaveProperty('outcome')
    expect(candidate?.shown).not.toHaveProperty('score')
  })

  it('have no score where the gate could not compare', async () => {
    const log = sampleLog()
    const events = log.events.map(event => {
      if (event.type === 'gate.decided')
        return { ...event, body: { ...event.body, action: 'abstain' as const } }
      if (event.type === 'step.finished')
        return { ...event, body: { ...event.body, outcome: 'abstained' as const } }
      return event
    })
    log.events.splice(0, log.events.length, ...events)
    const { shown } = findSkill(log.view(), await skillsOf(log), 'c2')
    expect(shown).toMatchObject({ outcome: 'abstained' })
    expect(shown).not.toHaveProperty('score')
  })

  it('list the best text once, even if a slow update took its version number', async () => {
    const log = sampleLog()
    const text = log.put(`${bestText}\nTake your time.\n`)
    const origins = log.put('[]')
    const slow = { skill: 'd'.repeat(16), text, origins }
    for (const version of [1, 2])
      log.add('skill.version', { version, ...slow, score: 0.75, because: 'slow update' })
    const known = await skillsOf(log)
    expect(ids(known)).toEqual(['v0', 'best', 'v1', 'c2', 'v2'])
    const best = known.filter(({ shown }) => shown.isBest)
    expect(best.map(({ shown }) => shown)).toMatchObject([
      { id: 'best', name: 'v1 as it was best', skill: bestHash, step: 1, score: 0.75 },
    ])
    expect(findSkill(log.view(), known, 'best').origins).toBeDefined()
    // Its candidate id still resolves to it.
    expect(findSkill(log.view(), known, 'c1').shown.skill).toBe(bestHash)
  })
})

describe('a skill by name', () => {
  it.each([
    ['v0', seedHash],
    ['seed', seedHash],
    ['v2', bestHash],
    ['best', bestHash],
    ['last', bestHash],
    ['c1', bestHash],
    ['c2', worseHash],
    [bestHash, bestHash],
    [worseHash, worseHash],
  ])('%s', async (name, skill) => {
    const log = sampleLog()
    expect(findSkill(log.view(), await skillsOf(log), name).shown.skill).toBe(skill)
  })

  it('a hash is the first version with the text', async () => {
    const log = sampleLog()
    expect(findSkill(log.view(), await skillsOf(log), bestHash).shown.id).toBe('v1')
  })

  it.each(['', 'v3', 'c3', 'c1.2', 'V1', 'a'.repeat(15), '__proto__'])('%j is none', async name => {
    const log = sampleLog()
    const known = await skillsOf(log)
    const find = () => findSkill(log.view(), known, name)
    expect(find).toThrow(NotFoundError)
    expect(find).toThrow(expect.objectContaining({ hint: expect.stringContaining('v0 to v2') }))
  })
})

describe('the skills of other runs', () => {
  it('of an evaluation have their given names and the latest score', async () => {
    const log = new LogBuilder().start({ kind: 'eval' })
    const text = log.put(seedText)
    log.add('skills.named', {
      skills: [
        { name: 'mine', skill: seedHash, text },
        { name: 'other', skill: bestHash, text: log.put(bestText) },
      ],
    })
    const about = { stage: 'test', epoch: 0, step: 0, skill: seedHash, rows: log.put('') } as const
    const sums = { hard: 0, soft: 0, scored: 1, failed: 0 }
    log.add('evaluation.finished', { ...about, ...sums, split: 'val', score: 0.2 })
    log.add('evaluation.finished', { ...about, ...sums, split: 'test', score: 0.6 })
    expect((await skillsOf(log)).map(({ shown }) => shown)).toEqual([
      {
        id: seedHash,
        name: 'mine',
        kind: 'named',
        skill: seedHash,
        score: 0.6,
        because: 'evaluated on the test split',
        isBest: false,
        hasText: true,
      },
      {
        id: bestHash,
        name: 'other',
        kind: 'named',
        skill: bestHash,
        because: 'not evaluated yet',
        isBest: false,
        hasText: true,
      },
    ])
  })

  it('of a comparison of baselines are the seed, the one-shot skill, and a trained one without a text', async () => {
    const log = new LogBuilder().start({ kind: 'baseline' })
    log.add('one-shot.finished', { skill: bestHash, text: log.put(bestText), summary: '' })
    const sums = { hard: 0.5, soft: 0.5, scored: 2, failed: 0, types: [] }
    const interval = { mean: 0.5, low: 0, high: 1 }
    log.add('test.finished', { which: 'initial', skill: skillHash(seedText), ...sums, score: 0.5, interval })
    log.add('test.finished', { which: 'trained', skill: worseHash, ...sums, score: 0.9, interval })
    const known = await skillsOf(log)
    expect(known.map(({ shown }) => [shown.id, shown.skill, shown.score, shown.hasText])).toEqual([
      ['seed', skillHash(seedText), 0.5, true],
      ['one-shot', bestHash, undefined, true],
      ['trained', worseHash, 0.9, false],
    ])
    expect(known.at(-1)?.text).toBeUndefined()
  })

  it('do not list a trained skill twice if it equals the seed', async () => {
    const log = new LogBuilder().start({ kind: 'baseline' })
    const sums = { hard: 0.5, soft: 0.5, scored: 2, failed: 0, types: [], score: 0.5 }
    const interval = { mean: 0.5, low: 0, high: 1 }
    log.add('test.finished', { which: 'trained', skill: skillHash(seedText), ...sums, interval })
    expect(ids(await skillsOf(log))).toEqual(['seed'])
  })

  it('of a mining there are none', async () => {
    const log = new LogBuilder().start({ kind: 'mine' })
    const known = await skillsOf(log)
    expect(known).toEqual([])
    expect(() => findSkill(log.view(), known, 'seed')).toThrow(
      expect.objectContaining({ hint: 'Its page lists those that it has.' }),
    )
  })
})
