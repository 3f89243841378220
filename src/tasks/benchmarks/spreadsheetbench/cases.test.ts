import { describe, expect, it } from 'vitest'
import { findCases } from './cases.js'

describe('the cases of a task', () => {
  it('are found under each of the three names', () => {
    expect(findCases(['1_7_input.xlsx', '1_7_answer.xlsx'], '7')).toEqual({
      cases: [{ number: '1', input: '1_7_input.xlsx', gold: '1_7_answer.xlsx' }],
    })
    expect(findCases(['1_7-2_golden.xlsx', '1_7-2_init.xlsx', 'prompt.txt'], '7-2')).toEqual({
      cases: [{ number: '1', input: '1_7-2_init.xlsx', gold: '1_7-2_golden.xlsx' }],
    })
    expect(findCases(['golden.xlsx', 'initial.xlsx'], '7')).toEqual({
      cases: [{ number: '1', input: 'initial.xlsx', gold: 'golden.xlsx' }],
    })
  })

  it('are in the order of their numbers', () => {
    const names = ['10', '2', '1'].flatMap(number => [`${number}_7_input.xlsx`, `${number}_7_answer.xlsx`])
    const found = findCases(names, '7')
    expect('cases' in found && found.cases.map(({ number }) => number)).toEqual(['1', '2', '10'])
  })

  it('take an answer with a wrong id where the number leaves no choice', () => {
    expect(findCases(['1_42930_init.xlsx', '1_43930_golden.xlsx'], '42930')).toMatchObject({
      cases: [{ gold: '1_43930_golden.xlsx' }],
    })
    expect(findCases(['1_7_init.xlsx', '1_8_golden.xlsx', '1_9_golden.xlsx'], '7')).toEqual({
      problem: 'has 1_7_init.xlsx, but not 1_7_golden.xlsx',
    })
    expect(findCases(['1_7_init.xlsx', '1_8_golden.xlsx', '1_7_golden.xlsx'], '7')).toMatchObject({
      cases: [{ gold: '1_7_golden.xlsx' }],
    })
  })

  it('are reported when missing', () => {
    expect(findCases(['1_7_input.xlsx', '1_7_answer.xlsx', '2_7_input.xlsx'], '7')).toEqual({
      problem: 'has 2_7_input.xlsx, but not 2_7_answer.xlsx',
    })
    expect(findCases(['initial.xlsx'], '7')).toEqual({ problem: 'has no file golden.xlsx' })
    expect(findCases(['~$1_7_input.xlsx'], '7')).toEqual({
      problem: 'has no input such as 1_7_input.xlsx, 1_7_init.xlsx or initial.xlsx',
    })
  })
})
