import { APICallError } from '@ai-sdk/provider'
import { messageOf, WorldFailure } from '../../core/errors/errors.js'
import { networkCode, networkFailure } from './network.js'
import { retryAfter } from './retry-after.js'

/** What an endpoint said when it did not give a reply, whichever library wrapped it. */
interface Refusal {
  readonly status: number | undefined
  /** The provider's own sentence. */
  readonly words: string
  /** All that was said, for recognizing codes. */
  readonly everything: string
  readonly headers: Readonly<Record<string, string>>
  /** The endpoint answered with a good status, and with an error in its place. */
  readonly isWrapped?: boolean
}

export interface FailureContext {
  readonly model: string
  readonly where: string
  readonly keyVariable: string | undefined
  /** Where the same key may be good, for a provider whose keys belong to a region. */
  readonly otherRegions?: readonly string[]
  redact(text: string): string
}

const longest = 400

export function failureOf(error: unknown, context: FailureContext): WorldFailure {
  const failure = classify(error, context)
  // Made anew without its cause: what libraries attach (bodies, headers) may hold what must not be logged.
  return new WorldFailure(failure.kind, context.redact(failure.message), {
    retryable: failure.retryable,
    retryAfterMs: failure.retryAfterMs,
    mayHaveCost: failure.mayHaveCost,
    ...(failure.spent === undefined ? {} : { spent: failure.spent }),
    ...(failure.hint === undefined ? {} : { hint: failure.hint }),
  })
}

function classify(error: unknown, context: FailureContext): WorldFailure {
  if (error instanceof WorldFailure) return error
  const refusal = refusalOf(error)
  const { status } = refusal
  if (networkCode(error) !== undefined)
    return networkFailure(error, context.where, status === undefined ? 'sent' : 'replying')
  // One library reports an event that it could not read as a failed server.
  const unread = /AI_(JSONParse|TypeValidation)Error/.test(refusal.everything)
  if (status === undefined || status < 300 || unread) return unusable(refusal, error, context)
  const failure = refused(status, refusal, context)
  // A call that was taken may have been billed, whatever came of it.
  return refusal.isWrapped === true ? mayHaveCost(failure) : failure
}

function mayHaveCost({ kind, message, retryable, retryAfterMs, hint }: WorldFailure): WorldFailure {
  const more = hint === undefined ? {} : { hint }
  return new WorldFailure(kind, message, { retryable, retryAfterMs, mayHaveCost: true, ...more })
}

/** The endpoint took the call and began to answer; from here on it may have cost something. */
function unusable(refusal: Refusal, error: unknown, context: FailureContext): WorldFailure {
  const inside = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const broken = (kind: WorldFailure['kind'], retryable: boolean) =>
    new WorldFailure(kind, `${context.model} failed while answering: ${refusal.words}`, {
      retryable,
      mayHaveCost: true,
    })
  if (isQuota(refusal)) return broken('quota', false)
  if (/rate.?limit/i.test(refusal.everything)) return broken('rate-limit', true)
  if (/overloaded|server_error|internal error|api_error/i.test(refusal.everything))
    return broken('server', true)
  const detail = refusal.isWrapped === true ? refusal.words : shorten(messageOf(inside))
  return new WorldFailure('malformed', `${context.where} sent a reply that cannot be read: ${detail}`, {
    retryable: true,
    mayHaveCost: true,
    hint: 'Check that the endpoint speaks the API of this provider.',
  })
}

function refused(status: number, refusal: Refusal, context: FailureContext): WorldFailure {
  const { model, where } = context
  const said = refusal.words === '' ? `(${status})` : `(${status}): ${refusal.words}`
  const retryAfterMs = retryAfter(refusal.headers, Date.now()) ?? delayIn(refusal.everything)
  const final = (kind: WorldFailure['kind'], message: string, hint: string) =>
    new WorldFailure(kind, message, { retryable: false, hint })
  if (status === 402 || (status < 500 && isQuota(refusal))) {
    return final(
      'quota',
      `The quota for ${model} is used up ${said}`,
      'Add credit or raise the limit at the provider.',
    )
  }
  // Google answers a wrong key with 400.
  if (
    status === 401 ||
    status === 403 ||
    /"API_KEY_INVALID"|API key (not valid|expired)/.test(refusal.everything)
  ) {
    return final('login', `${where} refused the login for ${model} ${said}`, loginHint(context))
  }
  if (status === 404) {
    return final(
      'not-found',
      `${where} does not know ${model} ${said}`,
      'Check the model’s name and the endpoint.',
    )
  }
  // The Responses API may report these in a body that came with a good status.
  if (status === 429 || /"code":\s*"rate_limit_exceeded"/.test(refusal.everything)) {
    return new WorldFailure('rate-limit', `${where} is limiting calls to ${model} ${said}`, {
      retryable: true,
      retryAfterMs,
    })
  }
  if (
    status >= 500 ||
    [408, 409, 424, 425].includes(status) ||
    /"code":\s*"server_error"/.test(refusal.everything)
  ) {
    return new WorldFailure('server', `${where} failed on a call to ${model} ${said}`, {
      retryable: true,
      retryAfterMs,
      // A gateway that stopped waiting says nothing about the model behind it.
      mayHaveCost: [408, 504, 524].includes(status),
    })
  }
  if (status < 400) {
    const target = refusal.headers.location ?? 'another address'
    return final('rejected', `${where} redirects to ${target}.`, 'Set the endpoint to where it redirects.')
  }
  return final('rejected', `${where} rejected a call to ${model} ${said}`, hintFor(refusal))
}

function loginHint({ keyVariable, otherRegions = [] }: FailureContext): string {
  if (keyVariable === undefined) return 'Set a key with apiKeyEnv, or sign in.'
  const lines = otherRegions.map(region => `\`endpoint: ${region}\``)
  const regions =
    lines.length === 0
      ? ''
      : ` Keys belong to a region: one of another needs ${lines.join(' or ')} with its model.`
  return `Check the key in ${keyVariable}.${regions}`
}

function hintFor(refusal: Refusal): string {
  if (/max_(completion_)?tokens|context length/i.test(refusal.everything)) {
    return 'Lower maxOutputTokens of this model: input and output have to fit into its context together.'
  }
  if (/enable_thinking/i.test(refusal.everything)) {
    return 'Set effort to `none`, or keep the thoughts with `stream: true` and `structured: text`.'
  }
  if (/model identifier is invalid|on-demand throughput/i.test(refusal.everything)) {
    return 'Check the model’s name and the region: some are called through an inference profile only (us.…, eu.…).'
  }
  return 'Correct the model’s options (temperature, effort, structured, extraBody) as the provider says.'
}

const quotaWords =
  /insufficient[_ ](balance|credits?|funds)|exceeded your (current|monthly) quota|credit balance|billing_hard_limit|reached your specified api usage limits|arrearage/i

/**
 * The words of real providers. An address such as aka.ms/oai/quotaincrease stands in ordinary rate limits, so "quota"
 * alone means nothing; neither does a quota that comes with a time to retry.
 */
function isQuota(refusal: Refusal): boolean {
  if (/insufficient_quota/.test(refusal.everything)) return true
  if (refusal.headers['retry-after'] !== undefined) return false
  // Google says the same of a minute and of a day, always with a delay; only the name of the limit tells them apart.
  if (/"RESOURCE_EXHAUSTED"/.test(refusal.everything) && delayIn(refusal.everything) !== undefined) {
    return /PerDay/.test(refusal.everything)
  }
  return quotaWords.test(refusal.everything)
}

/** Google's way to say when to come back: `"retryDelay": "23s"` in the body. */
function delayIn(body: string): number | undefined {
  const seconds = /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1]
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000)
}

/** The prompt did not fit: the agent's own doing, and scored. */
export function isContextOverflow(error: unknown): boolean {
  const refusal = refusalOf(error)
  if (refusal.status !== undefined && refusal.status >= 400 && ![400, 413, 422].includes(refusal.status))
    return false
  const text = refusal.everything
  const overflow =
    /context_length_exceeded|maximum context length|prompt is too long|input is too long|exceed(s|ed)?( the)?( available| model'?s?)? context|longer than the (model's context|maximum model) length|exceed_context_size|range of input length|input token count.{0,40}exceeds the maximum/i
  if (!overflow.test(text)) return false
  const sizes = inputAndLimit(text)
  // A short prompt that does not fit only because of the output asked for is a matter of configuration.
  return sizes === undefined || sizes.input * 2 >= sizes.limit
}

function inputAndLimit(text: string): { input: number; limit: number } | undefined {
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

/** The provider would not show the prompt to the model, or the answer to us. */
export function isFiltered(error: unknown): boolean {
  const refusal = refusalOf(error)
  return (
    (refusal.status === 400 || refusal.status === undefined) &&
    /content_filter|content management policy|content_policy_violation|data_inspection_failed|"code":\s*"invalid_prompt"/i.test(
      refusal.everything,
    )
  )
}

/**
 * Evidence is only what the endpoint said about a failure: never the prompt or a half-read reply, which libraries
 * attach too and which may hold any words.
 */
function refusalOf(error: unknown): Refusal {
  if (APICallError.isInstance(error)) {
    const status = error.statusCode
    const said: unknown = error.responseBody ?? ''
    const body = typeof said === 'string' ? said : JSON.stringify(said)
    const failed = status === undefined || status >= 300
    const wrapped = failed ? undefined : errorIn(body)
    if (wrapped !== undefined) {
      const words = shorten(wordsIn(wrapped.text) ?? '')
      return { status: wrapped.status, words, everything: wrapped.text, headers: {}, isWrapped: true }
    }
    return {
      status,
      words: shorten((failed ? wordsIn(body) : undefined) ?? error.message),
      everything: failed ? `${error.message} ${body}` : '',
      headers: error.responseHeaders ?? {},
    }
  }
  if (error instanceof Error || !isRecord(error)) {
    return { status: undefined, words: shorten(messageOf(error)), everything: '', headers: {} }
  }
  // An error that came as an event of a stream.
  const status = typeof error.statusCode === 'number' ? error.statusCode : undefined
  const event = JSON.stringify(error)
  return { status, words: shorten(wordsIn(event) ?? ''), everything: event, headers: {} }
}

/**
 * The error that gateways send with status 200 in place of an answer, and the status that it names. Only the error
 * itself is evidence: whatever stands beside it may be a part of an answer.
 */
function errorIn(body: string): { readonly status: number | undefined; readonly text: string } | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    // Not JSON: the library's own sentence says what is wrong with it.
    return undefined
  }
  const { error } = isRecord(parsed) ? parsed : {}
  if (!isRecord(error) && (typeof error !== 'string' || error === '')) return undefined
  const codes = isRecord(error) ? [error.code, error.status] : []
  // Anything else may refuse to become a number, and then it throws.
  const plain = codes.filter(code => typeof code === 'number' || typeof code === 'string')
  const status = plain.map(Number).find(code => Number.isInteger(code) && code >= 400 && code < 600)
  return { status, text: JSON.stringify({ error }) }
}

/** Characters of a page that are looked through for its text. */
const mostMarkup = 8_000

/** The sentence in an error body; providers put it in different places. */
function wordsIn(body: string): string | undefined {
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
    // Not JSON: a page of a proxy or a gateway. Its text says more than its markup.
    // Only the beginning is shown, and an expression over a megabyte of open tags would take hours.
    return body.slice(0, mostMarkup).replace(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
  }
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > longest ? `${line.slice(0, longest)}…` : line
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
