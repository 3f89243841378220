import { describe, expect, it } from 'vitest'
import { PythonRandom } from '../../../core/statistics/random.js'
import { admit } from './admit.js'
import { beliefs } from './belief.js'
import { estimateEffects } from './estimate.js'
import { localEvidence } from './local.js'
import { measure } from './measure.js'
import { emptyPool, isViable } from './pool.js'
import type { Trial, TrialEdit } from './types.js'
import { verdicts } from './verdicts.js'

const tasks = Array.from({ length: 40 }, (_, index) => `task-${index}`)
const settings = {
  slots: 8,
  alternatives: 3,
  accept: 0.85,
  drop: 0.7,
  confirm: 0.97,
  tasks: tasks.length,
}

function trialEdit(id: string, concerned: readonly string[], origin: readonly string[] = []): TrialEdit {
  const edit = {
    op: 'append' as const,
    content: `- ${id}`,
    id,
    why: '',
    support: 1,
    from: 'failure' as const,
    tasks: [...origin],
  }
  return { edit, slot: id, concerned: new Set(concerned), status: 'pending', since: 1 }
}

/** Simulated attempts with known effects, in which each edit is included half of the time. */
function simulate(effects: Readonly<Record<string, number>>, count: number, seed: number): Trial[] {
  const random = new PythonRandom(seed)
  const uniform = () => random.getRandomBits(30) / 2 ** 30
  return Array.from({ length: count }, (_, index) => {
    const edits = Object.keys(effects).filter(() => uniform() < 0.5)
    const chance = edits.reduce((sum, id) => sum + (effects[id] ?? 0), 0.4)
    const task = tasks[index % tasks.length] ?? ''
    return { round: Math.floor(index / 16) + 1, task, score: uniform() < chance ? 1 : 0, edits }
  })
}

describe('effects of edits that concern all tasks', () => {
  it('finds each effect from attempts that carry several edits at once', () => {
    const effects = { good: 0.3, none: 0, bad: -0.25 }
    const edits = Object.keys(effects).map(id => trialEdit(id, tasks))
    const found = estimateEffects(simulate(effects, 800, 3), edits, { local: [], global: edits }).byEdit
    for (const [id, effect] of Object.entries(effects)) {
      const { mean, sd } = found.get(id)?.effect ?? { mean: 9, sd: 9 }
      expect(Math.abs(mean - effect)).toBeLessThan(2.5 * sd)
      expect(sd).toBeLessThan(0.05)
    }
  })

  it('covers the true effect with its 95% interval in about 95% of cases', () => {
    const effects = { a: 0.1, b: 0, c: -0.1 }
    const edits = Object.keys(effects).map(id => trialEdit(id, tasks))
    let covered = 0
    for (let seed = 1; seed <= 40; seed++) {
      const asked = { local: [], global: edits }
      const found = estimateEffects(simulate(effects, 240, seed), edits, asked).byEdit
      for (const [id, effect] of Object.entries(effects)) {
        const { mean, sd } = found.get(id)?.effect ?? { mean: 9, sd: 0 }
        if (Math.abs(mean - effect) <= 1.96 * sd) covered += 1
      }
    }
    expect(covered / 120).toBeGreaterThan(0.88)
  })
})

const near = tasks.slice(0, 8)
const others = { mean: 0.3, correlation: 0.3, offset: () => 0 }

function outcomes(edit: string, scores: string, without: string): Trial[] {
  const one = (score: string, index: number, edits: string[]) => ({
    round: 1,
    task: near[index % near.length] ?? '',
    score: Number(score),
    edits,
  })
  return [
    ...[...scores].map((score, index) => one(score, index, [edit])),
    ...[...without].map((score, index) => one(score, index, [])),
  ]
}

describe('evidence on few tasks', () => {
  const weigh = (scores: string, without: string, origin: readonly string[] = []) => {
    const subject = trialEdit('edit', near, origin)
    return localEvidence(outcomes('edit', scores, without), subject, {
      slotEdits: new Set(['edit']),
      others,
    })
  }

  it('favours an edit whose tasks pass with it and fail without it', () => {
    const { byLift, nothing, mean } = weigh('111111', '000000')
    expect(Math.max(...byLift) / nothing).toBeGreaterThan(50)
    expect(mean).toBeGreaterThan(0.4)
  })

  it('counts against an edit whose tasks fail with it too', () => {
    const { byLift, nothing } = weigh('0000', '000000')
    const average = byLift.reduce((sum, value) => sum + value, 0) / byLift.length
    expect(average / nothing).toBeLessThan(0.5)
  })

  it('does not count attempts at the tasks that the edit was proposed from', () => {
    const { trials, byLift, nothing } = weigh('11111111', '', near)
    expect(trials).toBe(0)
    expect(byLift.every(value => Math.abs(value / nothing - 1) < 1e-9)).toBe(true)
  })
})

describe('beliefs', () => {
  it('learns effect sizes from all edits, so that one failure is stronger evidence', () => {
    const clear = (id: string) => ({ edit: id, elsewhere: { mean: 0, sd: 1 } })
    const sizes = 12
    const right = (id: string) => ({
      ...clear(id),
      helps: Array.from({ length: sizes }, (_, index) => (index === sizes - 1 ? 400 : 4)),
      nothing: 1,
      harms: 0.1,
    })
    const failedOnce = {
      ...clear('doubtful'),
      helps: Array.from({ length: sizes }, (_, index) => 1 - (index + 0.5) / sizes),
      nothing: 1,
      harms: 1,
    }
    const alone = beliefs([failedOnce]).get('doubtful')?.ratio ?? 0
    const experienced = beliefs([failedOnce, ...['a', 'b', 'c', 'd'].map(right)]).get('doubtful')?.ratio ?? 1
    expect(experienced).toBeLessThan(alone)
  })
})

describe('the pool', () => {
  const proposal = (id: string, cause: string, content: string, origin: string[] = []) => ({
    op: 'append' as const,
    content,
    id,
    why: '',
    support: 1,
    from: 'failure' as const,
    tasks: origin,
    cause,
  })
  const options = { round: 1, settings, tasks: tasks.length, concern: () => new Set(near) }

  it('rejects known lessons and makes other remedies for a cause alternatives', () => {
    const { admitted, known } = admit(
      emptyPool,
      [
        proposal('a', 'units', '- Convert pounds to kilograms first.'),
        proposal('b', 'units', '- Give the weight in kilograms.'),
        proposal('c', 'units', '- Convert pounds to kilograms first!'),
        proposal('d', 'dates', '- Write dates as year, month, day.'),
      ],
      options,
    )
    expect(admitted.map(({ edit, slot }) => `${edit.id} ${slot}`)).toEqual(['a units', 'b units', 'd dates'])
    expect(known).toBe(1)
  })

  it('leaves out other wordings of an edit for all tasks until that is dropped', () => {
    const first = proposal('first', 'one', '- On every task, keep the ledger in view.')
    const again = proposal('again', 'two', '- Stick to a simple ledger at all times.')
    const words = Array.from({ length: 19 }, (_, index) => `subject${index}`)
    const others = words.map((word, index) =>
      index % 2 === 0
        ? `- On every task, keep the ${word} in view.`
        : `- Stick to simple ${word} at all times.`,
    )
    const proposed = [first, ...others.map((text, index) => proposal(`other-${index}`, `${index}`, text))]
    const everywhere = { ...options, concern: () => new Set(tasks) }
    const { pool } = admit(emptyPool, proposed, everywhere)
    const lessons = pool.edits.map(one => one.edit)
    expect(lessons).toContain(first)
    expect(lessons).toHaveLength(1 + words.length)
    expect(admit(pool, [again], everywhere)).toMatchObject({ admitted: [], known: 1 })
    const edits = pool.edits.map(one => (one.edit === first ? { ...one, status: 'dropped' as const } : one))
    expect(admit({ ...pool, edits }, [again], everywhere).admitted).toHaveLength(1)
  })

  it('accepts edits that help on fresh tasks, and refutes no remedy while another is missing', () => {
    const { pool } = admit(
      emptyPool,
      [proposal('good', 'one', '- A rule that works.'), proposal('null', 'two', '- Look twice.')],
      options,
    )
    const trials = [...outcomes('good', '11111111', '00000000'), ...outcomes('null', '00000000', '00000000')]
    const judged = verdicts(measure(pool, trials, settings), settings)
    expect(judged.map(({ edit, decision }) => `${edit.edit.id} ${decision}`)).toEqual(['good accepted'])
  })

  it('keeps an edit that looks doubtful, and drops it once it is refuted', () => {
    const { pool } = admit(emptyPool, [proposal('null', 'one', '- Look twice.')], options)
    const after = (scores: string) => measure(pool, outcomes('null', scores, '0000'), settings)
    const [doubtful, refuted] = [after('0'), after('0'.repeat(24))]
    const viable = (measured: typeof pool) => measured.edits.map(one => isViable(measured, one, settings))
    expect(viable(pool)).toEqual([true])
    expect(viable(doubtful)).toEqual([false])
    expect(verdicts(doubtful, settings)).toEqual([])
    expect(verdicts(refuted, settings)).toMatchObject([{ decision: 'dropped' }])
  })

  it('never accepts an edit on the evidence of its support tasks alone', () => {
    const { pool } = admit(emptyPool, [proposal('heart', 'one', '- The answer is 42.', [...near])], options)
    const trials = outcomes('heart', '11111111', '00000000')
    expect(verdicts(measure(pool, trials, settings), settings)).toEqual([])
  })
})
