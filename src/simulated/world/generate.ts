import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'
import { diceOf } from '../random.js'
import { solve } from './compute.js'
import { conventionsOf, type QuestionKind, readQuestion } from './question.js'
import { writeQuestion } from './templates.js'
import { truth } from './truth.js'

/** Writes task files with answers according to the company's conventions: `generate <folder> [seed]`. */

export interface GeneratedTask {
  readonly id: string
  readonly type: QuestionKind
  readonly question: string
  readonly answer: string
}

export type SplitSizes = Readonly<Record<string, number>>

export const quickstartSizes: SplitSizes = { train: 60, val: 50, test: 120 }

/** Generates the tasks of all splits. The same seed gives the same tasks, and no question occurs twice. */
export function generateSplits(sizes: SplitSizes, seed: number): Record<string, GeneratedTask[]> {
  const dice = diceOf('tasks', seed)
  const kinds = Object.keys(conventionsOf) as QuestionKind[]
  const seen = new Set<string>()
  const splits: Record<string, GeneratedTask[]> = {}
  for (const [split, size] of Object.entries(sizes)) {
    const tasks: GeneratedTask[] = []
    while (tasks.length < size) {
      const type = kinds[tasks.length % kinds.length] as QuestionKind
      const question = writeQuestion(type, dice)
      if (seen.has(question)) continue
      seen.add(question)
      const id = `${split}-${String(tasks.length + 1).padStart(3, '0')}`
      tasks.push({ id, type, question, answer: answerTo(question) })
    }
    splits[split] = tasks
  }
  return splits
}

function answerTo(question: string): string {
  const read = readQuestion(question)
  if (read === undefined) throw new Error(`task generator: its own question cannot be read: ${question}`)
  return solve(read, truth).answer
}

async function main(folder: string, seed: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [split, tasks] of Object.entries(generateSplits(quickstartSizes, seed))) {
    await writeFile(join(folder, `${split}.jsonl`), tasks.map(task => `${JSON.stringify(task)}\n`).join(''))
  }
}

const [, script, folder, seed] = argv
if (script !== undefined && import.meta.url === pathToFileURL(script).href) {
  if (folder === undefined) throw new Error('task generator: name the folder to write to')
  await main(folder, Number(seed ?? 42))
}
