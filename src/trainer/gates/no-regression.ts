import type { Gate, GateFactory, Seen, Side, Wanted } from '../../core/ports/gate.js'
import {
  permutationPValue,
  poissonBinomialPmf,
  weightedTailProbability,
} from '../../core/statistics/noise-model.js'
import { missingAttempts, scoreOfAttempt } from '../../core/task/metric.js'
import { listed, plural } from '../../core/text/format.js'
import { replayTo } from './replay.js'

/**
 * A decorator for any gate: rejects an accepted candidate that breaks tasks, or types of tasks, that the
 * current skill solves. One failure proves nothing, so both skills rerun the suspect tasks on samples
 * reserved for this. Of candidates that changed nothing, at most 5% are vetoed, however noisy the target is.
 */
export type Regression = 'task' | 'type'

const maxFalseVetoRate = 0.05
/** Fresh attempts per task and skill; more if many tasks look broken. */
const fewestRepeats = 3
/** Types with fewer tasks are not judged by type; mode `task` covers them. */
export const fewestTasksOfType = 5
/** Tasks of a type are rerun only if the p-value of its losses is at most this. */
const rerunPValue = 0.25
/** First sample number of the reruns, above those that any gate uses. */
const firstSample = 1000

export function withNoRegression(createGate: GateFactory, by: Regression): GateFactory {
  return context => {
    const gate = createGate(context)
    const replay = replayTo(gate)
    const everyTask = context.tasks.map(task => ({ side: 'candidate', task, sample: 0 }) as const)
    return {
      id: gate.id,
      score: gate.score,
      next(seen) {
        const answer = replay(seen)
        if ('run' in answer || answer.decision !== 'accept') return answer
        // A gate may accept before it has seen every task, and the unseen ones may be broken.
        const unseen = missingAttempts(seen, everyTask)
        if (unseen.length > 0) return { run: unseen }
        const found = (by === 'task' ? brokenTasks : brokenTypes)(new Results(seen, gate.score))
        if ('run' in found) return found
        if (found.broken === undefined) return { ...answer, complete: true }
        const reason = `Vetoed: ${found.broken}. Without the veto it would have been accepted: ${answer.reason}`
        return { ...answer, complete: true, decision: 'reject', reason }
      },
    }
  }
}

type Found = { readonly run: readonly Wanted[] } | { readonly broken: string | undefined }

/** Tasks that the current skill solved in every attempt and the candidate in fewer than half. */
function brokenTasks(results: Results): Found {
  const suspects = results.tasks.filter(
    task => results.share('current', task) === 1 && results.share('candidate', task) < 0.5,
  )
  const repeats = repeatsFor(suspects.length)
  const broken = suspects.filter(
    task =>
      results.fresh('current', task).every(passed => passed === true) &&
      results.fresh('candidate', task).every(passed => passed === false),
  )
  // Asks for one attempt at a time, since the first one that clears a task saves the others.
  const run = broken.flatMap(task => {
    const made = results.fresh('candidate', task).length
    return made < repeats ? bothSides(task, firstSample + made) : []
  })
  if (run.length > 0) return { run }
  if (broken.length === 0) return { broken: undefined }
  return {
    broken: `the candidate fails ${plural(broken.length, 'task')} that the current skill solves, in each of ${repeats} more runs under both: ${listed(broken)}`,
  }
}

/**
 * Reruns per suspect task. With n suspects and the same pass probability p under both skills, the false veto
 * rate is at most n · (p · (1 − p))^repeats.
 */
function repeatsFor(suspects: number): number {
  let repeats = fewestRepeats
  while (suspects * 0.25 ** repeats > maxFalseVetoRate) repeats += 1
  return repeats
}

/** Types that lost significantly more tasks than they won. */
function brokenTypes(results: Results): Found {
  const suspects = results.types().flatMap(({ type, tasks }) => {
    const solved = (side: Side, task: string) => results.share(side, task) >= 0.5
    const changed = tasks.filter(task => solved('current', task) !== solved('candidate', task))
    const lost = changed.filter(task => solved('current', task)).length
    const coin = poissonBinomialPmf(changed.map(() => 0.5))
    return lost > 0 && weightedTailProbability(coin, [1], { weight: 1, total: lost }) <= rerunPValue
      ? [{ type, tasks, changed, lost }]
      : []
  })
  const run = suspects.flatMap(({ changed }) =>
    changed.flatMap(task =>
      results.fresh('candidate', task).length > 0
        ? []
        : Array.from({ length: fewestRepeats }, (_, index) => bothSides(task, firstSample + index)).flat(),
    ),
  )
  if (run.length > 0) return { run }
  const broken = suspects.filter(
    ({ changed }) => results.lossPValue(changed) <= maxFalseVetoRate / suspects.length,
  )
  if (broken.length === 0) return { broken: undefined }
  const each = broken.map(
    ({ type, tasks, changed, lost }) =>
      `${type} (of ${plural(tasks.length, 'task')} ${lost} lost, ${changed.length - lost} won)`,
  )
  return {
    broken: `the candidate loses tasks of ${plural(broken.length, 'type')}, also in ${fewestRepeats} more runs under both skills: ${listed(each)}`,
  }
}

const bothSides = (task: string, sample: number): Wanted[] => [
  { side: 'current', task, sample },
  { side: 'candidate', task, sample },
]

/** Passes and failures by task; a score of at least one half is a pass. */
class Results {
  readonly tasks: readonly string[]
  readonly #types = new Map<string, string>()
  readonly #first = new Map<string, boolean[]>()
  readonly #fresh = new Map<string, (boolean | undefined)[]>()

  constructor(seen: readonly Seen[], score: Gate['score']) {
    for (const { side, row } of seen) {
      const value = scoreOfAttempt(row, score)
      const passed = value === undefined ? undefined : value >= 0.5
      this.#types.set(row.task, row.type)
      if (row.sample >= firstSample) add(this.#fresh, `${side} ${row.task}`, passed)
      else if (passed !== undefined) add(this.#first, `${side} ${row.task}`, passed)
    }
    this.tasks = [...this.#types.keys()].filter(
      task => this.#has('current', task) && this.#has('candidate', task),
    )
  }

  #has(side: Side, task: string): boolean {
    return this.#first.has(`${side} ${task}`)
  }

  /** Share of passes among the attempts that the gate saw. */
  share(side: Side, task: string): number {
    const passes = this.#first.get(`${side} ${task}`) ?? []
    return passes.filter(passed => passed).length / passes.length
  }

  /**
   * Fresh attempts in order; undefined for an external failure, which counts as neither passed nor failed.
   */
  fresh(side: Side, task: string): readonly (boolean | undefined)[] {
    return this.#fresh.get(`${side} ${task}`) ?? []
  }

  types(): readonly { readonly type: string; readonly tasks: readonly string[] }[] {
    const groups = new Map<string, string[]>()
    for (const task of this.tasks) add(groups, this.#types.get(task) ?? '', task)
    return [...groups].flatMap(([type, tasks]) =>
      type === '' || tasks.length < fewestTasksOfType ? [] : [{ type, tasks }],
    )
  }

  /** p-value of the candidate's losses in fresh attempts, under the hypothesis that both skills are equal. */
  lossPValue(tasks: readonly string[]): number {
    const scored = tasks.flatMap(task => {
      const [current, candidate] = [this.fresh('current', task), this.fresh('candidate', task)]
      return [...current, ...candidate].includes(undefined) ? [] : [{ current, candidate }]
    })
    return permutationPValue(
      scored.map(({ current, candidate }) => ({
        // The sides are swapped, so that the test counts losses of the candidate as gains of the current
        // skill.
        candidate: passesIn(current),
        current: passesIn(candidate),
        each: fewestRepeats,
      })),
    )
  }
}

const passesIn = (results: readonly (boolean | undefined)[]): number =>
  results.filter(passed => passed === true).length

function add<T>(groups: Map<string, T[]>, key: string, value: T): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [value])
  else group.push(value)
}
