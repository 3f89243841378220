import picocolors from 'picocolors'
import { describe, expect, it } from 'vitest'
import type { Arm, PersonaResult } from '../../experiment/run-persona.js'
import { personaProblem, personaText } from './persona-report.js'

const at = (mean: number) => ({ mean, low: mean - 0.1, high: mean + 0.1 })
const measured = (before: number, after: number) => ({
  tasks: 10,
  attempts: 30,
  before: at(before),
  after: at(after),
  difference: at(after - before),
})
const spoiling = { text: '- Say \u001b[31mnothing.', difference: at(-0.5) }

const arm = (gate: boolean, after: number, change: Partial<Arm> = {}): Arm => ({
  gate,
  nights: [
    {
      number: 1,
      outcome: 'proposed',
      reason: '',
      sessions: 40,
      tasks: { train: 5, val: 3, test: 2 },
      test: { before: at(0.2), after: at(after), tasks: 10 },
      edits: [
        { night: 1, step: 1, text: '- Do.', outcome: 'accepted' },
        { night: 1, step: 2, text: spoiling.text, outcome: gate ? 'rejected' : 'accepted' },
      ],
      calls: 1234,
      tokens: 56_789,
    },
  ],
  learned: '- Do.',
  heldOut: measured(0.1, after),
  control: measured(0.1, after),
  harmful: gate ? { accepted: [], turnedDown: [spoiling] } : { accepted: [spoiling], turnedDown: [] },
  ...change,
})
const result = (...arms: Arm[]): PersonaResult => ({ persona: 'analyst', title: 'An analyst', seed: 1, arms })

describe('what is printed of a persona', () => {
  const text = personaText(result(arm(true, 0.8), arm(false, 0.05)), picocolors.createColors(false))

  it('says that it is simulated, night by night what came of it, and both gates side by side', () => {
    expect(text).toMatch(/^analyst \(simulated\): An analyst\. Seed 1\./)
    expect(text).toMatch(/1 {2}proposed +40 {2}5\/3\/2 +20\.0% \(10\.0% to 30\.0%\) → +1 of 2 +1,234 +56\.8k/)
    expect(text).toContain('(30 attempts): 10.0% → 80.0% (+70.0 points, +60.0 to +80.0)')
    expect(text).toMatch(/^with +80\.0% .* 1 +0$/m)
    expect(text).toMatch(/^without +5\.0% .* 0 +1$/m)
  })

  it('names harmful edits with what they cost, and lets no control character through', () => {
    expect(text).toContain('Rejected edits that do harm by themselves:\n  −50.0 points: - Say nothing.')
    expect(text).not.toContain('\u001b')
  })
})

it('claims nothing of harmful edits where they were not tried, and finds none where there is none', () => {
  const printed = (one: Arm) => personaText(result(one), picocolors.createColors(false))
  const alone = printed(arm(false, 0.05, { harmful: undefined }))
  expect(alone).toContain('Single edits are not tested for harm here')
  expect(alone).not.toContain('does harm by itself')
  expect(printed(arm(true, 0.8))).toContain('No accepted edit does harm by itself.')
})

it('says why a night proposed nothing', () => {
  const [night] = arm(true, 0.8).nights
  if (night === undefined) throw new Error('There is no night.')
  const nights = [night, { ...night, number: 2, outcome: 'nothing-learned', reason: 'It was\nno better.' }]
  const text = personaText(result(arm(true, 0.8, { nights })), picocolors.createColors(false))
  expect(text).toContain('\n\nNight 2: It was no better.\n\n')
  expect(text).not.toContain('Night 1:')
})

describe('what an experiment has to show', () => {
  it('is a gain beyond chance, on both sets of tasks', () => {
    expect(personaProblem(result(arm(true, 0.8)))).toBeUndefined()
    expect(personaProblem(result(arm(true, 0.15)))).toMatch(/^analyst: the score did not improve/)
    const one = arm(true, 0.8, { control: measured(0.5, 0.55) })
    expect(personaProblem(result(one))).toMatch(/did not improve/)
  })

  it('is, of two gates, a harmful edit that was turned down, and damage without it', () => {
    expect(personaProblem(result(arm(true, 0.8), arm(false, 0.05)))).toBeUndefined()
    const harmless = arm(true, 0.8, { harmful: { accepted: [], turnedDown: [] } })
    expect(personaProblem(result(harmless, arm(false, 0.05)))).toMatch(/no harmful edit was proposed/)
    expect(personaProblem(result(arm(true, 0.8), arm(false, 0.9)))).toMatch(/no worse without the gate/)
  })
})
