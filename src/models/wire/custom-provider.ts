import { APICallError, type JSONObject } from '@ai-sdk/provider'
import { z } from 'zod'
import type { ModelConfig } from '../../core/config/config.js'
import { InputError, WorldFailure } from '../../core/errors/errors.js'
import type { FileSupport, Model, ModelReply, ModelRequest, Price } from '../../core/ports/model.js'
import { redactSecrets } from '../../core/redaction/known-secrets.js'
import { compatibleProvider } from './compatible.js'
import {
  type CallTuning,
  type Effort,
  type Environment,
  type Fetch,
  type ProviderDefinition,
  type Structured,
  withoutUndefined,
} from './definition.js'
import { failureOf, isContextOverflow, isFiltered } from './failure.js'
import type { Transport } from './http.js'
import { emptyReplyRule, rejectEmptyReply } from './reply.js'
import { rejectLongReply, replyLimit } from './reply-limit.js'
import * as resolve from './resolve.js'

/** Fields of both kinds of custom provider: an endpoint and a function. */
interface CustomProviderFields {
  /** The part before the slash in `provider/model`. */
  readonly id: string
  /** Base URL. The model's `endpoint` and the `endpointVariables` take precedence. */
  readonly endpoint?: string
  readonly endpointVariables?: readonly string[]
  /** Environment variables for the key, the preferred one first. If any are listed, one must be set. */
  readonly keyVariables?: readonly string[]
  /** US dollars per million tokens; the model's `price` takes precedence. */
  readonly price?: Price
  /** Accepted inputs besides text. By default, a function accepts none, and an endpoint is sent all kinds. */
  readonly files?: FileSupport
}

/** An endpoint that speaks Chat Completions. */
export interface CustomEndpoint extends CustomProviderFields {
  /** Supported ways to request JSON, best first; by default, all three. */
  readonly structured?: readonly Structured[]
  /** Body fields specific to this endpoint. They replace `reasoning_effort`. */
  body?(call: Pick<CallTuning, 'model' | 'effort' | 'maxOutputTokens'>): JSONObject
}

/** Model options that a custom function must declare in `takes`; others are refused. */
export const modelOptions = [
  ...(['endpoint', 'temperature', 'effort', 'seed', 'stream', 'structured', 'extraBody'] as const),
] satisfies readonly (keyof ModelConfig)[]
export type ModelOption = (typeof modelOptions)[number]

/** A custom provider given as a function from request to reply. */
export interface CustomModel extends CustomProviderFields {
  /** Model options that `generate` uses; setting any other option is refused. */
  readonly takes?: readonly ModelOption[]
  /**
   * Makes a single call. Retries, limits and caps are handled by the run. Any error that it throws is an
   * external failure, so the attempt is not scored; throw a `WorldFailure` to say which kind.
   */
  generate(request: ModelRequest, call: CustomModelCall): Promise<ModelReply>
  close?(): Promise<void>
}

export interface CustomModelCall {
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
  /** POSTs a text with the environment's proxies and certificates, and classifies network failures. */
  readonly fetch: Fetch
}

/** A provider whose models call a user's function. */
export type CustomModelProvider = Pick<
  ProviderDefinition,
  'id' | 'keyVariables' | 'endpointVariables' | 'keyNeeded' | 'endpoint' | 'price' | 'files' | 'close'
> &
  Required<Pick<CustomModel, 'takes'>> &
  Pick<CustomModel, 'generate'>

export type CustomProvider = ProviderDefinition | CustomModelProvider

/** Defines a custom provider in a file to which a model's `provider` in the config refers. */
export function defineProvider(parts: CustomEndpoint | CustomModel): CustomProvider {
  const { id, endpoint, files } = parts
  if (!/^[a-z][a-z0-9-]*$/.test(id)) {
    throw new TypeError(`Invalid provider id "${id}": use lowercase letters, digits and dashes only`)
  }
  const keyVariables = parts.keyVariables ?? []
  const common = {
    id,
    keyVariables,
    endpointVariables: parts.endpointVariables ?? [],
    keyNeeded: keyVariables.length > 0,
    endpoint: () => endpoint,
    price: parts.price,
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
    close: () => parts.close?.() ?? Promise.resolve(),
  }
}

export function isCustomProvider(value: unknown): value is CustomProvider {
  if (typeof value !== 'object' || value === null) return false
  const { id, create, generate } = value as Record<string, unknown>
  return typeof id === 'string' && (typeof create === 'function' || typeof generate === 'function')
}

/**
 * The error to throw for a failed HTTP response, for use in `generate`. It recognizes invalid keys, quotas,
 * rate limits with Retry-After, filters and prompts that are too long.
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

type Config = Parameters<typeof resolve.resolveKey>[0] & { readonly maxOutputTokens: number }

/** Creates a model from a user's function, with the same guarantees as for any model. */
export function createCustomModel(
  provider: CustomModelProvider,
  config: Config,
  { env, transport }: { readonly env: CustomModelCall['env']; readonly transport: Transport },
): Model {
  checkSupportedOptions(config, provider)
  const { maxOutputTokens, temperature, effort, structured, stream } = config
  const { name } = resolve.splitModel(config.model)
  const { key, variable } = resolve.resolveKey(config, provider, env)
  const endpoint = resolve.resolveEndpoint(config, provider, env) ?? provider.endpoint?.(env)
  const secrets = [...(key === undefined ? [] : [key]), ...transport.secrets]
  const context = {
    model: config.model,
    host: endpoint === undefined ? provider.id : new URL(endpoint).host,
    keyVariable: variable,
    redact: (text: string) => redactSecrets(text, secrets),
  }
  const limit = replyLimit(maxOutputTokens)
  const call: Omit<CustomModelCall, 'signal'> = {
    model: name,
    maxOutputTokens,
    key,
    endpoint,
    temperature,
    effort,
    structured,
    stream,
    env,
    extraBody: config.extraBody ?? {},
    fetch: transport.fetchWithLimit(limit),
  }
  return {
    id: config.model,
    parameters: withoutUndefined({
      endpoint,
      temperature,
      effort,
      maxOutputTokens,
      structured,
      seed: config.seed,
      extraBody: config.extraBody,
      emptyReplies: config.emptyReplies === 'answer' ? config.emptyReplies : undefined,
    }),
    maxOutputTokens,
    price: config.price ?? provider.price,
    files: provider.files?.(name),
    generate: async ({ seed, ...request }, signal) => {
      signal.throwIfAborted()
      const asked = config.seed === true && seed !== undefined ? { ...request, seed } : request
      try {
        const reply = checkReply(await provider.generate(asked, { ...call, signal }), provider.id)
        const whole = rejectLongReply(reply, context.host, limit)
        return rejectEmptyReply(whole, emptyReplyRule(request, config.emptyReplies))
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (isContextOverflow(error)) return replyWithoutText('context-overflow')
        if (isFiltered(error)) return replyWithoutText('content-filter')
        throw failureOf(error, context)
      }
    },
  }
}

const replySchema = z.object({
  text: z.string(),
  stop: z.enum(['stop', 'length', 'tool-calls', 'content-filter', 'context-overflow']),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).optional(),
  usage: z.object({}),
})

/** The reply is checked at run time: a user's function may be JavaScript or pass on raw server output. */
function checkReply(reply: ModelReply, id: string): ModelReply {
  const { error } = replySchema.safeParse(reply)
  if (error === undefined) return reply
  throw new WorldFailure(
    'malformed',
    `The provider ${id} returned an invalid reply: ${z.prettifyError(error)}`,
    {
      retryable: true,
      mayHaveCost: true,
      hint: 'See docs/extending.md for what `generate` returns.',
    },
  )
}

export function replyWithoutText(stop: ModelReply['stop']): ModelReply {
  return { text: '', stop, usage: {} }
}

/** Refuses options that the function does not use, rather than ignoring them. */
function checkSupportedOptions(config: Config, { id, takes }: CustomModelProvider): void {
  const option = optionsInUse(config).find(given => !(takes as readonly string[]).includes(given))
  if (option === undefined) return
  const known = (modelOptions as readonly string[]).includes(option)
  throw new InputError(`${config.model}: the provider ${id} does not use \`${option}\`.`, {
    hint: known
      ? `Leave it out, or add '${option}' to \`takes\` of the provider and use it there.`
      : 'Leave it out.',
  })
}

/** Options set in the config that not every provider supports. */
export function optionsInUse(config: Omit<Config, 'maxOutputTokens'>): readonly string[] {
  const isGiven: Readonly<Record<ModelOption | 'auth' | 'apiVersion', boolean>> = {
    endpoint: config.endpoint !== undefined,
    temperature: config.temperature !== undefined,
    effort: config.effort !== undefined,
    seed: config.seed === true,
    stream: config.stream,
    structured: config.structured !== 'auto',
    extraBody: config.extraBody !== undefined,
    auth: config.auth !== 'key',
    apiVersion: config.apiVersion !== undefined,
  }
  return Object.entries(isGiven).flatMap(([option, given]) => (given ? [option] : []))
}
