import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { diceOf } from '../random.js'
import { lessonsIn } from './index.js'
import { solver } from './spreadsheetbench.js'

type LessonId = keyof typeof solver.lessons
const lessonIds = Object.keys(solver.lessons) as LessonId[]
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

describe('what the simulated models know of spreadsheets', () => {
  it.each(lessonIds)('%s is told from the other lessons, in every wording', id => {
    for (const wording of solver.lessons[id].wordings) {
      expect([wording, ...lessonsIn(solver, wording)]).toEqual([wording, id])
    }
  })

  it.each([
    '../../tasks/benchmarks/spreadsheetbench/seed-skill.md',
    '../../../examples/spreadsheetbench/SKILL.md',
  ])('finds no lesson in %s', path => expect([...lessonsIn(solver, read(path))]).toEqual([]))

  it('leaves other work alone, and gives up what it does not understand', () => {
    const request = (content: string) => ({ model: 'target', messages: [{ role: 'user', content }] })
    expect(solver.recognises(request('Instruction: add 1 and 1'))).toBe(false)
    const odd = request(
      'Instruction:\nMake it nice.\n\nWorkbook:\nSheet "A": values in A1:A1\n|  | A |\n| 1 | x |\n\nAnswer position: A1',
    )
    expect(solver.recognises(odd)).toBe(true)
    expect(solver.act(odd, () => true, diceOf('x')).content).toBe('DONE')
  })
})
