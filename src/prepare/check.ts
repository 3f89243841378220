import type { SplitCounts } from '../core/statistics/random.js'
import type { Split } from '../core/task/task.js'
import { count, plural } from '../core/text/format.js'
import { findDuplicates } from './duplicates.js'
import { fewestTasks, missingTasks, type Sight, sightOf } from './how-many.js'
import { type Label, labelsOf } from './scorer.js'
import { canonical, type PreparedTask } from './task.js'

/**
 * `problem` prevents training from starting, `warning` means that its scores are less reliable, and `note` is
 * for information.
 */
export interface Finding {
  readonly level: 'problem' | 'warning' | 'note'
  readonly text: string
  readonly hint?: string
  /** Ids of the tasks with this problem. */
  readonly tasks: readonly string[]
}

export interface TasksReport {
  readonly counts: SplitCounts
  readonly findings: readonly Finding[]
  readonly labels: readonly Label[] | undefined
  readonly types: readonly Label[]
  readonly sight: Sight
}

export type PreparedSplits = Readonly<Record<Split, readonly PreparedTask[]>>

/**
 * Runs all checks of tasks that need no model call. For a file that is not divided yet, `planned` holds the
 * future size of each split.
 */
export function checkTasks(splits: PreparedSplits, planned?: SplitCounts): TasksReport {
  const all = [...splits.train, ...splits.val, ...splits.test]
  const counts = planned ?? {
    train: splits.train.length,
    val: splits.val.length,
    test: splits.test.length,
  }
  const labels = labelsOf(all)
  return {
    counts,
    findings: [
      ...repeatedIds(all),
      ...duplicateFindings(all, splits),
      ...leakedAnswers(all, labels),
      ...balance(labels, all.length),
      ...sizes(all.length, counts),
    ],
    labels,
    types: typesOf(all),
    sight: sightOf(counts),
  }
}

function repeatedIds(tasks: readonly PreparedTask[]): Finding[] {
  const seen = new Set<string>()
  const repeated = new Set(tasks.map(({ id }) => id).filter(id => seen.size === seen.add(id).size))
  return finding('problem', [...repeated], {
    text: `ids used more than once: ${count(repeated.size)}`,
    hint: 'Give every task its own id.',
  })
}

function duplicateFindings(tasks: readonly PreparedTask[], splits: PreparedSplits): Finding[] {
  const splitOf = new Map(
    (['train', 'val', 'test'] as const).flatMap(split => splits[split].map(task => [task, split] as const)),
  )
  const crosses = (group: readonly PreparedTask[]) => new Set(group.map(task => splitOf.get(task))).size > 1
  const found = findDuplicates(tasks)
  const exact = found.exact.map(({ of, task }) => [of, task])
  const near = found.near.map(({ of, task }) => [of, task])
  const leaks = [...exact, ...found.conflicts].filter(crosses)
  const within = exact.filter(group => !crosses(group))
  const nearLeaks = near.filter(crosses)
  const nearWithin = near.filter(group => !crosses(group))
  return [
    ...finding('problem', leaks.map(shownGroup), {
      text: `${plural(leaks.length, 'task')} repeated in another split: held-out scores would be measured on training tasks`,
      hint: 'Remove them, or split the tasks again with `skillopt tasks split`.',
    }),
    ...finding('warning', found.conflicts.map(shownGroup), {
      text: `${plural(found.conflicts.length, 'question')} with different answers`,
      hint: 'At most one of them can be right: correct or remove the others.',
    }),
    ...finding('warning', within.map(shownGroup), {
      text: `${plural(within.length, 'exact duplicate')}`,
      hint: '`skillopt tasks dedupe` removes them.',
    }),
    ...finding('warning', nearLeaks.map(shownGroup), {
      text: `${plural(nearLeaks.length, 'near-duplicate')} in another split`,
      hint: '`skillopt tasks split` keeps such tasks together; `skillopt tasks dedupe --near` removes them.',
    }),
    ...finding('warning', nearWithin.map(shownGroup), {
      text: `${plural(nearWithin.length, 'near-duplicate')}`,
      hint: '`skillopt tasks dedupe --near` removes them.',
    }),
  ]
}

/** Returns a finding; none if no task is affected. */
function finding(
  level: Finding['level'],
  tasks: readonly string[],
  said: { readonly text: string; readonly hint: string },
): Finding[] {
  return tasks.length === 0 ? [] : [{ level, ...said, tasks }]
}

const shownGroup = (group: readonly PreparedTask[]) => group.map(({ id }) => id).join(' = ')

/** Shorter answers may appear in a question by chance, and labels appear there on purpose. */
const shortestLeak = 8

function leakedAnswers(tasks: readonly PreparedTask[], labels: readonly Label[] | undefined): Finding[] {
  if (labels !== undefined) return []
  const leaked = tasks.filter(({ question, answer }) => {
    const wanted = canonical(answer ?? '')
    return wanted.length >= shortestLeak && ` ${canonical(question)} `.includes(wanted)
  })
  const most = leaked.length > tasks.length / 2
  return finding(
    most ? 'note' : 'warning',
    leaked.map(({ id }) => id),
    {
      text: `${plural(leaked.length, 'task')} with the answer in the question`,
      hint: most
        ? 'Fine if the task is to find the answer in a text.'
        : 'If the task is not to find it there, reword the question.',
    },
  )
}

/** If one answer has at least this share, always giving that answer looks like skill. */
const lopsided = 0.6

function balance(labels: readonly Label[] | undefined, total: number): Finding[] {
  const [first] = labels ?? []
  if (first === undefined) return []
  if (labels?.length === 1) {
    return [
      {
        level: 'warning',
        text: `every task has the same answer, "${first.label}"`,
        hint: 'A skill that always gives this answer scores 100%: add tasks with other answers.',
        tasks: [],
      },
    ]
  }
  const share = first.count / total
  if (share < lopsided) return []
  return [
    {
      level: 'warning',
      text: `${Math.round(100 * share)}% of the answers are "${first.label}": always answering so scores as much`,
      hint: 'Add tasks with other answers, or remove some of these.',
      tasks: [],
    },
  ]
}

function sizes(total: number, counts: SplitCounts): Finding[] {
  if (total < fewestTasks) {
    return [
      {
        level: 'warning',
        text: `only ${plural(total, 'task')}: below ${fewestTasks}, look at single attempts (\`skillopt try\`) rather than scores`,
        hint: 'See docs/how-many-tasks.md.',
        tasks: [],
      },
    ]
  }
  const missing = missingTasks(counts)
  if (missing === undefined) return []
  return [{ level: 'note', text: `better: ${missing}`, tasks: [] }]
}

function typesOf(tasks: readonly PreparedTask[]): Label[] {
  const counts = new Map<string, number>()
  for (const { type } of tasks) if (type !== undefined) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts]
    .map(([label, count]) => ({ label, count }))
    .sort((left, right) => right.count - left.count)
}
