import type { JSONObject, LanguageModelV3 } from '@ai-sdk/provider'
import type { ModelConfig, resolveModel } from '../../core/config/config.js'
import type { FileSupport, Model, Price } from '../../core/ports/model.js'

export type Environment = Readonly<Record<string, string | undefined>>
export type Effort = NonNullable<ModelConfig['effort']>
/** How JSON is requested: by schema, by JSON mode, or in the prompt only. */
export type Structured = 'schema' | 'json' | 'text'
type ProviderOptions = NonNullable<Parameters<LanguageModelV3['doGenerate']>[0]['providerOptions']>
export type Fetch = typeof globalThis.fetch

/** Checked settings for building a client. Providers read them from here and not from the environment. */
export interface ProviderSettings {
  readonly model: string
  readonly endpoint: string | undefined
  /** Whether the user set the endpoint; otherwise it is the provider's default. */
  readonly endpointGiven: boolean
  readonly key: string | undefined
  readonly keyVariable: string | undefined
  /** Returns an Entra ID token, which is used instead of a key. */
  readonly token: (() => Promise<string>) | undefined
  readonly apiVersion: string | undefined
  readonly structured: Structured
  readonly env: Environment
  /** Body fields that the provider adds itself, because it signs its requests. */
  readonly signedBody?: JSONObject | undefined
  readonly fetch: Fetch
}

export interface CallTuning {
  readonly model: string
  readonly endpointGiven: boolean
  readonly effort: Effort | undefined
  readonly maxOutputTokens: number
  /** Whether the schema can be enforced strictly; undefined if the call has no schema. */
  readonly strict: boolean | undefined
  readonly signedBody?: JSONObject | undefined
}

/** A server on this machine that this process starts; see `ProviderDefinition.serve`. */
export interface OwnServer {
  /** Placeholder address for messages; `connect` knows the real one. */
  readonly endpoint: string
  /** Properties of the server that affect replies. */
  readonly parameters: Readonly<Record<string, string | number>>
  /** Starts the server if it is not running, and sends the request to it. */
  connect(fetch: Fetch): Fetch
}

/** A provider. Each provider file exports one as `provider`, and its id is the file's name. */
export interface ProviderDefinition {
  readonly id: string
  /** Environment variables for the key, the preferred one first. */
  readonly keyVariables: readonly string[]
  /**
   * Variables that belong to the key, such as its id. They may come from a `.env` file and never contain a
   * host.
   */
  readonly loginVariables?: readonly string[]
  readonly endpointVariables: readonly string[]
  readonly keyNeeded: boolean
  /** Supported ways to request JSON, best first; `auto` uses the first. */
  readonly structured: readonly Structured[]
  /** The provider's default endpoint, if any. */
  endpoint?(env: Environment): string | undefined
  /** Example of an endpoint for error messages, if the user must set one. */
  readonly endpointExample?: string
  /** Base URLs of the regions, for providers whose keys work in one region only. */
  readonly regions?: readonly string[]
  /** Converts an endpoint as users write it to the form that the client library needs. */
  normalizeEndpoint?(endpoint: string): string
  /** Starts the provider's server and returns its address. Called once per model, if no endpoint is set. */
  start?(): Promise<string>
  /**
   * Prepares a server of our own for a model, without starting it. Its empty replies are the model's answers,
   * because nothing can be lost on the way. Called only if no endpoint is set.
   */
  serve?(config: ReturnType<typeof resolveModel>, context: ModelFactoryContext): Promise<OwnServer>
  close?(): Promise<void>
  /** All valid model names, for providers with a fixed list. */
  readonly models?: readonly string[]
  /** Returns a source of Entra ID tokens. No token is requested before the first call. */
  token?(env: Environment): Promise<() => Promise<string>>
  readonly takesApiVersion?: boolean
  /**
   * Whether requests are signed and must not change afterwards. If so, `extraBody` is passed as `signedBody`,
   * and `tune` adds it.
   */
  readonly signsRequests?: boolean
  readonly seedByDefault?: boolean
  /** The provider always runs on this machine, so its calls never use a proxy. */
  readonly local?: boolean
  readonly price?: Price
  /** Documented inputs of a model besides text; none by default. Unknown models are not restricted. */
  files?(model: string): FileSupport
  /** Creates the client. It imports the library here, so that a run loads only the providers it uses. */
  create(settings: ProviderSettings): Promise<LanguageModelV3>
  /** Maps options such as effort and strictness to the provider's own options. */
  tune(call: CallTuning): { readonly providerOptions?: ProviderOptions; readonly maxOutputTokens?: number }
  /** Options for the system message, if the provider requires an explicit cache marker. */
  readonly systemOptions?: ProviderOptions
}

/** Context for providers that create their models themselves. */
export interface ModelFactoryContext {
  readonly env: Environment
  /** Base folders for relative paths in the config and in variables; by default, the current folder. */
  readonly from?: { readonly config: string; readonly variables: string }
}

/** A provider that creates complete models instead of a client for an API. */
export interface ModelFactory
  extends Pick<
    ProviderDefinition,
    'id' | 'keyVariables' | 'endpointVariables' | 'keyNeeded' | 'files' | 'close'
  > {
  open(config: ReturnType<typeof resolveModel>, context: ModelFactoryContext): Promise<Model>
}

export type BuiltInProvider = ProviderDefinition | ModelFactory

/** Removes undefined fields, because client libraries distinguish them from missing ones. */
export function withoutUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
