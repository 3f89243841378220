import { expect, it } from 'vitest'
import { countedColumns, countedText } from './summary-columns.js'

const summary = { hard: 0.5, soft: 0.5, scored: 4, failed: 0 }

it('has no column for what a run does not count', () => {
  expect(countedColumns([summary])).toEqual([])
  expect(countedText({})).toBe('')
})

it('has a column for each thing that is counted, empty where it is not known', () => {
  const counted = { ...summary, reward: 0.75, tokens: 1234.4, ms: 1250 }
  const columns = countedColumns([summary, counted])
  expect(columns.map(({ head }) => head)).toEqual(['accuracy', 'tokens', 'seconds'])
  expect(columns.map(({ cell }) => cell(counted))).toEqual(['50.0%', '1,234', '1.3'])
  expect(columns.map(({ cell }) => cell(summary))).toEqual(['', '', ''])
  expect(countedColumns([{ ...summary, tokens: 0 }]).map(({ head }) => head)).toEqual(['tokens'])
})

it('says what one attempt is counted with', () => {
  expect(countedText({ reward: 0.875, tokens: 1500, ms: 61_040 })).toBe(
    ', reward 87.5%, 1,500 tokens, 61.0 seconds',
  )
  expect(countedText({ tokens: 0 })).toBe(', 0 tokens')
})
