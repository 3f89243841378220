import { canonicalJson } from '../../core/text/hash.js'
import { type OccasionSplit, splitOfOccasion } from '../model/occasions.js'
import { isRework, type SessionRequest, wasReworked } from '../model/session-request.js'
import type {
  SleepTask,
  TaskBook,
  TaskEvidence,
  TaskExample,
  TaskFailure,
  TaskSplit,
} from '../model/sleep-task.js'
import { divideOccasions } from './occasions.js'
import type { Recurrence } from './recurrence.js'
import { placeFamilies, type SplitFractions } from './splits.js'
import type { Matched } from './task-matching.js'

/** A task before its text is written: counts, split and example requests. */
export interface PlannedTask {
  /** The task's own id if it is known, otherwise the cluster's id. */
  readonly id: string
  readonly known: SleepTask | undefined
  /** Undefined if a known task was not requested again. */
  readonly recurrence: Recurrence | undefined
  readonly split: TaskSplit
  readonly family: string
  readonly skill: string | undefined
  readonly examples: readonly TaskExample[]
  readonly evidence: TaskEvidence
}

export interface PlanOptions {
  readonly fractions: SplitFractions
  readonly seed: number
  /** Maximum number of example requests of a task in each split. */
  readonly examples: number
  /** Maximum number of new tasks. The most recurring requests come first. */
  readonly newTasks: number
  /** Groups ids of tasks that may ask for the same thing. Each id is in exactly one group. See `families`. */
  families(items: readonly FamilyItem[]): Promise<readonly (readonly string[])[]>
}

/** The texts of a task, compared to find families. */
export interface FamilyItem {
  readonly id: string
  readonly texts: readonly string[]
}

/** Maximum number of pieces of evidence kept with a task. */
const kept = { requestIds: 500, sessions: 500, failures: 20, tools: 20 }

/**
 * Plans tasks from recurring requests. Known tasks come first, in their stored order, then new ones, most
 * recurring first.
 */
export async function planTasks(
  { tasks }: Pick<TaskBook, 'tasks'>,
  matched: Matched,
  options: PlanOptions,
): Promise<readonly PlannedTask[]> {
  const real = tasks.filter(({ origin }) => origin === 'real')
  const drafts: readonly Draft[] = [
    ...real.map(known => ({ id: known.id, known, recurrence: matched.known.get(known.id) })),
    ...matched.fresh
      .slice(0, options.newTasks)
      .map(recurrence => ({ id: recurrence.id, known: undefined, recurrence })),
  ]
  const families = await options.families(drafts.map(({ id, ...draft }) => ({ id, texts: textsOf(draft) })))
  const byId = new Map(drafts.map(draft => [draft.id, draft]))
  const members = families.map(ids => ids.map(id => ({ id, split: byId.get(id)?.known?.split })))
  const places = placeFamilies(members, options.fractions, options.seed)
  const familyOf = familyNames(families, byId)
  const occasions = divideOccasions(
    drafts.map(({ id, known, recurrence }) => ({
      id,
      split: placeFor(places.get(id)),
      taken: placedExamples(known),
      candidates: candidatesIn(recurrence),
    })),
    { fractions: options.fractions, most: options.examples },
  )
  return drafts.map(({ id, known, recurrence }): PlannedTask => {
    const place = placeFor(places.get(id))
    const chosen = [
      ...(place === 'divided' ? placedExamples(known) : (known?.examples ?? [])),
      ...(occasions.get(id) ?? []).map(one => exampleOf(one, place === 'divided' ? one.split : undefined)),
    ]
    return {
      id,
      known,
      recurrence,
      split: splitFor(place, known, chosen),
      family: familyOf(id),
      skill: recurrence === undefined ? known?.skill : (known?.skill ?? skillOf(recurrence)),
      examples: chosen,
      evidence: recurrence === undefined ? evidenceOfKnown(known) : evidenceOf(recurrence, known),
    }
  })
}

type Place = 'divided' | 'test' | 'held-back'

const placeFor = (split: TaskSplit | undefined): Place =>
  split === 'test' || split === 'held-back' ? split : 'divided'

/**
 * A task that a person wrote has no examples, so it stays in its split. A task is held back if all its
 * sessions are already used in other splits, because it would leak them.
 */
function splitFor(place: Place, known: SleepTask | undefined, chosen: readonly TaskExample[]): TaskSplit {
  if (chosen.length > 0) return place
  return known !== undefined && known.split !== 'divided' ? known.split : 'held-back'
}

/**
 * Returns the examples of earlier nights with their splits. If a task was wholly in one split, all its
 * examples are in that split.
 */
function placedExamples(
  known: SleepTask | undefined,
): readonly (TaskExample & { readonly split: OccasionSplit })[] {
  if (known === undefined) return []
  return known.examples.flatMap(example => {
    const split = splitOfOccasion(known, example)
    return split === undefined ? [] : [{ ...example, split }]
  })
}

interface Draft {
  readonly id: string
  readonly known: SleepTask | undefined
  readonly recurrence: Recurrence | undefined
}

function textsOf({ known, recurrence }: Omit<Draft, 'id'>): readonly string[] {
  return recurrence?.requests.map(({ text }) => text) ?? known?.examples.map(({ text }) => text) ?? []
}

/**
 * Names each family after its oldest known member, so that the name is stable. A family with tasks both
 * inside and outside the test split counts as two families.
 */
function familyNames(
  families: readonly (readonly string[])[],
  drafts: ReadonlyMap<string, Draft>,
): (id: string) => string {
  const names = new Map<string, string>()
  for (const ids of families) {
    const known = ids.flatMap(id => drafts.get(id)?.known ?? [])
    const splits = new Set(
      known.filter(({ split }) => split !== 'held-back').map(({ split }) => split === 'test'),
    )
    const [first] = known
    for (const id of ids) {
      const own = drafts.get(id)?.known?.family
      names.set(id, own ?? (splits.size > 1 ? id : (first?.family ?? ids[0] ?? id)))
    }
  }
  return id => names.get(id) ?? id
}

/**
 * Sorts the requests from which examples are chosen. The typical one comes first, because without a model its
 * words become the intent, which training sees. Reworked requests follow, since there is more to learn from
 * them, then the most recent.
 */
function candidatesIn(recurrence: Recurrence | undefined): readonly SessionRequest[] {
  const latest = (request: SessionRequest) => request.at ?? 0
  const isTypical = (request: SessionRequest) => request === recurrence?.central
  return (recurrence?.requests ?? []).toSorted(
    (left, right) =>
      Number(isTypical(right)) - Number(isTypical(left)) ||
      Number(wasReworked(right)) - Number(wasReworked(left)) ||
      latest(right) - latest(left) ||
      (left.id < right.id ? -1 : 1),
  )
}

function exampleOf(
  { id, session, at, branch, text, before, answer }: SessionRequest,
  split: OccasionSplit | undefined,
): TaskExample {
  return {
    request: id,
    session,
    ...(at === undefined ? {} : { at: moment(at) }),
    ...(branch === undefined ? {} : { branch }),
    text,
    before: [...before],
    ...(answer === undefined ? {} : { answer }),
    ...(split === undefined ? {} : { split }),
  }
}

/**
 * Each count is the maximum of all harvests so far, because a later harvest may cover fewer days or find
 * fewer files.
 */
function evidenceOf({ requests, evidence, score }: Recurrence, known: SleepTask | undefined): TaskEvidence {
  const before = known?.evidence
  const most = (key: Counted) => Math.max(evidence[key], before?.[key] ?? 0)
  const { firstAt, lastAt } = evidence
  const first = earliest(firstAt === undefined ? undefined : moment(firstAt), before?.firstAt)
  const newest = requests.toReversed()
  const all = <T>(now: readonly T[], earlier: readonly T[] = [], limit: number) =>
    [...new Set([...now, ...earlier])].slice(0, limit)
  const failures = [...newest.flatMap(failuresOf), ...(before?.failures ?? [])]
  return {
    requests: most('requests'),
    occasions: most('occasions'),
    days: most('days'),
    projects: most('projects'),
    reworked: most('reworked'),
    wordings: most('wordings'),
    score: Math.max(score, before?.score ?? 0),
    ...(first === undefined ? {} : { firstAt: first }),
    ...(lastAt === undefined ? {} : { lastAt: moment(lastAt) }),
    requestIds: all(
      newest.map(({ id }) => id),
      before?.requestIds,
      kept.requestIds,
    ),
    sessions: all(
      newest.map(({ session }) => session),
      before?.sessions,
      kept.sessions,
    ),
    failures: [...new Map(failures.map(one => [canonicalJson(one), one])).values()].slice(0, kept.failures),
    tools: all(
      requests.flatMap(request => request.tools.map(({ name }) => name)),
      before?.tools,
      kept.tools,
    ),
  }
}

type Counted = 'requests' | 'occasions' | 'days' | 'projects' | 'reworked' | 'wordings'

/** A planned task was either requested now or is known, so a task that is neither is a bug. */
function evidenceOfKnown(known: SleepTask | undefined): TaskEvidence {
  if (known === undefined) throw new Error('A task was planned that nobody asked for.')
  return known.evidence
}

function failuresOf({ evidence, session }: SessionRequest): readonly TaskFailure[] {
  return evidence.filter(isRework).map(({ kind, text, at }) => ({
    // The filter removed praise, so only kinds of failure remain.
    kind: kind as TaskFailure['kind'],
    text,
    session,
    ...(at === undefined ? {} : { at: moment(at) }),
  }))
}

/**
 * Returns a skill if it is the only one that was used for these requests and was used in at least two
 * sessions. A single use says too little.
 */
function skillOf({ requests }: Recurrence): string | undefined {
  const using = requests.filter(({ skills }) => skills.length > 0)
  const [skill, another] = new Set(using.flatMap(({ skills }) => skills))
  const sessions = new Set(using.map(({ session }) => session)).size
  return another === undefined && sessions > 1 ? skill : undefined
}

const moment = (at: number): string => new Date(at).toISOString()

function earliest(left: string | undefined, right: string | undefined): string | undefined {
  if (left === undefined || right === undefined) return left ?? right
  return Date.parse(left) <= Date.parse(right) ? left : right
}
