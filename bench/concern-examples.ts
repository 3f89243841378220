import { fileURLToPath } from 'node:url'
import type { RecordedEdit } from '../src/core/log/event.js'
import { assembleForEvaluation } from '../src/project/assemble.js'
import { loadProject } from '../src/project/load.js'
import { taskTexts } from '../src/trainer/loops/trials/training.js'
import type { TaskText } from '../src/trainer/loops/trials/word-index.js'
import { table } from './table.js'
import { addPairs, type ConcernPairs, noPairs, type SourceName, sourcesOf } from './worlds/concern-sources.js'

/**
 * Compares the sources on the tasks of the bundled benchmarks. The task type is the ground truth: every task
 * that shares its type with others yields an edit with that task as support and the type's name as its
 * cause.
 */

const names = [
  'alfworld',
  'docvqa',
  'gsm8k',
  'ifeval',
  'livemath',
  'officeqa',
  'quickstart',
  'searchqa',
  'spreadsheetbench',
]

/** No model is called: the task type is the ground truth. */
const sources = ['words of cause and condition', 'words of the edit', 'support alone'] satisfies SourceName[]

export interface ExampleRow {
  readonly name: string
  readonly tasks: number
  /** Types with two or more tasks; with fewer than two such types there is no ground truth. */
  readonly types: number
  readonly pairs: Partial<Record<SourceName, ConcernPairs>>
}

export async function exampleRows(): Promise<ExampleRow[]> {
  return Promise.all(names.map(async name => rowOf(name, await textsOf(name))))
}

/** No model is called; simulated models need no key. */
const flags = { 'models.target': 'simulated/target', 'models.optimizer': 'simulated/optimizer' }

async function textsOf(name: string): Promise<readonly TaskText[]> {
  const project = fileURLToPath(new URL(`../examples/${name}`, import.meta.url))
  const setup = await assembleForEvaluation(await loadProject({ project, env: {}, flags }))
  const { train, val, test } = setup.tasks
  // The examples are small, so all their splits are used together.
  return taskTexts(setup, [...train, ...val, ...test])
}

function rowOf(name: string, tasks: readonly TaskText[]): ExampleRow {
  const types = [...new Set(tasks.map(({ type }) => type))]
    .map(type => [type, tasks.filter(task => task.type === type)] as const)
    .filter(([type, own]) => type !== '' && own.length > 1)
  const pairs: Partial<Record<SourceName, ConcernPairs>> = {}
  const saidBy = sourcesOf(tasks)
  for (const [type, own] of types.length > 1 ? types : []) {
    const truth = new Set(own.map(({ id }) => id))
    for (const { id } of own)
      for (const [source, said] of saidBy(editFor(type, id)))
        pairs[source] = addPairs(pairs[source] ?? noPairs, said, truth)
  }
  return { name, tasks: tasks.length, types: types.length, pairs }
}

function editFor(type: string, task: string): RecordedEdit {
  const cause = type.replaceAll(/[_-]+/g, ' ')
  const content = `- Take care with tasks of the kind ${cause}.`
  return { op: 'append', content, id: 'e', why: '', support: 1, from: 'failure', tasks: [task], cause }
}

export function exampleTable(rows: readonly ExampleRow[]): string {
  const share = (part: number, whole: number) => (whole === 0 ? '–' : `${Math.round((100 * part) / whole)}%`)
  return table(
    ['example', 'tasks', 'types', ...sources],
    rows.map(({ name, tasks, types, pairs }) => [
      name,
      tasks,
      types > 1 ? types : 'too few: no truth',
      ...sources.map(source => {
        const { said, true: truth, both } = pairs[source] ?? noPairs
        return truth === 0 ? '–' : `${share(both, said)} / ${share(both, truth)}`
      }),
    ]),
  )
}
