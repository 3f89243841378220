import type { Row } from '../tasks/loading/rows.js'
import type { Columns } from './columns.js'
import { filesOf } from './files.js'
import { type PreparedTask, textOf } from './task.js'

const ownNames = ['id', 'type', 'question', 'answer', 'choices']

/** Converts rows to the format of the `tasks` environment. Fields without a role keep their names. */
export function draftTasks(rows: readonly Row[], columns: Columns, stem: string): PreparedTask[] {
  const digits = String(Math.max(0, ...rows.map(({ number }) => number))).length
  return rows.map(({ fields, at, number }) => {
    const id = columns.id === undefined ? undefined : textOf(fields[columns.id])?.trim()
    const type = columns.type === undefined ? undefined : textOf(fields[columns.type])?.trim()
    const question = textOf(fields[columns.question]) ?? ''
    const answer = columns.answer === undefined ? undefined : fields[columns.answer]
    const choices = choicesOf(fields, columns)
    const drafted = {
      id: id ?? `${stem}-${String(number).padStart(digits, '0')}`,
      ...(type === undefined ? {} : { type }),
      question,
      ...(answer === undefined ? {} : { answer: choices === undefined ? answer : textOf(answer) }),
      ...(choices === undefined ? {} : { choices }),
    }
    return {
      id: drafted.id,
      question: [question, ...filesOf(fields)].join('\n'),
      answer: textOf(answer),
      type,
      fields: { ...drafted, ...otherFields(fields, columns) },
      at,
    }
  })
}

/**
 * Reads the choices of a task. A source has them as a list, as a JSON list in a table cell, or as one column
 * per choice.
 */
function choicesOf(fields: Row['fields'], columns: Columns): readonly unknown[] | undefined {
  if (columns.choices !== undefined) {
    const filled = columns.choices.flatMap(name => textOf(fields[name]) ?? [])
    return filled.length === 0 ? undefined : filled
  }
  for (const value of [fields.choices, fields.options]) {
    if (Array.isArray(value)) return value
    const parsed = typeof value === 'string' ? parsedList(value) : undefined
    if (parsed !== undefined) return parsed
  }
  return undefined
}

function parsedList(text: string): readonly unknown[] | undefined {
  if (!text.trim().startsWith('[')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    // Not JSON: the text only begins like a list.
    return undefined
  }
}

function otherFields(fields: Row['fields'], columns: Columns): Record<string, unknown> {
  const used = new Set([
    columns.question,
    columns.answer,
    columns.type,
    columns.id,
    ...(columns.choices ?? []),
  ])
  const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.length === 0)
  const others = Object.entries(fields).filter(([name, value]) => !used.has(name) && !isEmpty(value))
  return Object.fromEntries(
    others.map(([name, value]) => [ownNames.includes(name) ? `${name}_original` : name, value]),
  )
}
