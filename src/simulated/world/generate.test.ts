import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { solve } from './compute.js'
import { type Assignment, conventionIds, conventions } from './conventions.js'
import { generateSplits, quickstartSizes } from './generate.js'
import { conventionsOf, readQuestion } from './question.js'
import { truth } from './truth.js'

describe('the world', () => {
  it('has a truth that is one of the plausible values everywhere', () => {
    for (const id of conventionIds) {
      expect(conventions[id].alternatives).toContain(truth[id])
      expect([...conventions[id].alternatives].sort()).toEqual(conventions[id].alternatives)
    }
  })

  it.each<[string, Partial<Assignment>, string]>([
    ['A parcel measures 40 x 30 x 20 cm and weighs 5.1 kg. What is its chargeable weight?', {}, '6 kg'],
    [
      'A parcel measures 40 x 30 x 20 cm and weighs 6.1 kg. What is its chargeable weight?',
      { 'weight-rounding': 'none' },
      '6.1 kg',
    ],
    [
      'The chargeable weight is 10.0 kg and the rate 2.00 EUR per kg. The customer has a 10% discount; the fuel surcharge stands at 20%. What do we quote?',
      {},
      '22.00 EUR',
    ],
    [
      'The chargeable weight is 10.0 kg and the rate 2.00 EUR per kg. The customer has a 10% discount; the fuel surcharge stands at 20%. What do we quote?',
      { 'fuel-base': 'discounted', 'money-format': '€amount' },
      '€21.60',
    ],
    ['The declared value is 321 EUR. What is the insurance premium?', {}, '4.90 EUR'],
    [
      'A parcel to Dunmere is booked on Friday 2026-03-06 at 16:10 with a 1-business-day service. On which date does it arrive?',
      {},
      '2026-03-09',
    ],
    [
      'A parcel to Dunmere is booked on Friday 2026-03-06 at 14:10 with a 1-business-day service. On which date does it arrive?',
      {},
      '2026-03-07',
    ],
  ])('works out %s (%o)', (text, changes, answer) => {
    const question = readQuestion(text)
    expect(question === undefined ? undefined : solve(question, { ...truth, ...changes }).answer).toBe(answer)
  })

  it('does not read other texts as questions', () => {
    for (const text of [
      'Who wrote Hamlet?',
      'What is 12 x 7 x 3?',
      'Booked on 2026-99-99 at 10:00, 2 business days.',
    ]) {
      expect(readQuestion(text)).toBeUndefined()
    }
  })

  it('generates readable, distinct questions of the stated type, the same for the same seed', () => {
    const { all } = generateSplits({ all: 600 }, 1)
    for (const task of all ?? []) expect(readQuestion(task.question)?.kind, task.question).toBe(task.type)
    expect(new Set(all?.map(task => task.question)).size).toBe(600)
    expect(generateSplits({ all: 600 }, 1)).toEqual({ all })
    expect(generateSplits({ all: 600 }, 2)).not.toEqual({ all })
    expect(new Set(all?.map(task => task.type)).size).toBe(Object.keys(conventionsOf).length)
  })

  it('matches the quickstart example', async () => {
    const folder = new URL('../../../examples/quickstart/tasks/', import.meta.url)
    for (const [split, tasks] of Object.entries(generateSplits(quickstartSizes, 42))) {
      const lines = (await readFile(new URL(`${split}.jsonl`, folder), 'utf8')).trimEnd().split('\n')
      expect(lines.map(line => JSON.parse(line))).toEqual(tasks)
    }
  })
})
