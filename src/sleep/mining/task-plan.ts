import { canonicalJson } from '../../core/text/hash.js'
import { isRework, type SessionRequest, wasReworked } from '../model/session-request.js'
import type {
  SleepTask,
  TaskBook,
  TaskEvidence,
  TaskExample,
  TaskFailure,
  TaskSplit,
} from '../model/sleep-task.js'
import type { Recurrence } from './recurrence.js'
import { chooseExamples, placeFamilies, type SplitFractions } from './splits.js'
import type { Matched } from './task-matching.js'

/** A task without its words: what is counted, where it belongs, and the requests that stand for it. */
export interface PlannedTask {
  /** Of a task that is known, its own; of a new one, its cluster's. */
  readonly id: string
  readonly known: SleepTask | undefined
  /** Undefined where a known task was not asked for lately. */
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
  /** Requests that stand for a task. */
  readonly examples: number
  /** New tasks at most, those that recur most first. */
  readonly newTasks: number
  /** Groups of ids of which each may be one intent; each id is in one. See `families`. */
  families(items: readonly FamilyItem[]): Promise<readonly (readonly string[])[]>
}

/** What is compared to find families: the texts of a task. */
export interface FamilyItem {
  readonly id: string
  readonly texts: readonly string[]
}

/** How much of the evidence is kept with a task. */
const kept = { requestIds: 500, sessions: 500, failures: 20, tools: 20 }

/** Known tasks first, as they stand in the book; then the new ones, what recurs most first. */
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
  const examples = chooseExamples(
    drafts.map(({ id, known, recurrence }) => ({
      id,
      split: places.get(id) ?? 'train',
      taken: known?.examples ?? [],
      candidates: candidatesIn(recurrence),
    })),
    options.examples,
  )
  return drafts.map(({ id, known, recurrence }): PlannedTask => {
    const chosen = [...(known?.examples ?? []), ...(examples.get(id) ?? []).map(exampleOf)]
    const split = places.get(id) ?? 'train'
    return {
      ...{ id, known, recurrence },
      // All its sessions belong to other splits: it would tell what was said there.
      split: chosen.length === 0 ? 'held-back' : split,
      family: familyOf(id),
      skill: recurrence === undefined ? known?.skill : (known?.skill ?? skillOf(recurrence)),
      examples: chosen,
      evidence: recurrence === undefined ? evidenceOfKnown(known) : evidenceOf(recurrence, known),
    }
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

/** A family is called after its member that is known longest, so that its name stays. One in two splits is two. */
function familyNames(
  families: readonly (readonly string[])[],
  drafts: ReadonlyMap<string, Draft>,
): (id: string) => string {
  const names = new Map<string, string>()
  for (const ids of families) {
    const known = ids.flatMap(id => drafts.get(id)?.known ?? [])
    const splits = new Set(known.map(({ split }) => split).filter(split => split !== 'held-back'))
    const [first] = known
    for (const id of ids) {
      const own = drafts.get(id)?.known?.family
      names.set(id, own ?? (splits.size > 1 ? id : (first?.family ?? ids[0] ?? id)))
    }
  }
  return id => names.get(id) ?? id
}

/** Where the agent did not get it right at once, there is something to learn; then what was asked last. */
function candidatesIn(recurrence: Recurrence | undefined): readonly SessionRequest[] {
  const latest = (request: SessionRequest) => request.at ?? 0
  return (recurrence?.requests ?? []).toSorted(
    (left, right) =>
      Number(wasReworked(right)) - Number(wasReworked(left)) ||
      latest(right) - latest(left) ||
      (left.id < right.id ? -1 : 1),
  )
}

function exampleOf({ id, session, at, branch, text, before, answer }: SessionRequest): TaskExample {
  return {
    request: id,
    session,
    ...(at === undefined ? {} : { at: moment(at) }),
    ...(branch === undefined ? {} : { branch }),
    text,
    before: [...before],
    ...(answer === undefined ? {} : { answer }),
  }
}

/** Figures are the most that one harvest counted: a later one may look at fewer days, or at what is left of the files. */
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

/** Nothing is planned that was neither seen now nor known before. */
function evidenceOfKnown(known: SleepTask | undefined): TaskEvidence {
  if (known === undefined) throw new Error('A task was planned that nobody asked for.')
  return known.evidence
}

function failuresOf({ evidence, session }: SessionRequest): readonly TaskFailure[] {
  return evidence.filter(isRework).map(({ kind, text, at }) => ({
    // Praise is no rework.
    kind: kind as TaskFailure['kind'],
    text,
    session,
    ...(at === undefined ? {} : { at: moment(at) }),
  }))
}

/** The one skill that was used in all the sessions that used any; used once, it says nothing. */
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
