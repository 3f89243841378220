import { APICallError, type JSONObject } from '@ai-sdk/provider'
import type { ModelConfig } from '../../core/config/config.js'
import type { FileSupport, ModelReply, ModelRequest, Price } from '../../core/ports/model.js'
import { compatibleProvider } from './compatible.js'
import type { CallTuning, Effort, Environment, Fetch, ProviderDefinition, Structured } from './definition.js'

/** What the two kinds of a user's own provider have in common. */
interface OwnParts {
  /** The part before the slash in `provider/model`. */
  readonly id: string
  /** Base URL; `endpoint` of the model and `endpointVariables` go before it. */
  readonly endpoint?: string
  readonly endpointVariables?: readonly string[]
  /** Environment variables that may hold the key, the usual one first. If there are any, one has to be set. */
  readonly keyVariables?: readonly string[]
  /** US dollars per million tokens; `price` of the model goes before it. */
  readonly price?: Price
  /** What its models take besides text. Not given: a function takes none, and an endpoint is asked with any. */
  readonly files?: FileSupport
}

/** An endpoint that speaks Chat Completions. */
export interface OwnEndpoint extends OwnParts {
  /** How it can be asked for JSON, best first; all three ways if not given. */
  readonly structured?: readonly Structured[]
  /** Fields of the body that only this endpoint takes. They replace `reasoning_effort`. */
  body?(call: Pick<CallTuning, 'model' | 'effort' | 'maxOutputTokens'>): JSONObject
}

/** Options of a model that a provider has to say it uses: those that it does not use are refused. */
export const options = [
  ...(['endpoint', 'temperature', 'effort', 'seed', 'stream', 'structured', 'extraBody'] as const),
] satisfies readonly (keyof ModelConfig)[]
export type ModelOption = (typeof options)[number]

/** Anything else: a function from request to reply. */
export interface OwnModel extends OwnParts {
  /** Options of the model that `generate` uses; others are refused. */
  readonly takes?: readonly ModelOption[]
  /**
   * One call, made once: retries, limits and caps are the run's. Whatever it throws is a failure of the world and never
   * a score; `WorldFailure` says which.
   */
  generate(request: ModelRequest, call: OwnCall): Promise<ModelReply>
  close?(): Promise<void>
}

export interface OwnCall {
  /** The part after the slash in `provider/model`. */
  readonly model: string
  readonly maxOutputTokens: number
  readonly signal: AbortSignal
  readonly key: string | undefined
  readonly endpoint: string | undefined
  readonly temperature: number | undefined
  readonly effort: Effort | undefined
  readonly structured: ModelConfig['structured']
  readonly stream: boolean
  readonly extraBody: Readonly<Record<string, unknown>>
  /** The variables, with those of `.env` files. */
  readonly env: Environment
  /** POSTs a text, through the proxies and certificates of the environment; tells failures of the network apart. */
  readonly fetch: Fetch
}

/** A provider whose models are a function of the user's. */
export type GeneratingProvider = Pick<
  ProviderDefinition,
  'id' | 'keyVariables' | 'endpointVariables' | 'keyNeeded' | 'endpoint' | 'price' | 'files' | 'close'
> &
  Required<Pick<OwnModel, 'takes'>> &
  Pick<OwnModel, 'generate'>

export type OwnProvider = ProviderDefinition | GeneratingProvider

/** A provider in one file, named by `provider` of a model in the config. */
export function defineProvider(parts: OwnEndpoint | OwnModel): OwnProvider {
  const { id, endpoint, files } = parts
  if (!/^[a-z][a-z0-9-]*$/.test(id)) {
    throw new TypeError(`The id "${id}" may hold small letters, digits and dashes only`)
  }
  const keyVariables = parts.keyVariables ?? []
  const common = {
    id,
    keyVariables,
    endpointVariables: parts.endpointVariables ?? [],
    keyNeeded: keyVariables.length > 0,
    ...(endpoint === undefined ? {} : { endpoint: () => endpoint }),
    ...(parts.price === undefined ? {} : { price: parts.price }),
    ...(files === undefined ? {} : { files: () => files }),
  }
  if (!('generate' in parts)) {
    const { structured, body } = parts
    return {
      ...compatibleProvider({
        ...common,
        ...(structured === undefined ? {} : { structured }),
        ...(body === undefined ? {} : { body }),
      }),
    }
  }
  return {
    ...common,
    takes: parts.takes ?? [],
    generate: (request, call) => parts.generate(request, call),
    ...(parts.close === undefined ? {} : { close: () => parts.close?.() ?? Promise.resolve() }),
  }
}

export function isOwnProvider(value: unknown): value is OwnProvider {
  if (typeof value !== 'object' || value === null) return false
  const { id, create, generate } = value as Record<string, unknown>
  return typeof id === 'string' && (typeof create === 'function' || typeof generate === 'function')
}

/**
 * For a `generate` that speaks HTTP: the error to throw for a response that is none. Key, quota, rate limit with its
 * Retry-After, filter, prompt too long: it is read from the status and the body like that of any provider.
 */
export async function responseError(response: Response): Promise<Error> {
  const responseBody = await response.text()
  return new APICallError({
    message: `status ${response.status}`,
    url: response.url,
    requestBodyValues: {},
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody,
  })
}
