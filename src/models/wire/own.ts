import { APICallError, type JSONObject } from '@ai-sdk/provider'
import type { ModelConfig } from '../../core/config/config.js'
import type { FileSupport, ModelReply, ModelRequest, Price } from '../../core/ports/model.js'
import { compatibleProvider } from './compatible.js'
import type { CallTuning, Effort, Environment, Fetch, ProviderDefinition, Structured } from './definition.js'

/** Fields shared by both kinds of custom provider. */
interface OwnParts {
  /** The part before the slash in `provider/model`. */
  readonly id: string
  /** Base URL; the model's `endpoint` and `endpointVariables` take precedence. */
  readonly endpoint?: string
  readonly endpointVariables?: readonly string[]
  /** Environment variables that may hold the key, the usual one first. If any are listed, one must be set. */
  readonly keyVariables?: readonly string[]
  /** US dollars per million tokens; the model's `price` takes precedence. */
  readonly price?: Price
  /**
   * Inputs that its models accept besides text. By default a function accepts none, and an endpoint is sent
   * any.
   */
  readonly files?: FileSupport
}

/** An endpoint that speaks Chat Completions. */
export interface OwnEndpoint extends OwnParts {
  /** Supported ways to request JSON, best first; defaults to all three. */
  readonly structured?: readonly Structured[]
  /** Body fields specific to this endpoint. They replace `reasoning_effort`. */
  body?(call: Pick<CallTuning, 'model' | 'effort' | 'maxOutputTokens'>): JSONObject
}

/** Model options that a provider must declare; undeclared ones are refused. */
export const options = [
  ...(['endpoint', 'temperature', 'effort', 'seed', 'stream', 'structured', 'extraBody'] as const),
] satisfies readonly (keyof ModelConfig)[]
export type ModelOption = (typeof options)[number]

/** A custom provider given as a function from request to reply. */
export interface OwnModel extends OwnParts {
  /** Options of the model that `generate` uses; others are refused. */
  readonly takes?: readonly ModelOption[]
  /**
   * Makes a single call; the run handles retries, limits and caps. Any error it throws counts as an external
   * failure and never as a score; a `WorldFailure` says which kind.
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
  /** Environment variables, including those of `.env` files. */
  readonly env: Environment
  /** POSTs a text through the environment's proxies and certificates, and classifies network failures. */
  readonly fetch: Fetch
}

/** A provider whose models call a user's function. */
export type GeneratingProvider = Pick<
  ProviderDefinition,
  'id' | 'keyVariables' | 'endpointVariables' | 'keyNeeded' | 'endpoint' | 'price' | 'files' | 'close'
> &
  Required<Pick<OwnModel, 'takes'>> &
  Pick<OwnModel, 'generate'>

export type OwnProvider = ProviderDefinition | GeneratingProvider

/** Defines a provider in one file, which `provider` of a model in the config refers to. */
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
 * For a `generate` that speaks HTTP: the error to throw for a failed response. It recognizes invalid keys,
 * quotas, rate limits with Retry-After, filters and prompts that are too long from the status and the body,
 * as for any provider.
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
