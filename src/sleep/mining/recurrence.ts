import { type SessionRequest, wasReworked } from '../model/session-request.js'
import type { Cluster } from './clusters.js'

/** How often and where something was requested. The counts involve no model's judgement. */
export interface RecurrenceEvidence {
  readonly requests: number
  /** Number of occasions; see `occasionsOf`. */
  readonly occasions: number
  /** Number of distinct UTC days; at least 1. */
  readonly days: number
  /** Number of distinct folders; at least 1. */
  readonly projects: number
  /** Number of occasions on which the person had to correct, undo, repeat or stop the work. */
  readonly reworked: number
  /** Number of distinct texts: a single text on many occasions probably comes from a script. */
  readonly wordings: number
  readonly firstAt: number | undefined
  readonly lastAt: number | undefined
}

export interface Recurrence extends Cluster<SessionRequest> {
  readonly evidence: RecurrenceEvidence
  readonly score: number
  readonly isRecurring: boolean
}

export interface RecurrenceRule {
  /** Minimum number of occasions. A request with fewer counts as a one-off, whatever its score. */
  readonly occasions: number
  readonly score: number
}

/**
 * Each occasion counts 1. Each further day, each further project and each occasion with rework counts 0.5,
 * because a skill is worth more for a request that returns on another day or in another project, or that the
 * agent did not get right at once. Three occasions are therefore enough. Two are enough with two of these
 * extra half points. One occasion never is.
 */
export const defaultRule: RecurrenceRule = { occasions: 2, score: 3 }
const halfPoint = 0.5

/** Computes the recurrence of each cluster, recurring ones first, then by score from the highest. */
export function recurrences(
  clusters: readonly Cluster<SessionRequest>[],
  rule: RecurrenceRule = defaultRule,
): readonly Recurrence[] {
  return clusters
    .map(cluster => {
      const evidence = evidenceOf(cluster.requests)
      const score = scoreOf(evidence)
      const isRecurring = evidence.occasions >= rule.occasions && score >= rule.score
      return { ...cluster, evidence, score, isRecurring }
    })
    .sort(
      (left, right) =>
        Number(right.isRecurring) - Number(left.isRecurring) ||
        right.score - left.score ||
        (left.id < right.id ? -1 : 1),
    )
}

function scoreOf({ occasions, days, projects, reworked }: RecurrenceEvidence): number {
  return occasions + halfPoint * (days - 1 + projects - 1 + reworked)
}

const dayMs = 86_400_000

function evidenceOf(requests: readonly SessionRequest[]): RecurrenceEvidence {
  const occasions = occasionsOf(requests)
  const times = requests.map(({ at }) => at).filter(at => at !== undefined)
  const projects = new Set(requests.map(({ project }) => project).filter(project => project !== undefined))
  return {
    requests: requests.length,
    occasions: occasions.length,
    days: Math.max(1, new Set(times.map(at => Math.floor(at / dayMs))).size),
    projects: Math.max(1, projects.size),
    reworked: occasions.filter(occasion => occasion.some(wasReworked)).length,
    wordings: new Set(requests.map(({ text }) => text)).size,
    firstAt: times.length === 0 ? undefined : times.reduce((left, right) => Math.min(left, right)),
    lastAt: times.length === 0 ? undefined : times.reduce((left, right) => Math.max(left, right)),
  }
}

const sameMomentMs = 10 * 60_000

/**
 * Groups requests into occasions. A session counts as one occasion, however often it repeats the request.
 * Sessions that begin with the same text within ten minutes also count as one: several agents got the same
 * prompt, or the person started over.
 */
function occasionsOf(requests: readonly SessionRequest[]): readonly (readonly SessionRequest[])[] {
  const occasionOfSession = new Map<string, SessionRequest[]>()
  const lastOfText = new Map<string, { readonly at: number; readonly occasion: SessionRequest[] }>()
  const occasions: SessionRequest[][] = []
  const byTime = requests.toSorted((left, right) => (left.at ?? 0) - (right.at ?? 0))
  for (const request of byTime) {
    const { at, text, session } = request
    const last = lastOfText.get(text)
    const isSameMoment = at !== undefined && last !== undefined && at - last.at <= sameMomentMs
    const known = occasionOfSession.get(session) ?? (isSameMoment ? last.occasion : undefined)
    const occasion = known ?? []
    if (known === undefined) occasions.push(occasion)
    occasion.push(request)
    occasionOfSession.set(session, occasion)
    if (at !== undefined) lastOfText.set(text, { at, occasion })
  }
  return occasions
}
