import { expect, it } from 'vitest'
import { z } from 'zod'
import { itemProblems } from './item-problems.js'

const schema = z
  .object({
    id: z.union([z.string(), z.number()]),
    question: z.string().min(1),
    answers: z.array(z.string()).min(1),
    level: z.enum(['easy', 'hard']).optional(),
    mcq: z.object({ choices: z.array(z.object({ label: z.string() })) }).optional(),
  })
  .refine(({ id }) => id !== 'bad', { message: 'the id is bad' })

const good = { id: 1, question: 'Q?', answers: ['a'] }

it.each([
  [{ question: 'Q?', answers: ['a'] }, 'there is no "id"'],
  [{ id: 1, question: 7, answers: 'a' }, '"question" is not a text; "answers" is not a list'],
  [{ ...good, question: '', answers: [] }, '"question" is empty; "answers" is empty'],
  [{ ...good, answers: ['a', null] }, '"answers.1" is not a text'],
  [{ ...good, mcq: { choices: [{ label: 'A' }, {}] } }, 'there is no "mcq.choices.1.label"'],
  [{ ...good, id: true }, '"id" cannot be used: Invalid input'],
  [{ ...good, level: 'so-so' }, '"level" cannot be used: Invalid option: expected one of "easy"|"hard"'],
  [{ ...good, id: 'bad' }, 'the id is bad'],
])('%j: %s', (fields, said) => {
  const { error } = schema.safeParse(fields)
  expect(error === undefined ? undefined : itemProblems(error, fields)).toBe(said)
})
