import type { StopReason, WorldFailureKind } from '../../../core/task/task.js'
import { oneLine } from '../../../core/text/format.js'

/** Why the agent gave no answer, in its own words. A `WorldFailure` is made from it. */
export interface AgentFailure {
  readonly kind: WorldFailureKind
  readonly message: string
  readonly retryable: boolean
}

/** An error that an agent reported, with the HTTP status of its model's server if the agent states it. */
export interface ReportedError {
  readonly message: string
  readonly status?: number | undefined
}

/** Stop reasons that count as the agent's own failure: such an attempt is scored. */
export type AgentStop = Exclude<StopReason, 'answered' | 'unknown'>

const maxMessageLength = 600

const retryable: ReadonlySet<WorldFailureKind> = new Set([
  'transport',
  'timeout',
  'rate-limit',
  'server',
  'malformed',
])

export function failureFrom({ message: words, status }: ReportedError): AgentFailure {
  const kind = kindOf(words, status ?? statusIn(words))
  return { kind, message: shortened(words), retryable: retryable.has(kind) }
}

export function shortened(words: string): string {
  const line = oneLine(words).trim()
  return line.length > maxMessageLength ? `${line.slice(0, maxMessageLength)}…` : line
}

/**
 * Limits of an account or subscription. Retrying does not help: they end after a payment or after hours. The
 * phrases were observed in real agents; the test cases say which agent prints which. "Rate limit" never
 * counts as a quota.
 */
const quotaPhrases = [
  /(usage|weekly|daily|monthly|session|5-hour|spend(ing)?) (limit|quota)/,
  /(hit|reached) your (?!.{0,30}rate limit)[^.·|]{0,30}(limit|spend cap)/,
  /usage_(limit|not_included)|usage exceeded|UsageLimitError/,
  /out of (usage |extra )?(credits|usage)|credit (balance|cap)/,
  /doesn't include (extra )?usage|usage allocation has been disabled/,
  /(insufficient|exceeded)[_ ](quota|balance|credits?|funds)/,
  /quota[_ ]exceeded|exceeded your (current|monthly) quota|exhausted your daily|no quota/,
  // Only minutes, hours and days count: a limit that resets within seconds is a rate limit.
  /reset after \d+[hm]|(again|wait)[^.]{0,20} \d+ (hour|day)s?/,
].map(({ source }) => new RegExp(source, 'i'))

const isQuota = (words: string) => quotaPhrases.some(pattern => pattern.test(words))

function kindOf(words: string, status: number | undefined): WorldFailureKind {
  if ((status === undefined || status < 500) && isQuota(words)) return 'quota'
  return status === undefined ? kindOfMessage(words) : kindOfStatus(status)
}

function kindOfStatus(status: number): WorldFailureKind {
  if (status === 401 || status === 403) return 'login'
  if (status === 402) return 'quota'
  if (status === 404) return 'not-found'
  if (status === 408) return 'timeout'
  if (status === 429) return 'rate-limit'
  return status >= 500 ? 'server' : 'rejected'
}

/**
 * The first match wins, so the order matters: "connection timed out" is a timeout, and a lost connection is
 * often called a server error too.
 */
const kindsByPhrase: readonly (readonly [WorldFailureKind, RegExp])[] = [
  ['rate-limit', /rate.?limit|too many requests|exhausted your capacity/i],
  [
    'login',
    /not logged in|log ?in|authenticat|unauthori[sz]ed|api[_ ]key|auth (method|type)|missing environment variable/i,
  ],
  ['timeout', /timed? ?out|ETIMEDOUT/i],
  [
    'transport',
    /connect|network|fetch failed|socket|stream (ended|closed)|terminated|E(CONN|PIPE|HOST|AI_)|unexpected EOF|premature close/i,
  ],
  ['server', /high demand|overloaded|server error|internal error|unavailable/i],
]

function kindOfMessage(words: string): WorldFailureKind {
  return kindsByPhrase.find(([, pattern]) => pattern.test(words))?.[0] ?? 'harness'
}

/**
 * Finds an HTTP status in texts such as "unexpected status 401", "(HTTP 401)", "API Error: 500 …", "429 Too
 * many…" or `"code":401`.
 */
function statusIn(words: string): number | undefined {
  const named = /(?:status(?: code)?:?|HTTP|API Error:|"(?:code|status)":|error:)\s*\(?([45]\d\d)\b/i.exec(
    words,
  )
  const status = named?.[1] ?? /^\[?\(?([45]\d\d)\b/.exec(words)?.[1]
  return status === undefined ? undefined : Number(status)
}

const agentStops: readonly (readonly [AgentStop, RegExp])[] = [
  [
    'context-overflow',
    /context_length_exceeded|maximum context length|prompt is too long|context window|input token count.{0,40}exceeds the maximum/i,
  ],
  ['output-limit', /max_(output_)?tokens|output token (maximum|limit)|MAX_TOKENS/i],
  ['refusal', /content[_ ]filter|usage policy|\bSAFETY\b/i],
]

/**
 * The stop reason if the agent itself caused the error: its prompt or answer was too long, or the model
 * refused. Such an attempt is scored.
 */
export function agentStop({
  message: words,
  status = statusIn(words),
}: ReportedError): AgentStop | undefined {
  if (status !== undefined && ![400, 413, 422].includes(status)) return undefined
  return agentStops.find(([, pattern]) => pattern.test(words))?.[0]
}
