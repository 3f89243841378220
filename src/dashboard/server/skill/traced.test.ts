import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeRecordedRuns, type RecordedRuns } from '../../../../test/support/recorded-runs.js'
import {
  bestText,
  LogBuilder,
  sampleLog,
  seedHash,
  seedText,
  worseHash,
  worseText,
} from '../../../../test/support/sample-run.js'
import { worldSetup } from '../../../../test/world.js'
import type { ConfigInput } from '../../../core/config/config.js'
import type { RecordedEdit } from '../../../core/log/event.js'
import { setNotes } from '../../../core/skill/appendix.js'
import { lineOrigins, seedDocument } from '../../../core/skill/document.js'
import { applyEdits } from '../../../core/skill/edit.js'
import type { LiveRun } from '../runs/types.js'
import { findSkill, knownSkills } from './known-skills.js'
import { originDetail, originLabel } from './origins.js'
import { recordedEdits, tracedSkill } from './traced.js'

let runs: RecordedRuns
beforeAll(async () => {
  runs = await makeRecordedRuns()
})
afterAll(() => runs.end())

async function traced(run: LiveRun, name: string) {
  const view = await run.view()
  const known = await knownSkills(view, ref => run.text(ref))
  const { document, isTraced } = await tracedSkill(run, view, known, findSkill(view, known, name))
  const lines = lineOrigins(document).map(({ line, origins }) => `${origins.join(' ')}: ${line}`)
  return { text: document.text, lines, isTraced }
}

describe('the lines of a skill', () => {
  let run: LiveRun
  beforeAll(async () => {
    run = await runs.add('sample', sampleLog())
  })

  it('of a version come from where the log says', async () => {
    expect(await traced(run, 'best')).toEqual({
      text: bestText,
      lines: ['seed: # Sums', 'seed: ', 'seed: Answer the question.', '1.0: Round to two decimals.'],
      isTraced: true,
    })
  })

  it('of a candidate that its edits do not explain are compared with the previous text', async () => {
    expect(await traced(run, 'c2')).toEqual({
      text: worseText,
      lines: ['seed: # Sums', 'seed: ', 'step 2: Never answer.'],
      isTraced: false,
    })
  })

  it('of a skill with a single text all come from the seed', async () => {
    const given = await runs.add('baseline', new LogBuilder().start({ kind: 'baseline' }))
    const { lines, isTraced } = await traced(given, 'seed')
    expect(lines).toEqual(['seed: # Sums', 'seed: ', 'seed: Answer the question.'])
    expect(isTraced).toBe(true)
  })
})

describe('a candidate that the log explains', () => {
  const at = { epoch: 1, step: 1 }
  const about = { why: '', support: 1, from: 'failure' as const, tasks: ['t1'] }
  const first: RecordedEdit = { op: 'append', id: 'a', content: 'One.', ...about }
  const second: RecordedEdit = { op: 'append', id: 'b', content: 'Two.', ...about }
  const reminder: RecordedEdit = { op: 'remind', id: 'r', content: 'Heed it.', ...about }
  const seed = seedDocument(seedText)

  function logOf(text: string, isKnown = true): LogBuilder {
    const log = new LogBuilder().start()
    const origins = log.put(JSON.stringify(seed.origins))
    const skill = isKnown ? seedHash : 'f'.repeat(16)
    log.add('skill.version', { version: 0, skill, text: log.put(seedText), origins, because: 'seed' })
    log.add('step.started', { ...at, tasks: ['t1'], skill: seedHash })
    log.add('aggregate.finished', { ...at, edits: [first, second], reminders: [reminder], failed: 0 })
    log.add('select.finished', { ...at, budget: 1, edits: [first], dropped: ['b'], failed: 0 })
    log.add('update.finished', {
      ...at,
      skill: worseHash,
      text: log.put(text),
      reports: [
        { edit: 'a', status: 'refused', reason: 'too long' },
        { edit: 'b', status: 'applied', reason: 'appended' },
        { edit: 'r', status: 'applied', reason: 'reminded' },
      ],
    })
    return log
  }

  it('has the origins of the edits that were applied, and of no other', async () => {
    const { document } = applyEdits(seed, [second, reminder])
    const run = await runs.add('explained', logOf(document.text))
    const { lines, isTraced } = await traced(run, 'c1')
    expect(isTraced).toBe(true)
    expect(lines).toContain('b: Two.')
    expect(lines).toContain('r: - Heed it.')
    expect(lines.join('\n')).not.toContain('One.')
  })

  it('has the origin of a consolidated appendix', async () => {
    const { document } = applyEdits(seed, [second, reminder])
    const { text } = setNotes(document, ['Heed all.'], 'consolidation:1')
    const log = logOf(text)
    const noted = { ...at, before: 3, reasoning: '', failed: 0 }
    log.add('appendix.consolidated', { ...noted, notes: ['Heed all.'] })
    const { lines, isTraced } = await traced(await runs.add('consolidated', log), 'c1')
    expect(isTraced).toBe(true)
    expect(lines).toContain('consolidation:1: - Heed all.')
  })

  it('whose step began with a skill that the log does not have is not explained', async () => {
    const run = await runs.add('unknown', logOf(`${seedText}Two.\n`, false))
    const { lines, isTraced } = await traced(run, 'c1')
    expect({ isTraced, last: lines.at(-1) }).toEqual({ isTraced: false, last: 'seed: Two.' })
  })

  it('has its edits as they were recorded, with all of their tasks', async () => {
    const tasks = Array.from({ length: 30 }, (_, index) => `t${index}`)
    const log = logOf(seedText)
    const rewrite: RecordedEdit = { op: 'rewrite', id: 'w', content: '', summary: '', ...about, tasks }
    log.add('rewrite.finished', { ...at, edit: rewrite, failed: 0 })
    log.add('aggregate.finished', { epoch: 1, step: 2, edits: [{ ...first, id: 'later' }], failed: 0 })
    const edits = await recordedEdits(await runs.add('recorded', log), 1)
    expect([...edits.keys()].toSorted()).toEqual(['a', 'b', 'r', 'w'])
    expect(edits.get('w')?.tasks).toEqual(tasks)
  })
})

type Given = Omit<Partial<ConfigInput>, 'models' | 'environment'>
const reflect = { minibatchSize: 4 }
const train = { epochs: 2, batchSize: 8 }
const trainings: readonly (readonly [string, Given])[] = [
  ['edits', { train, reflect }],
  ['rewrites', { train, reflect, optimizer: { mode: 'rewrite_from_suggestions' } }],
  ['reminders', { train, reflect: { ...reflect, skillAware: { enabled: true, successes: true, notes: 1 } } }],
]

describe.each(trainings)('a real training with %s', (name, config) => {
  it('explains every text and every line of it', async () => {
    const setup = await worldSetup({ sizes: { train: 16, val: 6, test: 1 }, config })
    const { run } = await runs.train(name.replace(' ', '-'), setup)
    const view = await run.view()
    const known = await knownSkills(view, ref => run.text(ref))
    expect(view.steps.flatMap(({ candidate }) => candidate ?? []).length).toBeGreaterThan(1)
    const names = new Set([
      ...known.map(({ shown }) => shown.id),
      ...view.steps.flatMap(({ step, candidate }) => (candidate === undefined ? [] : [`c${step}`])),
    ])
    const kinds = new Set<string>()
    for (const each of names) {
      const { document, isTraced } = await tracedSkill(run, view, known, findSkill(view, known, each))
      expect({ each, isTraced }).toEqual({ each, isTraced: true })
      for (const origin of new Set(lineOrigins(document).flatMap(({ origins }) => origins))) {
        const { kind } = originLabel(view, origin)
        expect(kind).not.toBe('unknown')
        expect((await originDetail(run, view, known, origin)).kind).toBe(kind)
        kinds.add(kind)
      }
    }
    expect(kinds).toContain('seed')
    expect(kinds).toContain('edit')
  })
})
