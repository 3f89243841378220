import { expect } from 'vitest'
import { z } from 'zod'
import { testVectors } from '../../../../test/vectors.js'
import { chosenLabel } from './choices.js'

const vector = z.object({
  text: z.string(),
  choices: z.array(z.object({ label: z.string(), text: z.string() })),
  correct: z.string(),
  label: z.string(),
  hard: z.number(),
})

testVectors('livemath', vector, ({ text, choices, correct, label, hard }) => {
  const chosen = chosenLabel(text, choices)
  expect(chosen).toBe(label)
  expect(chosen === correct ? 1 : 0).toBe(hard)
})
