import { stripControls } from '../../core/text/format.js'
import { contentHash } from '../../core/text/hash.js'
import { shorten } from '../../core/text/shorten.js'
import { clusterRequests } from '../mining/clusters.js'
import { conceptsOf } from '../mining/concepts.js'
import type { RequestEvidence, SessionRequest } from '../model/session-request.js'

/** A correction by a person, with the request that it was about. */
export interface HeardCorrection {
  readonly id: string
  readonly text: string
  readonly request: string
  readonly session: string
  readonly at: number | undefined
}

/** A rule in the person's own words, derived from corrections that they made in several sessions. */
export interface CorrectionRule {
  readonly id: string
  /** The rule as one line of Markdown. */
  readonly line: string
  /** The corrections behind the rule, oldest first. */
  readonly corrections: readonly HeardCorrection[]
}

/** Kinds of evidence in which the person says what was wrong. An interruption or a repetition does not. */
const speaking: ReadonlySet<RequestEvidence['kind']> = new Set(['correction', 'undo', 'again'])

const fewestSessions = 2
const longest = { said: 240, request: 80 }

export function correctionsIn(requests: readonly SessionRequest[]): readonly HeardCorrection[] {
  return requests.flatMap(({ id, text: request, session, evidence }) =>
    evidence
      .filter(({ kind }) => speaking.has(kind))
      .map(({ text, at }, index) => ({ id: `${id}.${index}`, text, request, session, at })),
  )
}

/**
 * Groups corrections that say the same: those in similar words, or those that share a word and are about
 * similar requests. A group becomes a rule if its corrections come from several sessions. No model is
 * involved.
 */
export async function rulesFrom(requests: readonly SessionRequest[]): Promise<readonly CorrectionRule[]> {
  const corrections = correctionsIn(requests)
  const bySaid = new Map(
    (await clusterRequests(corrections)).flatMap(({ id, requests: all }) => all.map(one => [one.id, id])),
  )
  const kindOf = new Map(
    (await clusterRequests(requests)).flatMap(({ id, requests: all }) => all.map(one => [one.id, id])),
  )
  const groups: HeardCorrection[][] = []
  for (const correction of corrections) {
    const group = groups.find(members =>
      members.some(
        other =>
          bySaid.get(other.id) === bySaid.get(correction.id) ||
          (kindOf.get(requestOf(other)) === kindOf.get(requestOf(correction)) &&
            shareWord(other, correction)),
      ),
    )
    if (group === undefined) groups.push([correction])
    else group.push(correction)
  }
  return groups
    .filter(group => new Set(group.map(({ session }) => session)).size >= fewestSessions)
    .map(ruleOf)
    .toSorted((one, other) => other.corrections.length - one.corrections.length)
}

const requestOf = ({ id }: HeardCorrection): string => id.slice(0, id.lastIndexOf('.'))

const fewestLetters = 4

function shareWord(one: HeardCorrection, other: HeardCorrection): boolean {
  const words = (text: string) =>
    (text.toLowerCase().match(/[\p{L}][\p{L}-]*/gu) ?? [])
      .filter(word => word.length >= fewestLetters)
      .flatMap(word => [word.replace(/(?:en|er|es|e|s|n)$/u, ''), ...conceptsOf(word)])
  const known = new Set(words(one.text))
  return words(other.text).some(word => known.has(word) && !commonWords.has(word))
}

/** Words of four or more letters that occur in corrections on any subject. */
const commonWords = new Set(
  `again said that this there these those them they please still back just like with without only always never have been want
   more less also told before before instead rather into what when wied bitte noch mal immer nicht kein dass doch schon
   hier auch nich soll encore toujours pour avec sans plus dans otra para como sin siempre`
    .trim()
    .split(/\s+/),
)

/** Builds a rule from a group of corrections. It quotes the longest, which explains the most. */
function ruleOf(group: readonly HeardCorrection[]): CorrectionRule {
  const corrections = group.toSorted((one, other) => (one.at ?? 0) - (other.at ?? 0))
  const [fullest] = corrections.toSorted((one, other) => other.text.length - one.text.length)
  const said = oneLine(fullest?.text ?? '', longest.said)
  const about = oneLine(fullest?.request ?? '', longest.request)
  const line = `- For requests such as “${about}”, mind this correction: “${said}”`
  return { id: contentHash(corrections[0]?.id ?? line).slice(0, 8), line, corrections }
}

/**
 * Puts a text on one line. Its quotation marks and comment markers are replaced, so that they cannot end the
 * quotation or the region.
 */
function oneLine(text: string, most: number): string {
  const plain = stripControls(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<!--|-->/g, ' ')
    .replaceAll(/[“”]/g, '"')
  return shorten(plain.trim(), most).replaceAll(/\s+/g, ' ')
}
