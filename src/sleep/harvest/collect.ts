import type { Skipped } from '../../core/transcript/transcript.js'
import { withoutCopies } from '../mining/requests.js'
import type { SessionRequest } from '../model/session-request.js'
import type { Gathered, Harvest, HarvestedSession, Redacted } from './plan.js'

/** Merges the results of all files. Their order does not matter. */
export function collected(parts: readonly Gathered[]): Omit<Harvest, 'bytes'> {
  const sessions = parts
    .flatMap(part => part.sessions)
    .sort(
      (a, b) =>
        compare(a.startedAt ?? Number.POSITIVE_INFINITY, b.startedAt ?? Number.POSITIVE_INFINITY) ||
        compare(a.session, b.session) ||
        compare(a.file, b.file),
    )
  const requests = inOrder(
    sessions,
    parts.flatMap(part => part.requests),
  )
  const counts = countBy(requests, nameOf)
  return {
    sessions: sessions.map(session => ({ ...session, requests: counts.get(nameOf(session)) ?? 0 })),
    requests,
    skipped: summedSkips(parts.flatMap(part => part.skipped)),
    redacted: sortedRedactions(parts.flatMap(part => part.redacted)),
  }
}

/** Returns the name of a session. A session that continues in another file has the same id in both files. */
function nameOf({ session, file }: Pick<HarvestedSession, 'session' | 'file'>): string {
  return `${session}\n${file}`
}

function inOrder(
  sessions: Gathered['sessions'],
  requests: readonly SessionRequest[],
): readonly SessionRequest[] {
  const bySession = new Map<string, SessionRequest[]>(sessions.map(session => [nameOf(session), []]))
  for (const request of requests) bySession.get(nameOf(request))?.push(request)
  return withoutCopies([...bySession.values()].flat())
}

function countBy<T>(items: readonly T[], name: (item: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(name(item), (counts.get(name(item)) ?? 0) + 1)
  return counts
}

function summedSkips(skipped: readonly Skipped[]): readonly Skipped[] {
  const sums = new Map<string, Skipped>()
  for (const each of skipped) {
    const name = [each.source, each.file, each.reason, each.detail].join('\n')
    sums.set(name, { ...each, count: each.count + (sums.get(name)?.count ?? 0) })
  }
  return [...sums.values()].sort(
    (a, b) =>
      compare(a.source, b.source) ||
      compare(a.file, b.file) ||
      compare(a.reason, b.reason) ||
      compare(a.detail, b.detail),
  )
}

function sortedRedactions(redacted: readonly Redacted[]): readonly Redacted[] {
  return [...redacted].sort(
    (a, b) =>
      compare(a.source, b.source) ||
      compare(a.file, b.file) ||
      compare(a.record ?? 0, b.record ?? 0) ||
      compare(a.kind, b.kind),
  )
}

function compare<T extends string | number>(a: T, b: T): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
