import { APICallError } from '@ai-sdk/provider'
import { messageOf, WorldFailure } from '../../core/errors/errors.js'
import { networkCode, networkFailure } from './http.js'

/** An endpoint's error response, independent of the library that wrapped it. */
interface ErrorResponse {
  readonly status: number | undefined
  /** The provider's own message. */
  readonly message: string
  /** The full error text, for matching error codes. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether the endpoint answered with a success status and an error in the body. */
  readonly isWrapped?: boolean
}

export interface FailureContext {
  readonly model: string
  readonly host: string
  readonly keyVariable: string | undefined
  /** Other regions where the key may be valid, for providers with regional keys. */
  readonly otherRegions?: readonly string[]
  redact(text: string): string
}

const maxMessageLength = 400

export function failureOf(error: unknown, context: FailureContext): WorldFailure {
  const failure = classify(error, context)
  // The failure is rebuilt without its cause, because attached bodies and headers may hold secrets.
  return new WorldFailure(failure.kind, context.redact(failure.message), {
    retryable: failure.retryable,
    retryAfterMs: failure.retryAfterMs,
    mayHaveCost: failure.mayHaveCost,
    spent: failure.spent,
    hint: failure.hint,
  })
}

function classify(error: unknown, context: FailureContext): WorldFailure {
  if (error instanceof WorldFailure) return error
  const response = errorResponseOf(error)
  const { status } = response
  if (networkCode(error) !== undefined)
    return networkFailure(error, context.host, status === undefined ? 'sent' : 'replying')
  // One library reports an unreadable stream event as a server error.
  const unread = /AI_(JSONParse|TypeValidation)Error/.test(response.body)
  if (status === undefined || status < 300 || unread) return unreadableReply(response, error, context)
  const failure = httpFailure(status, response, context)
  // The endpoint accepted the call, so it may have been billed in spite of the error.
  return response.isWrapped === true ? mayHaveCost(failure) : failure
}

function mayHaveCost({ kind, message, retryable, retryAfterMs, hint }: WorldFailure): WorldFailure {
  return new WorldFailure(kind, message, { retryable, retryAfterMs, mayHaveCost: true, hint })
}

/** A reply that cannot be read. The endpoint accepted the call, so it may have been billed. */
function unreadableReply(response: ErrorResponse, error: unknown, context: FailureContext): WorldFailure {
  const inside = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const broken = (kind: WorldFailure['kind'], retryable: boolean) =>
    new WorldFailure(kind, `${context.model} failed while answering: ${response.message}`, {
      retryable,
      mayHaveCost: true,
    })
  if (isQuota(response)) return broken('quota', false)
  if (/rate.?limit/i.test(response.body)) return broken('rate-limit', true)
  if (/overloaded|server_error|internal error|api_error/i.test(response.body)) return broken('server', true)
  const detail = response.isWrapped === true ? response.message : shorten(messageOf(inside))
  return new WorldFailure('malformed', `${context.host} sent an unreadable reply: ${detail}`, {
    retryable: true,
    mayHaveCost: true,
    hint: 'Check that the endpoint speaks the API of this provider.',
  })
}

function httpFailure(status: number, response: ErrorResponse, context: FailureContext): WorldFailure {
  const { model, host } = context
  const detail = response.message === '' ? `(${status})` : `(${status}): ${response.message}`
  const retryAfterMs = retryAfter(response.headers, Date.now()) ?? delayIn(response.body)
  const final = (kind: WorldFailure['kind'], message: string, hint: string) =>
    new WorldFailure(kind, message, { retryable: false, hint })
  if (status === 402 || (status < 500 && isQuota(response))) {
    return final(
      'quota',
      `The quota for ${model} is used up ${detail}`,
      'Add credit or raise the limit at the provider.',
    )
  }
  // Google sends status 400 for an invalid key.
  if (
    status === 401 ||
    status === 403 ||
    /"API_KEY_INVALID"|API key (not valid|expired)/.test(response.body)
  ) {
    return final('login', `${host} rejected the credentials for ${model} ${detail}`, loginHint(context))
  }
  if (status === 404) {
    return final(
      'not-found',
      `${host} does not know ${model} ${detail}`,
      'Check the model’s name and the endpoint.',
    )
  }
  // With the Responses API, a rate limit may be reported in a body with a success status.
  if (status === 429 || /"code":\s*"rate_limit_exceeded"/.test(response.body)) {
    return new WorldFailure('rate-limit', `${host} rate-limited a call to ${model} ${detail}`, {
      retryable: true,
      retryAfterMs,
    })
  }
  if (
    status >= 500 ||
    [408, 409, 424, 425].includes(status) ||
    /"code":\s*"server_error"/.test(response.body)
  ) {
    return new WorldFailure('server', `${host} failed on a call to ${model} ${detail}`, {
      retryable: true,
      retryAfterMs,
      // After a gateway timeout, the model may still have run.
      mayHaveCost: [408, 504, 524].includes(status),
    })
  }
  if (status < 400) {
    const target = response.headers.location ?? 'another address'
    return final('rejected', `${host} redirects to ${target}.`, 'Set the endpoint to where it redirects.')
  }
  return final('rejected', `${host} rejected a call to ${model} ${detail}`, rejectionHint(response))
}

function loginHint({ keyVariable, otherRegions = [] }: FailureContext): string {
  if (keyVariable === undefined) return 'Set a key with apiKeyEnv, or sign in.'
  const lines = otherRegions.map(region => `\`endpoint: ${region}\``)
  const regions =
    lines.length === 0
      ? ''
      : ` Keys are valid in one region only: for a key of another region, set ${lines.join(' or ')}.`
  return `Check the key in ${keyVariable}.${regions}`
}

function rejectionHint(response: ErrorResponse): string {
  if (/max_(completion_)?tokens|context length/i.test(response.body)) {
    return 'Lower maxOutputTokens of this model: input and output have to fit into its context together.'
  }
  if (/enable_thinking/i.test(response.body)) {
    return 'Set effort to `none`, or enable thinking with `stream: true` and `structured: text`.'
  }
  if (/model identifier is invalid|on-demand throughput/i.test(response.body)) {
    return 'Check the model’s name and the region: some models need an inference profile (us.…, eu.…).'
  }
  return 'Correct the model’s options (temperature, effort, structured, extraBody) as the provider says.'
}

const quotaWords =
  /insufficient[_ ](balance|credits?|funds)|exceeded your (current|monthly) quota|credit balance|billing_hard_limit|reached your specified api usage limits|arrearage/i

/**
 * Whether an error is an exhausted quota. The word "quota" alone is no evidence, because rate limits link to
 * pages such as aka.ms/oai/quotaincrease. An error with a retry delay is a rate limit.
 */
function isQuota(response: ErrorResponse): boolean {
  if (/insufficient_quota/.test(response.body)) return true
  if (response.headers['retry-after'] !== undefined) return false
  // Google sends the same error, with a delay, for limits per minute and per day. Only the limit's name
  // differs.
  if (/"RESOURCE_EXHAUSTED"/.test(response.body) && delayIn(response.body) !== undefined) {
    return /PerDay/.test(response.body)
  }
  return quotaWords.test(response.body)
}

/** Reads the retry delay that Google sends in the body: `"retryDelay": "23s"`. */
function delayIn(body: string): number | undefined {
  const seconds = /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1]
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000)
}

/** Whether the prompt was too long for the model. The agent caused this, so the attempt is scored. */
export function isContextOverflow(error: unknown): boolean {
  const response = errorResponseOf(error)
  if (response.status !== undefined && response.status >= 400 && ![400, 413, 422].includes(response.status))
    return false
  const text = response.body
  const overflow =
    /context_length_exceeded|maximum context length|prompt is too long|input is too long|exceed(s|ed)?( the)?( available| model'?s?)? context|longer than the (model's context|maximum model) length|exceed_context_size|range of input length|input token count.{0,40}exceeds the maximum/i
  if (!overflow.test(text)) return false
  const sizes = contextSizes(text)
  // If a short prompt does not fit, the requested output is too long, which is a mistake in the config.
  return sizes === undefined || sizes.input * 2 >= sizes.limit
}

function contextSizes(text: string): { input: number; limit: number } | undefined {
  const limit = /maximum context length (?:is|of) (\d+)/i.exec(text)?.[1]
  const input =
    /(\d+) (?:tokens )?(?:in|from) the (?:messages|prompt|input)|(?:has|contains) (\d+) input tokens/i.exec(
      text,
    )
  const tokens = input?.[1] ?? input?.[2]
  if (limit !== undefined && tokens !== undefined) return { input: Number(tokens), limit: Number(limit) }
  const sum = /exceed context limit: (\d+) \+ \d+ > (\d+)/i.exec(text)
  return sum === null ? undefined : { input: Number(sum[1]), limit: Number(sum[2]) }
}

/** Whether the provider filtered the prompt or the answer. */
export function isFiltered(error: unknown): boolean {
  const response = errorResponseOf(error)
  return (
    (response.status === 400 || response.status === undefined) &&
    /content_filter|content management policy|content_policy_violation|data_inspection_failed|"code":\s*"invalid_prompt"/i.test(
      response.body,
    )
  )
}

/**
 * Extracts the endpoint's own error. Libraries also attach the prompt or a partial reply, which may contain
 * any words, so these are ignored.
 */
function errorResponseOf(error: unknown): ErrorResponse {
  if (APICallError.isInstance(error)) {
    const status = error.statusCode
    const raw: unknown = error.responseBody ?? ''
    const body = typeof raw === 'string' ? raw : JSON.stringify(raw)
    const failed = status === undefined || status >= 300
    const wrapped = failed ? undefined : wrappedError(body)
    if (wrapped !== undefined) {
      const message = shorten(messageIn(wrapped.text) ?? '')
      return { status: wrapped.status, message, body: wrapped.text, headers: {}, isWrapped: true }
    }
    return {
      status,
      message: shorten((failed ? messageIn(body) : undefined) ?? error.message),
      body: failed ? `${error.message} ${body}` : '',
      headers: error.responseHeaders ?? {},
    }
  }
  if (error instanceof Error || !isRecord(error)) {
    return { status: undefined, message: shorten(messageOf(error)), body: '', headers: {} }
  }
  // The error arrived as a stream event.
  const status = typeof error.statusCode === 'number' ? error.statusCode : undefined
  const event = JSON.stringify(error)
  return { status, message: shorten(messageIn(event) ?? ''), body: event, headers: {} }
}

/**
 * The error that some gateways send with status 200, and the status that it names. Other fields are ignored,
 * because they may be part of an answer.
 */
function wrappedError(
  body: string,
): { readonly status: number | undefined; readonly text: string } | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    // The body is not JSON; the library's own message describes the error.
    return undefined
  }
  const { error } = isRecord(parsed) ? parsed : {}
  if (!isRecord(error) && (typeof error !== 'string' || error === '')) return undefined
  const codes = isRecord(error) ? [error.code, error.status] : []
  // Only numbers and strings are converted, because converting other types may throw.
  const plain = codes.filter(code => typeof code === 'number' || typeof code === 'string')
  const status = plain.map(Number).find(code => Number.isInteger(code) && code >= 400 && code < 600)
  return { status, text: JSON.stringify({ error }) }
}

/** Maximum number of characters of an HTML page that are searched for text. */
const maxMarkupLength = 8_000

/** The message in an error body, in any of the places where providers put it. */
function messageIn(body: string): string | undefined {
  if (body.trim() === '') return undefined
  try {
    const parsed: unknown = JSON.parse(body)
    const places = isRecord(parsed) ? [parsed.error, parsed, parsed.detail] : []
    for (const place of places) {
      if (typeof place === 'string') return place
      if (isRecord(place) && typeof place.message === 'string') return place.message
    }
    return body
  } catch {
    // The body is a page of a proxy or gateway; its text is more useful than its markup. Only the beginning
    // is searched, because the expression would take hours on a megabyte of open tags.
    return body.slice(0, maxMarkupLength).replace(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
  }
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > maxMessageLength ? `${line.slice(0, maxMessageLength)}…` : line
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Milliseconds to wait from `now`. Headers give seconds, a date, or the provider's own form. */
export function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const milliseconds = parseSeconds(headers['retry-after-ms'])
  if (milliseconds !== undefined) return milliseconds
  const value = headers['retry-after']
  const seconds = parseSeconds(value)
  if (seconds !== undefined) return Math.ceil(seconds * 1000)
  if (value === undefined) return undefined
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function parseSeconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
}
