import { expect, it } from 'vitest'
import { trajectoriesIn } from './sections.js'

it('separates an attempt from the better one shown with it', () => {
  const text = [
    '<trajectories>',
    '<trajectory number="1" type="" result="failed" hard="0" soft="0">',
    '[user]\nHow much?',
    '[assistant]\nfour',
    '[feedback]\nExpected "five".',
    '<better_attempt result="passed" hard="1" soft="1">',
    '[assistant]\nfive',
    '[feedback]\nRight.',
    '</better_attempt>',
    '</trajectory>',
    '</trajectories>',
  ].join('\n')
  const [own, ...others] = trajectoriesIn(text)
  expect(own).toMatchObject({
    passed: false,
    question: 'How much?',
    reply: 'four',
    feedback: 'Expected "five".',
  })
  expect(own?.whole).not.toContain('Right.')
  expect(others).toEqual([])
})
