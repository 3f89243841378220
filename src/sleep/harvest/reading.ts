import type { Redactor } from '../../core/redaction/redact.js'
import type { HarvestQuery, Skipped, TextPlace, TranscriptSource } from '../../core/transcript/transcript.js'
import { requestsOf } from '../mining/requests.js'
import type { SessionRequest } from '../model/session-request.js'
import type { Gathered, HarvestPlan, Redacted } from './plan.js'

export interface ReadingTools {
  readonly redactor: Redactor
  isWanted(project: string | undefined): boolean
  readonly signal: AbortSignal
}

/** A query to a source. It also collects the items that the source skipped and the redactions. */
export interface Asked {
  readonly query: HarvestQuery
  readonly skipped: readonly Skipped[]
  redacted(): readonly Redacted[]
}

export function ask(
  plan: HarvestPlan,
  source: string,
  places: readonly string[] | undefined,
  tools: ReadingTools,
): Asked {
  const skipped: Skipped[] = []
  const hidden = new Map<string, Redacted & { count: number }>()
  const count = (kind: string, place: TextPlace) => {
    const name = `${place.file}\n${place.record}\n${kind}`
    const known = hidden.get(name)
    if (known === undefined) hidden.set(name, { source, ...place, kind, count: 1 })
    else known.count += 1
  }
  const query: HarvestQuery = {
    user: plan.user,
    ...(places === undefined ? {} : { places }),
    ...(plan.after === undefined ? {} : { after: plan.after }),
    isWanted: tools.isWanted,
    redact(text, place) {
      const redaction = tools.redactor.redact(text)
      for (const { kind } of redaction.found) count(kind, place)
      return redaction.text
    },
    skip: told => void skipped.push(told),
    signal: tools.signal,
  }
  return { query, skipped, redacted: () => [...hidden.values()] }
}

/** Reads one session at a time and keeps only its requests. */
export async function readFile(
  source: TranscriptSource,
  plan: HarvestPlan,
  path: string,
  tools: ReadingTools,
): Promise<Gathered> {
  const asked = ask(plan, source.id, [path], tools)
  const sessions: Gathered['sessions'][number][] = []
  const requests: SessionRequest[] = []
  for await (const transcript of source.read(asked.query)) {
    const { id, file, project, branch, startedAt, endedAt } = transcript
    const session = `${source.id}:${id}`
    sessions.push({ source: source.id, id, session, file, project, branch, startedAt, endedAt })
    requests.push(...requestsOf(transcript))
  }
  return { sessions, requests, skipped: asked.skipped, redacted: asked.redacted() }
}
