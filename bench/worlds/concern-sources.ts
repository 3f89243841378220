import type { RecordedEdit } from '../../src/core/log/event.js'
import {
  createConcern,
  editWords,
  sameType,
  statedWords,
  supportTasks,
} from '../../src/trainer/loops/trials/concern.js'
import { createWordIndex, type TaskText } from '../../src/trainer/loops/trials/word-index.js'

/** Every method to predict which tasks an edit concerns. */

export const sourceNames = [
  'words of cause and condition',
  'words of the edit',
  'task type',
  'support alone',
  'all sources without asking',
  'classification',
  'classification where it proves right',
] as const
export type SourceName = (typeof sourceNames)[number]

/** Pairs of an edit and a task: predicted as concerned, truly concerned, both. */
export interface ConcernPairs {
  readonly said: number
  readonly true: number
  readonly both: number
}

export const noPairs: ConcernPairs = { said: 0, true: 0, both: 0 }

export function addPairs(
  pairs: ConcernPairs,
  said: ReadonlySet<string>,
  truth: ReadonlySet<string>,
): ConcernPairs {
  const both = [...said].filter(id => truth.has(id)).length
  return { said: pairs.said + said.size, true: pairs.true + truth.size, both: pairs.both + both }
}

export function joinPairs(one: ConcernPairs, other: ConcernPairs): ConcernPairs {
  return { said: one.said + other.said, true: one.true + other.true, both: one.both + other.both }
}

/** Each source's prediction for an edit; the optimizer's classification only if it was asked. */
export function sourcesOf(tasks: readonly TaskText[]) {
  const words = createWordIndex(tasks)
  const concern = createConcern(tasks, words)
  return (edit: RecordedEdit, named?: ReadonlySet<string>): [SourceName, ReadonlySet<string>][] => [
    ['words of cause and condition', statedWords(words, edit).near],
    ['words of the edit', editWords(words, edit).near],
    ['task type', sameType(tasks, edit)],
    ['support alone', supportTasks(tasks, edit)],
    ['all sources without asking', concern(edit)],
    ...(named === undefined
      ? []
      : ([
          ['classification', named],
          ['classification where it proves right', concern(edit, named)],
        ] satisfies [SourceName, ReadonlySet<string>][])),
  ]
}
