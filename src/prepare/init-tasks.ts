import { join, relative } from 'node:path'
import { InputError } from '../core/errors/errors.js'
import { type SplitCounts, splitCounts } from '../core/statistics/random.js'
import type { Split } from '../core/task/task.js'
import { plural } from '../core/text/format.js'
import type { GivenColumns } from './columns.js'
import { divideTasks, wantedCounts } from './divide.js'
import { filesOf, withFilesFrom } from './files.js'
import { suggestedRatio } from './how-many.js'
import { type NewFile, serialiseTasks, splitFiles } from './output.js'
import { type Draft, readDraft, readSplitFolder, type SplitFolder } from './read.js'
import type { ScorerSuggestion } from './scorer.js'
import { starterTasks, type TasksPlace } from './starter.js'

/** Tasks of a new project: where they are, and which files to write. */
export interface InitTasks {
  readonly state: 'divided' | 'found' | 'too-few' | 'examples'
  readonly place: TasksPlace
  readonly scorer: ScorerSuggestion
  readonly counts: SplitCounts
  readonly files: readonly NewFile[]
  /** An example task that the user can try. */
  readonly first: string | undefined
}

const seed = 42
/** At least one task for each split. */
const fewestToDivide = 3

/** Reads tasks from a table or a folder and divides them into split files below the project. */
export async function tasksFrom(
  source: string,
  folder: string,
  given: { readonly shownAs: string; readonly columns: GivenColumns },
): Promise<InitTasks> {
  const { shownAs } = given
  const draft = await readDraft(source, given)
  refuseUnusable(draft, shownAs)
  const { tasks, scorer } = draft
  const ratio = suggestedRatio(tasks.length)
  const first = tasks[0]?.id
  if (tasks.length < fewestToDivide) {
    const file = join(folder, 'tasks.jsonl')
    const fields = tasks.map(task => withFilesFrom(task.fields, draft.folder, folder))
    const files = file === source ? [] : [{ file, content: serialiseTasks(fields, file) }]
    const place = { path: 'tasks.jsonl', ratio }
    return { state: 'too-few', place, scorer, counts: splitCounts(tasks.length, ratio), files, first }
  }
  const division = divideTasks(tasks, wantedCounts(tasks.length, { ratio }), seed)
  const to = taskFolder(draft, folder)
  const files = splitFiles(division, { from: draft.folder, to })
  const within = (split: Split) => slashed(relative(folder, join(to, `${split}.jsonl`)))
  const place = { train: within('train'), val: within('val'), test: within('test') }
  const counts = { train: division.train.length, val: division.val.length, test: division.test.length }
  return { state: 'divided', place, scorer, counts, files, first }
}

/** Chooses the folder for the tasks file. It must be above the files to which the tasks refer. */
function taskFolder({ tasks, folder: source }: Draft, folder: string): string {
  const isInside = !slashed(relative(folder, source)).startsWith('..')
  const hasFiles = tasks.some(({ fields }) => filesOf(fields).length > 0)
  return hasFiles && isInside ? source : join(folder, 'tasks')
}

const slashed = (path: string) => path.replaceAll('\\', '/')

/** Uses the split files that already exist in the project, without changing them. */
export async function tasksInPlace(splits: SplitFolder, folder: string): Promise<InitTasks> {
  const { splits: read, scorer } = await readSplitFolder(splits, folder, undefined)
  const within = Object.entries(splits).map(([key, path]) => [key, slashed(relative(folder, path))])
  return {
    state: 'found',
    place: Object.fromEntries(within) as TasksPlace,
    scorer: { scorer: scorer.scorer, reason: scorer.reason ?? '' },
    counts: { train: read.train.length, val: read.val.length, test: read.test.length },
    files: [],
    first: read.train[0]?.id,
  }
}

/** Returns example tasks that show the format. Used if no tasks were found. */
export function exampleTasks(folder: string): InitTasks {
  const ratio = suggestedRatio(starterTasks.length)
  const file = join(folder, 'tasks.jsonl')
  return {
    state: 'examples',
    place: { path: 'tasks.jsonl', ratio },
    scorer: { scorer: 'exact', reason: 'the answer is one of a few words' },
    counts: splitCounts(starterTasks.length, ratio),
    files: [{ file, content: serialiseTasks(starterTasks, file) }],
    first: starterTasks[0]?.id,
  }
}

function refuseUnusable({ problems }: Draft, shownAs: string): void {
  if (problems.length === 0) return
  const shown = problems.slice(0, 3).map(problem => `\n  - ${problem}`)
  const more = problems.length > shown.length ? `\n  and ${problems.length - shown.length} more` : ''
  throw new InputError(
    `${shownAs}: ${plural(problems.length, 'task')} cannot be used:${shown.join('')}${more}`,
    {
      hint: `Correct them (\`skillopt tasks check ${shownAs}\` lists all), or draft a file first: \`skillopt tasks draft ${shownAs}\`.`,
    },
  )
}
