import type { EventBody, Place, RecordedEdit } from '../../../core/log/event.js'
import { classifyTasks } from '../../stages/classify.js'
import { type ConcernedByCause, statedWords } from './concern.js'
import { causeOf } from './pool.js'
import type { TrialTraining } from './training.js'
import type { TrialState } from './trial-state.js'
import type { WordIndex } from './word-index.js'

/**
 * Word matching counts as failing if a smaller share of the support tasks has a word in common with their
 * proposal.
 */
const leastShared = 0.75

/** Prior mean of that share, and the weight of the prior in tasks. */
const expectedShared = 0.75
const expectation = 4

/**
 * Asks the optimizer which tasks the proposals' new causes concern, if the config enables it. No cause is
 * asked about twice.
 */
export async function classifyProposals(
  { run, setup, texts, words }: TrialTraining,
  { pool, classified }: Pick<TrialState, 'pool' | 'classified'>,
  { proposed, place }: { readonly proposed: readonly RecordedEdit[]; readonly place: Place },
): Promise<ConcernedByCause> {
  const { classify } = setup.config.trials
  const edits = firstOfCauses(proposed).filter(edit => !classified.has(causeOf(edit)))
  const seen = [...pool.edits.map(({ edit }) => edit), ...proposed]
  const isAsked = classify === 'always' || (classify === 'when-words-fail' && doWordsFail(words, seen))
  if (!isAsked || edits.length === 0) return new Map()
  const { prompts } = setup
  return concernedByCause(await classifyTasks(run, { edits, tasks: texts, prompts }, place), texts)
}

/** The tasks that a recorded classification names, by cause. */
export function concernedByCause(
  { causes }: Pick<EventBody<'trials.classified'>, 'causes'>,
  tasks: readonly { readonly id: string }[],
): ConcernedByCause {
  return new Map(
    causes.map(({ cause, all, tasks: named }) => [
      causeOf({ cause, id: '' }),
      new Set(all ? tasks.map(({ id }) => id) : named),
    ]),
  )
}

/**
 * Whether word matching on causes and conditions misses too many tasks. An edit certainly concerns its
 * support tasks, so the share of them that word matching finds estimates its recall.
 */
export function doWordsFail(words: WordIndex, edits: readonly RecordedEdit[]): boolean {
  let [shared, support] = [expectedShared * expectation, expectation]
  for (const edit of firstOfCauses(edits)) {
    const match = statedWords(words, edit)
    shared += match.shared
    support += match.support
  }
  return shared / support < leastShared
}

/**
 * Whether a condition says "all tasks", as the optimizer is told to write it. Such causes need no
 * classification and share no words with tasks.
 */
function isForAll(condition: string | undefined): boolean {
  return condition !== undefined && /^all tasks\b/i.test(condition.trim())
}

/** One edit for each cause. Remedies for one cause have the same tasks, so one represents all. */
function firstOfCauses(edits: readonly RecordedEdit[]): readonly RecordedEdit[] {
  const named = edits.filter(({ cause, condition }) => cause !== undefined && !isForAll(condition))
  return [...new Map(named.toReversed().map(edit => [causeOf(edit), edit])).values()].toReversed()
}
