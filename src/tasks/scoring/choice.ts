import { z } from 'zod'
import { splitWords } from './python-text.js'
import { defineScorer, type Fields, quote, verdict } from './scorer.js'

const labelled = z.object({ label: z.string(), text: z.string() })
const choicesSchema = z.union([z.array(z.string()).min(2), z.array(labelled).min(2)])

interface Choice {
  readonly label: string
  readonly text: string
}

/** Multiple choice: the answer gives a choice's label or its text. `choices` are texts or `{label, text}`. */
export const scorer = defineScorer({
  id: 'choice',
  options: {
    field: z
      .string()
      .default('answer')
      .describe('The task field with the right label, or the right choice in full.'),
  },
  fields: ({ field }) => ['choices', field],
  problem(task, { field }) {
    const choices = choicesOf(task)
    if (choices === undefined) return 'has no list of at least two texts in "choices"'
    if (new Set(choices.map(({ label }) => label.toUpperCase())).size < choices.length) {
      return 'has two choices with the same label'
    }
    if (rightChoice(task, field) === undefined) {
      return `has an answer in "${field}" that is neither a label nor one of its choices`
    }
    return undefined
  },
  promptNote: task => (choicesOf(task) ?? []).map(({ label, text }) => `${label}. ${text}`).join('\n'),
  score({ task, answer, options: { field } }) {
    const right = rightChoice(task, field)
    const chosen = findChoice(choicesOf(task) ?? [], answer)
    const correct = right !== undefined && chosen?.label === right.label
    const shown = chosen === undefined ? (answer === '' ? 'no answer' : quote(answer)) : show(chosen)
    const wanted = right === undefined ? 'one of the choices' : show(right)
    return verdict(correct, correct ? `Correct: ${shown}.` : `Expected ${wanted}; got ${shown}.`)
  },
})

function choicesOf(task: Fields): readonly Choice[] | undefined {
  const parsed = choicesSchema.safeParse(task.choices)
  if (!parsed.success) return undefined
  return parsed.data.map((choice, index) =>
    typeof choice === 'string' ? { label: String.fromCharCode(65 + index), text: choice } : choice,
  )
}

function rightChoice(task: Fields, field: string): Choice | undefined {
  const right = task[field]
  return typeof right === 'string' ? findChoice(choicesOf(task) ?? [], right) : undefined
}

/** Finds a choice by its label alone, by its text, or by a label at the start ("B) because"). */
function findChoice(choices: readonly Choice[], answer: string): Choice | undefined {
  const words = splitWords(answer)
  const withLabel = (text: string) => {
    const label = text
      .replace(/^\(/, '')
      .replace(/[.):]+$/, '')
      .toUpperCase()
    return choices.find(choice => choice.label.toUpperCase() === label)
  }
  const whole = words.join(' ').toLowerCase()
  return (
    withLabel(words.join(' ')) ??
    choices.find(choice => splitWords(choice.text).join(' ').toLowerCase() === whole) ??
    withLabel(words[0] ?? '')
  )
}

function show({ label, text }: Choice): string {
  return `${label} (${quote(text)})`
}
