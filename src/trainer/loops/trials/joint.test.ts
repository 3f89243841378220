import { describe, expect, it } from 'vitest'
import { type JointOptions, jointBeliefs } from './joint.js'
import type { Trial, TrialEdit } from './types.js'

const tasks = Array.from({ length: 10 }, (_, index) => `task-${index}`)
const options: JointOptions = { seed: 7, before: () => undefined, offset: () => 0, burnIn: 30, sweeps: 100 }

function trialEdit(id: string, cause: string): TrialEdit {
  const edit = {
    op: 'append' as const,
    content: `- ${id}`,
    id,
    why: '',
    support: 1,
    from: 'failure' as const,
    tasks: [],
    cause,
  }
  return { edit, slot: cause, concerned: new Set(tasks), status: 'pending', since: 1 }
}

const attempts = (score: number, ...edits: string[]): Trial[] =>
  tasks.map(task => ({ round: 1, task, score, edits }))

describe('judging edits jointly', () => {
  const divisor = trialEdit('divisor', 'divisor')
  const rounding = trialEdit('rounding', 'rounding')
  const vague = trialEdit('vague', 'rounding')

  it('finds two remedies that tasks need at once, and that do nothing alone', () => {
    const trials = [
      ...attempts(0),
      ...attempts(0, 'divisor'),
      ...attempts(0, 'rounding'),
      ...attempts(0, 'divisor', 'vague'),
      ...attempts(1, 'divisor', 'rounding'),
    ]
    const found = jointBeliefs(trials, [divisor, rounding, vague], options)
    expect(found.get('divisor')?.helps).toBeGreaterThan(0.9)
    expect(found.get('rounding')?.helps).toBeGreaterThan(0.9)
    expect(found.get('vague')?.helps).toBeLessThan(0.1)
  })

  it('refutes a remedy that changes nothing while nothing else is missing', () => {
    const found = jointBeliefs([...attempts(0), ...attempts(0, 'vague')], [vague], options)
    expect(found.get('vague')?.ratio).toBeLessThan(0.12)
  })

  it('distinguishes a harmful edit from one that does nothing', () => {
    const trials = [...attempts(1), ...attempts(0, 'rounding'), ...attempts(1, 'divisor')]
    const found = jointBeliefs(trials, [divisor, rounding], options)
    expect(found.get('rounding')?.harms).toBeGreaterThan(0.9)
    expect(found.get('divisor')?.harms).toBeLessThan(0.2)
  })

  it('does not blame an edit for harm done by edits for all tasks', () => {
    const trials = [...attempts(0), ...attempts(1, 'divisor'), ...attempts(0, 'divisor', 'global')]
    const spoiled = { ...options, offset: ({ edits }: Trial) => (edits.includes('global') ? -0.6 : 0) }
    const helps = (how: JointOptions) => jointBeliefs(trials, [divisor], how).get('divisor')?.helps ?? 0
    expect(helps(spoiled)).toBeGreaterThan(helps(options) + 0.02)
  })

  it('treats edits that concern other tasks as remedies of another cause, whatever its name', () => {
    const half = (one: TrialEdit, from: number): TrialEdit => ({
      ...one,
      concerned: new Set(tasks.slice(from, from + 5)),
    })
    const [first, second] = [half(rounding, 0), half(vague, 5)]
    const trials = [...attempts(0), ...attempts(0, 'rounding'), ...attempts(1, 'rounding', 'vague').slice(5)]
    const found = jointBeliefs(trials, [first, second], options)
    expect(found.get('rounding')?.helps).toBeLessThan(0.2)
    expect(found.get('vague')?.helps).toBeGreaterThan(0.6)
  })

  it('is deterministic', () => {
    const trials = [...attempts(0), ...attempts(1, 'divisor')]
    expect(jointBeliefs(trials, [divisor], options)).toEqual(jointBeliefs(trials, [divisor], options))
  })
})
