import { mapUnseen } from '../text/unseen-characters.js'
import { disguisesIn, unsplit } from './disguises.js'
import { createRedactor } from './redact.js'
import { addressesIn } from './sensitive-addresses.js'
import { commandsIn } from './sensitive-commands.js'
import { credentialPath, matchesIn } from './sensitive-paths.js'
import { requestsIn } from './sensitive-requests.js'

/**
 * Content that a person must see before a skill may include it: addresses that an agent may call, commands
 * that it may run, locations of credentials, and secrets. A gate measures only whether an edit helps with
 * tasks, not what else the edit does.
 */
export interface SensitiveFinding {
  readonly kind: 'address' | 'shell command' | 'credential path' | 'secret'
  /** Verbatim from the text. For a secret, only its kind or the words that ask for it. */
  readonly text: string
}

/** Sensitive content of `after` that `before` does not have, in reading order. */
export function sensitiveAdditions(before: string, after: string): readonly SensitiveFinding[] {
  const known = new Map<string, number>()
  for (const finding of sensitiveIn(before)) known.set(keyOf(finding), (known.get(keyOf(finding)) ?? 0) + 1)
  const listed = new Set<string>()
  return sensitiveIn(after).filter(finding => {
    const key = keyOf(finding)
    const left = known.get(key) ?? 0
    // Secrets are known only by their kind, so they are counted: one more of the same kind is new.
    if (finding.kind === 'secret' && left > 0) {
      known.set(key, left - 1)
      return false
    }
    if (left > 0 || listed.has(key)) return false
    listed.add(key)
    return true
  })
}

/**
 * Sensitive content that an edit adds. Content that the edit replaces or that the skill already has does not
 * count.
 */
export function editAdditions(
  edit: { readonly target?: string | undefined; readonly content?: string | undefined },
  skill = '',
): readonly SensitiveFinding[] {
  return sensitiveAdditions(`${skill}\n${edit.target ?? ''}`, edit.content ?? '')
}

/** All findings in one line; undefined if there are none. */
export function sensitiveText(findings: readonly SensitiveFinding[]): string | undefined {
  if (findings.length === 0) return undefined
  return findings.map(({ kind, text }) => `${kind} ${shortened(text)}`).join('; ')
}

const longestShown = 120
const shortened = (text: string) => (text.length > longestShown ? `${text.slice(0, longestShown)}…` : text)

const keyOf = ({ kind, text }: SensitiveFinding) => `${kind} ${text.toLowerCase()}`

const { redact } = createRedactor()

function sensitiveIn(given: string): SensitiveFinding[] {
  const hidden = redact(given)
  // Models also read full-width letters and invisible characters, so the text is normalised first.
  const text = mapUnseen(hidden.text, () => '')
    .normalize('NFKC')
    // Browsers accept the full stop of other scripts as a dot within a host.
    .replaceAll(/(?<=[a-z0-9-])[\u3002\u06d4](?=[a-z])/gi, '.')
  const secrets = [
    ...hidden.found.map(({ kind }) => kind),
    ...[...given.matchAll(/\[redacted: ([\w -]{1,60})\]/g)].map(([, kind = '']) => kind),
  ]
  return [
    ...plainFindings(text),
    ...splitFindings(text),
    ...encodedFindings(text),
    ...secrets.map(secret => ({ kind: 'secret' as const, text: secret })),
  ]
}

function plainFindings(text: string): SensitiveFinding[] {
  return [
    ...commandsIn(text).map(command => ({ kind: 'shell command' as const, text: command })),
    ...matchesIn(text, credentialPath).map(path => ({ kind: 'credential path' as const, text: path })),
    ...addressesIn(text).map(address => ({ kind: 'address' as const, text: address })),
    ...requestsIn(text),
  ]
}

/** Findings in lines that are sensitive only after their split words are joined. */
function splitFindings(text: string): SensitiveFinding[] {
  return text.split('\n').flatMap(line => {
    const joined = unsplit(line)
    if (joined === line) return []
    const kinds = new Set([
      ...newKinds(line, joined, text => plainFindings(text).map(({ kind }) => kind)),
      ...newKinds(line, joined, tellingWords),
    ])
    return [...kinds].map(kind => ({ kind, text: line.trim() }))
  })
}

type Kind = SensitiveFinding['kind']

function newKinds(line: string, joined: string, kindsIn: (text: string) => readonly Kind[]): readonly Kind[] {
  const known = kindsIn(line)
  return kindsIn(joined).filter(kind => !known.includes(kind))
}

/** Nobody splits these words by accident, so they count even if they form no complete command or address. */
function tellingWords(line: string): readonly Kind[] {
  const isCommand = /\b(?:curl|wget|bash|eval|exec|ssh|scp|sudo|base64)\b/.test(line)
  const isAddress = /\bhttps?:\/\//i.test(line)
  return [...(isCommand ? (['shell command'] as const) : []), ...(isAddress ? (['address'] as const) : [])]
}

function encodedFindings(text: string): SensitiveFinding[] {
  return disguisesIn(text).flatMap(({ shown, plain }) => {
    const kinds = new Set(plainFindings(plain).map(({ kind }) => kind))
    return [...kinds].map(kind => ({ kind, text: `${shown} (${plain.trim()})` }))
  })
}
