import { plural, stripControls } from '../../core/text/format.js'
import { marked } from '../../core/text/marked.js'
import { shorten } from '../../core/text/shorten.js'
import { isRework, type RequestEvidence, type SessionRequest, wasReworked } from '../model/session-request.js'
import type { TaskEvidence } from '../model/sleep-task.js'

/** A cluster of similar requests, with the counts that the optimizer is shown. */
export interface MiningCluster {
  /** Identifies the cluster from night to night. */
  readonly key: string
  /** Sorted from most to least typical. */
  readonly requests: readonly SessionRequest[]
  readonly evidence: Pick<TaskEvidence, 'occasions' | 'days' | 'projects' | 'reworked' | 'wordings'>
}

/** Maximum characters of the whole prompt, and of its rework, praise and tool sections. */
const room = { all: 12_000, rework: 4_500, praise: 800, tools: 700 }
const longest = { request: 800, before: 300, answer: 400, evidence: 400, tool: 100 }
const mostWordings = 8

/**
 * Builds the prompt for the optimizer. The counts are stated in our words. All transcript text stands between
 * delimiters, as one JSON object per line, so that it cannot pass for another entry or for an instruction.
 * Rework comes first, with its own limit, because it shows what the person wanted.
 */
export function clusterText({ requests, evidence }: MiningCluster): string {
  const wordings = chosenWordings(requests)
  const numbers = new Map(wordings.map((request, index) => [request, index + 1]))
  const said = requests.flatMap(request =>
    request.evidence.map(one => ({ ...one, number: numbers.get(request) })),
  )
  const complaints = distinct(said.filter(isRework).map(evidenceLine))
  const rework = fitting(complaints, room.rework)
  const praise = fitting(
    distinct(said.filter(({ kind }) => kind === 'praise').map(evidenceLine)),
    room.praise,
  )
  const tools = fitting(toolLines(requests), room.tools)
  const lines = wordings.map((request, index) => requestLine(request, index + 1))
  const shown = fitting(lines, room.all - lengthOf([...rework, ...praise, ...tools]))
  const parts = { rework, requests: shown, praise, tools }
  const joined = Object.entries(parts).map(([name, lines]) => [name, lines.join('\n')] as const)
  const counts = [
    countsText(evidence),
    `Shown: ${shown.length} of ${plural(evidence.wordings, 'wording')}, ${rework.length} of ${plural(complaints.length, 'sign')} of rework.`,
  ]
  return `${counts.join('\n')}\n\n${marked(Object.fromEntries(joined))}`
}

function countsText({ occasions, days, projects, reworked }: MiningCluster['evidence']): string {
  const asked = `Asked on ${plural(occasions, 'occasion')}, ${plural(days, 'day')} and in ${plural(projects, 'project')}.`
  return `${asked} On ${reworked} of the occasions it had to be corrected, taken back, done again or broken off.`
}

/**
 * Selects requests that differ in more than case, whitespace and digits: the most typical first, then
 * reworked ones, then the others.
 */
function chosenWordings(requests: readonly SessionRequest[]): readonly SessionRequest[] {
  const [typical, ...others] = requests
  if (typical === undefined) return []
  const ordered = [typical, ...others.filter(wasReworked), ...others.filter(other => !wasReworked(other))]
  const byWords = new Map<string, SessionRequest>()
  for (const request of ordered) {
    const words = request.text.toLowerCase().replaceAll(/\d+/g, '0').replaceAll(/\s+/g, ' ').trim()
    if (!byWords.has(words)) byWords.set(words, request)
  }
  return [...byWords.values()].slice(0, mostWordings)
}

function requestLine({ text, before, answer }: SessionRequest, request: number): string {
  const earlier = before.at(-1)
  return JSON.stringify({
    request,
    ...(earlier === undefined ? {} : { asked_before: within(earlier, longest.before) }),
    text: within(text, longest.request),
    ...(answer === undefined || answer === '' ? {} : { last_words: within(answer, longest.answer) }),
  })
}

function evidenceLine({ kind, text, number }: RequestEvidence & { number: number | undefined }): string {
  return JSON.stringify({
    kind,
    ...(number === undefined ? {} : { request: number }),
    said: within(text, longest.evidence),
  })
}

/** Describes the tools used, most used first. */
function toolLines(requests: readonly SessionRequest[]): string[] {
  const uses = new Map<string, { calls: number; failures: number }>()
  for (const { name, calls, failures } of requests.flatMap(({ tools }) => tools)) {
    const known = uses.get(name) ?? { calls: 0, failures: 0 }
    uses.set(name, { calls: known.calls + calls, failures: known.failures + failures })
  }
  return [...uses]
    .toSorted(([, left], [, right]) => right.calls - left.calls)
    .map(([name, use]) => JSON.stringify({ tool: within(name, longest.tool), ...use }))
}

const within = (text: string, most: number): string => shorten(stripControls(text), most)

const distinct = (lines: readonly string[]): readonly string[] => [...new Set(lines)]

const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0)

/** Returns the first lines that fit into the space, but always at least one. */
function fitting(lines: readonly string[], space: number): readonly string[] {
  const taken: string[] = []
  let used = 0
  for (const line of lines) {
    if (taken.length > 0 && used + line.length + 1 > space) break
    used += line.length + 1
    taken.push(line)
  }
  return taken
}
