import { exitCodes } from '../../../core/errors/errors.js'
import {
  type SleepTask,
  scoredBy,
  type TaskBook,
  type TaskSplit,
  taskSplits,
} from '../../../sleep/model/sleep-task.js'
import { fit, oneLine, plural, table } from '../../output/text.js'
import { type Io, printLine } from '../../terminal/io.js'
import { openBook, printSafeJson, type SleepFlags } from './book.js'

export interface ListFlags extends SleepFlags {
  readonly split?: TaskSplit | undefined
  readonly dropped?: true | undefined
}

/** Whether a task belongs to a split. A divided task belongs to the split of each of its examples. */
const isIn = ({ split, examples }: SleepTask, wanted: TaskSplit): boolean =>
  split === wanted || (split === 'divided' && examples.some(example => example.split === wanted))

export async function listTasks(io: Io, flags: ListFlags): Promise<number> {
  const book = await openBook(io, flags)
  const all = flags.dropped === true ? book.dropped.map(({ task }) => task) : book.tasks
  const tasks = all
    .filter(task => flags.split === undefined || isIn(task, flags.split))
    .toSorted((left, right) => right.evidence.score - left.evidence.score)
  if (flags.json === true) {
    const { project, harvestedAt = null, dropped } = book
    printSafeJson(io, { project, harvestedAt, tasks: tasks.map(summaryOf), dropped: dropped.length })
    return exitCodes.ok
  }
  if (tasks.length === 0) {
    printLine(io, emptyText(book, flags))
    return exitCodes.ok
  }
  printTable(io, tasks)
  printLine(io, `\n${countsText(tasks, flags.dropped === true)}${droppedText(book, flags)}`)
  if (flags.dropped === true) return exitCodes.ok
  const unread = tasks.filter(({ reviewed }) => !reviewed).length
  if (unread > 0) {
    const are = unread === 1 ? '1 is not reviewed' : `${unread} are not reviewed`
    printLine(io, `${are}: \`skillopt sleep tasks export tasks.yaml\` writes a file to read and correct.`)
  }
  return exitCodes.ok
}

/** Prints the tasks. The intent gets its own line, because it does not fit beside the figures. */
function printTable(io: Io, tasks: readonly SleepTask[]): void {
  const { colors } = io
  const rows = tasks.map(task => {
    const by = scoredBy(task)
    const { occasions, days, reworked } = task.evidence
    return [
      task.id,
      task.split,
      String(occasions),
      String(days),
      String(reworked),
      by === 'nothing' ? colors.yellow(by) : by,
      oneLine(task.writtenBy),
      task.reviewed ? 'yes' : 'no',
    ]
  })
  const head = ['task', 'split', 'times', 'days', 'reworked', 'scored by', 'written by', 'reviewed']
  const [title = '', ...lines] = table(head, rows, { colors, right: [2, 3, 4] }).split('\n')
  printLine(io, title)
  const width = (io.stdout.columns ?? 120) - 2
  for (const [index, line] of lines.entries()) {
    printLine(io, line)
    printLine(io, colors.dim(`  ${fit(oneLine(tasks[index]?.intent ?? ''), width)}`))
  }
}

function countsText(tasks: readonly SleepTask[], areDropped: boolean): string {
  const parts = taskSplits.flatMap(split => {
    const number = tasks.filter(task => task.split === split).length
    return number === 0 ? [] : [`${number} ${split}`]
  })
  return `${plural(tasks.length, areDropped ? 'dropped task' : 'task')}: ${parts.join(', ')}`
}

function droppedText({ dropped }: TaskBook, flags: ListFlags): string {
  return dropped.length === 0 || flags.dropped === true ? '' : ` · ${dropped.length} dropped`
}

function emptyText({ project, tasks, dropped }: TaskBook, flags: ListFlags): string {
  if (flags.dropped === true) return 'No task was dropped.'
  if (tasks.length > 0) return `None of the ${plural(tasks.length, 'task')} is in ${flags.split}.`
  const but =
    dropped.length === 0 ? '' : ` ${dropped.length} were dropped: \`skillopt sleep tasks list --dropped\`.`
  return `No tasks yet for ${oneLine(project)}. \`skillopt sleep harvest\` finds tasks in your transcripts.${but}`
}

export function summaryOf(task: SleepTask) {
  const { id, intent, split, origin, family, writtenBy, reviewed, skill = null, evidence } = task
  const { requests, occasions, days, projects, reworked, score } = evidence
  return {
    id,
    intent,
    split,
    origin,
    family,
    scoredBy: scoredBy(task),
    writtenBy,
    reviewed,
    skill,
    evidence: { requests, occasions, days, projects, reworked, score },
  }
}
