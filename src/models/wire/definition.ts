import type { JSONObject, LanguageModelV3 } from '@ai-sdk/provider'
import type { ModelConfig, resolveModel } from '../../core/config/config.js'
import type { FileSupport, Model, Price } from '../../core/ports/model.js'

export type Environment = Readonly<Record<string, string | undefined>>
export type Effort = NonNullable<ModelConfig['effort']>
/** How JSON is requested: by schema, by JSON mode, or in the prompt only. */
export type Structured = 'schema' | 'json' | 'text'
type ProviderOptions = NonNullable<Parameters<LanguageModelV3['doGenerate']>[0]['providerOptions']>
export type Fetch = typeof globalThis.fetch

/**
 * Resolved and checked settings for building a client. Providers take them from here and not from the
 * environment.
 */
export interface ProviderSettings {
  readonly model: string
  readonly endpoint: string | undefined
  /** Whether the user set the endpoint; otherwise it is the provider's default. */
  readonly endpointGiven: boolean
  readonly key: string | undefined
  readonly keyVariable: string | undefined
  /** Signs in with Entra ID instead of a key. */
  readonly token: (() => Promise<string>) | undefined
  readonly apiVersion: string | undefined
  readonly structured: Structured
  readonly env: Environment
  /** Body fields that the provider must add itself, because it signs its requests. */
  readonly signedBody?: JSONObject | undefined
  readonly fetch: Fetch
}

export interface CallTuning {
  readonly model: string
  readonly endpointGiven: boolean
  readonly effort: Effort | undefined
  readonly maxOutputTokens: number
  /** Whether this call's schema can be enforced strictly; undefined without a schema. */
  readonly strict: boolean | undefined
  readonly signedBody?: JSONObject | undefined
}

/** A server on this machine that belongs to this process; see `ProviderDefinition.serve`. */
export interface OwnServer {
  /** Stands for the server in messages; `fetch` knows the real address. */
  readonly endpoint: string
  /** Everything about the server that affects the replies. */
  readonly parameters: Readonly<Record<string, string | number>>
  /** Starts the server if it is not running, and sends the request to it. */
  connect(fetch: Fetch): Fetch
}

/** Each provider file exports one of these as `provider`; its id is the file's name. */
export interface ProviderDefinition {
  readonly id: string
  /** Environment variables that hold the key, the usual one first. */
  readonly keyVariables: readonly string[]
  /**
   * Variables that belong to the key, such as its id. A `.env` file may set them too. None of them names a
   * host.
   */
  readonly loginVariables?: readonly string[]
  readonly endpointVariables: readonly string[]
  readonly keyNeeded: boolean
  /** Supported modes, best first; `auto` takes the first. */
  readonly structured: readonly Structured[]
  /** The provider's default endpoint, if any. */
  endpoint?(env: Environment): string | undefined
  /** Example of an endpoint that the user has to give, for messages. */
  readonly endpointExample?: string
  /** Base URLs of the regions, for providers whose keys work in one region only. */
  readonly regions?: readonly string[]
  /** Converts an endpoint as users write it into the form that the client needs. */
  normalizeEndpoint?(endpoint: string): string
  /** Starts a provider that needs a server. Runs once per model, and only if no endpoint was given. */
  start?(): Promise<string>
  /**
   * Prepares a server of our own for a model, without starting it. Replies come straight from the weights, so
   * an empty one is the model's answer. Runs only if no endpoint was given.
   */
  serve?(config: ReturnType<typeof resolveModel>, context: ModelFactoryContext): Promise<OwnServer>
  close?(): Promise<void>
  /** All valid model names, for providers with a fixed list. */
  readonly models?: readonly string[]
  /** For providers that accept Entra ID tokens. No token is requested before the first call. */
  token?(env: Environment): Promise<() => Promise<string>>
  readonly takesApiVersion?: boolean
  /**
   * The request is signed and must not change afterwards: `extraBody` is passed as `signedBody`, and `tune`
   * adds it.
   */
  readonly signsRequests?: boolean
  readonly seedByDefault?: boolean
  /** Always runs on this machine, so it never goes through a proxy. */
  readonly local?: boolean
  readonly price?: Price
  /** Documented inputs of a model besides text; none if absent. Unknown models are not restricted. */
  files?(model: string): FileSupport
  /** Imports the client library lazily, so that a run loads only the providers it uses. */
  create(settings: ProviderSettings): Promise<LanguageModelV3>
  /** Maps reasoning effort, schema strictness and the like to the provider's own options. */
  tune(call: CallTuning): { readonly providerOptions?: ProviderOptions; readonly maxOutputTokens?: number }
  /** Options of the system message, for providers that require an explicit cache marker. */
  readonly systemOptions?: ProviderOptions
}

/** Context for providers that create their models themselves. */
export interface ModelFactoryContext {
  readonly env: Environment
  /** Base folders for relative paths in the config and in variables. Defaults to the current folder. */
  readonly from?: { readonly config: string; readonly variables: string }
}

/** A provider that is not an API and creates complete models. */
export interface ModelFactory
  extends Pick<
    ProviderDefinition,
    'id' | 'keyVariables' | 'endpointVariables' | 'keyNeeded' | 'files' | 'close'
  > {
  open(config: ReturnType<typeof resolveModel>, context: ModelFactoryContext): Promise<Model>
}

export type BuiltInProvider = ProviderDefinition | ModelFactory

/** Client libraries distinguish a missing field from one that is undefined; the config does not. */
export function withoutUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
