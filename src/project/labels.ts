import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InputError, messageOf } from '../core/errors/errors.js'
import type { Task } from '../core/task/task.js'
import { nearest } from '../core/text/nearest.js'
import { type Row, readRows } from '../tasks/loading/rows.js'
import type { Labelled } from '../trainer/loops/judge-agreement.js'

/** Reads human-labelled answers from a CSV or JSONL file with the columns `task`, `answer` and `label`. */
export async function readLabels(
  file: string,
  cwd: string,
  tasks: readonly Task[],
): Promise<readonly Labelled[]> {
  const path = resolve(cwd, file)
  await access(path).catch((error: unknown) => {
    throw new InputError(`Cannot read the labels ${path}: ${messageOf(error)}.`, { cause: error })
  })
  const rows = await readRows(path)
  if (rows.length === 0) {
    throw new InputError(`${file} has no rows.`, { hint: 'Each row needs `task`, `answer` and `label`.' })
  }
  const byId = new Map(tasks.map(task => [task.id, task]))
  const seen = new Map<string, string>()
  return rows.map(row => {
    const read = readLabel(row, byId)
    const key = JSON.stringify([read.task.id, read.answer])
    const before = seen.get(key)
    if (before !== undefined) {
      throw new InputError(`${row.at} repeats the answer of ${before}.`, { hint: 'Keep one of them.' })
    }
    seen.set(key, row.at)
    return read
  })
}

function readLabel({ fields, at }: Row, tasks: ReadonlyMap<string, Task>): Labelled {
  const missing = ['task', 'answer', 'label'].find(name => fields[name] === undefined)
  if (missing !== undefined) {
    throw new InputError(`${at} has no "${missing}".`, {
      hint: `Each row needs \`task\` (its id), \`answer\` and \`label\` (0 to 1); this one has ${Object.keys(fields).join(', ')}.`,
    })
  }
  const id = String(fields.task).trim()
  const task = tasks.get(id)
  if (task === undefined) {
    const near = nearest(id, [...tasks.keys()])
    throw new InputError(`${at}: the project has no task "${id}".`, {
      hint: near === undefined ? 'Its `task` must be the id of a task.' : `Did you mean "${near}"?`,
    })
  }
  if (typeof fields.answer !== 'string' || fields.answer.trim() === '') {
    throw new InputError(`${at} has no text in "answer".`, { hint: 'Write the answer as text.' })
  }
  return { task, answer: fields.answer, label: labelOf(fields.label, at) }
}

function labelOf(value: unknown, at: string): number {
  const words: Record<string, number> = { true: 1, false: 0, pass: 1, fail: 0 }
  const text = String(value).trim().toLowerCase()
  const label = words[text] ?? (text === '' ? Number.NaN : Number(text))
  if (label >= 0 && label <= 1) return label
  throw new InputError(`${at} has an invalid label "${String(value)}".`, {
    hint: 'A label is a number from 0 (wrong) to 1 (right), or true, false, pass, fail.',
  })
}
