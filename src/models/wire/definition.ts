import type { JSONObject, LanguageModelV3 } from '@ai-sdk/provider'
import type { ModelConfig, resolveModel } from '../../core/config/config.js'
import type { FileSupport, Model, Price } from '../../core/ports/model.js'

export type Environment = Readonly<Record<string, string | undefined>>
export type Effort = NonNullable<ModelConfig['effort']>
/** How JSON is asked for: by schema, by JSON mode, or in words only. */
export type Structured = 'schema' | 'json' | 'text'
type ProviderOptions = NonNullable<Parameters<LanguageModelV3['doGenerate']>[0]['providerOptions']>
export type Fetch = typeof globalThis.fetch

/** Everything a provider needs to build its client, resolved and checked: no provider reads the environment for it. */
export interface ProviderSettings {
  readonly model: string
  readonly endpoint: string | undefined
  /** Whether the endpoint was given by the user, or is the provider's own. */
  readonly endpointGiven: boolean
  readonly key: string | undefined
  readonly keyVariable: string | undefined
  /** Signs in with Entra ID instead of a key. */
  readonly token: (() => Promise<string>) | undefined
  readonly apiVersion: string | undefined
  readonly structured: Structured
  readonly env: Environment
  /** Fields for the body that the provider has to add itself, because it signs what it sends. */
  readonly signedBody?: JSONObject | undefined
  readonly fetch: Fetch
}

export interface CallTuning {
  readonly model: string
  readonly endpointGiven: boolean
  readonly effort: Effort | undefined
  readonly maxOutputTokens: number
  /** Whether the schema of this call may be enforced to the letter; undefined without a schema. */
  readonly strict: boolean | undefined
  readonly signedBody?: JSONObject | undefined
}

/** One file of this folder exports one of these as `provider`; its id is the file's name. */
export interface ProviderDefinition {
  readonly id: string
  /** Environment variables that hold the key, the usual one first. */
  readonly keyVariables: readonly string[]
  /** Variables that belong to the key, such as its id: a `.env` file may hold them too. None of them names a host. */
  readonly loginVariables?: readonly string[]
  readonly endpointVariables: readonly string[]
  readonly keyNeeded: boolean
  /** What the provider can do, best first: the first is what `auto` takes. */
  readonly structured: readonly Structured[]
  /** The provider's own endpoint, where it has one. */
  endpoint?(env: Environment): string | undefined
  /** How an endpoint looks that the user has to give, for sentences. */
  readonly endpointExample?: string
  /** Base URLs of its regions, where keys of one are refused by the others. */
  readonly regions?: readonly string[]
  /** Brings an endpoint as users write it into the form that the client needs. */
  normalizeEndpoint?(endpoint: string): string
  /** For a provider that has to be started first. Runs once per model, and only if no endpoint was given. */
  start?(): Promise<string>
  close?(): Promise<void>
  /** The only models that there are, for a provider that is not open-ended. */
  readonly models?: readonly string[]
  /** For a provider that takes tokens of Entra ID. Nothing is asked for before the first call. */
  token?(env: Environment): Promise<() => Promise<string>>
  readonly takesApiVersion?: boolean
  /** What it sends must not be changed afterwards: `extraBody` comes as `signedBody`, and `tune` puts it in. */
  readonly signsRequests?: boolean
  readonly seedByDefault?: boolean
  /** Never through a proxy: it runs on this machine by construction. */
  readonly local?: boolean
  readonly price?: Price
  /** What a model takes besides text, as documented; nothing if not given. An unknown model is not held back. */
  files?(model: string): FileSupport
  /** Imports the client library only now: a run loads no provider that it does not use. */
  create(settings: ProviderSettings): Promise<LanguageModelV3>
  /** What this provider calls reasoning effort, strictness of schemas and the like. */
  tune(call: CallTuning): { readonly providerOptions?: ProviderOptions; readonly maxOutputTokens?: number }
  /** Options of the system message, for providers whose prompt cache has to be asked for. */
  readonly systemOptions?: ProviderOptions
}

/** What a provider that makes its models itself may look at. */
export interface OpeningContext {
  readonly env: Environment
  /** The folders that relative paths start from: those in the config, and those in variables. The current one if not given. */
  readonly from?: { readonly config: string; readonly variables: string }
}

/** A provider that is no API: its models come whole. */
export interface ModelMaker
  extends Pick<
    ProviderDefinition,
    'id' | 'keyVariables' | 'endpointVariables' | 'keyNeeded' | 'files' | 'close'
  > {
  open(config: ReturnType<typeof resolveModel>, context: OpeningContext): Promise<Model>
}

export type BuiltInProvider = ProviderDefinition | ModelMaker

/** Client libraries tell "not given" from "given as undefined"; config does not. */
export function withoutUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
