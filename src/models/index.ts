import { readdirSync, readFileSync } from 'node:fs'
import type { JSONObject, LanguageModelV3 } from '@ai-sdk/provider'
import { closest, distance } from 'fastest-levenshtein'
import { z } from 'zod'
import type { resolveModel } from '../core/config/config.js'
import { InputError } from '../core/errors/errors.js'
import type { Model, ModelReply, Price } from '../core/ports/model.js'
import { redactSecrets } from '../core/redaction/known-secrets.js'
import { type CustomProvider, createCustomModel, replyWithoutText } from './wire/custom-provider.js'
import {
  type BuiltInProvider,
  type Fetch,
  type ModelFactoryContext,
  type ProviderSettings,
  withoutUndefined,
} from './wire/definition.js'
import { failureOf, isContextOverflow, isFiltered } from './wire/failure.js'
import { closeTransports, transportFor } from './wire/http.js'
import { type EmptyReplyRule, emptyReplyRule, foldStream, toReply } from './wire/reply.js'
import { rejectLongReply, replyLimit } from './wire/reply-limit.js'
import { type CallSettings, checkOptionsAreSent, toCallOptions } from './wire/request.js'
import * as resolve from './wire/resolve.js'

export { type CustomProvider, isCustomProvider } from './wire/custom-provider.js'
export type { ProviderDefinition } from './wire/definition.js'

export type ResolvedModel = ReturnType<typeof resolveModel>

export interface ModelContext extends ModelFactoryContext {
  /** Returns Entra ID tokens; replaces the signed-in identity. */
  readonly token?: () => Promise<string>
  /** A custom provider that replaces the one in the model's name. */
  readonly provider?: CustomProvider
  /** Agent ids, listed in the unknown-provider error. */
  readonly agents?: readonly string[]
}

/** Creates a model from its config. Throws for every mistake that can be found without a call. */
export async function createModel(config: ResolvedModel, context: ModelContext): Promise<Model> {
  const { name } = resolve.splitModel(config.model)
  const custom = context.provider
  if (custom !== undefined) registerCustomProvider(custom, config.model)
  if (custom !== undefined && 'generate' in custom) {
    return createCustomModel(custom, config, {
      env: context.env,
      transport: transportFor(context.env, { local: false }),
    })
  }
  const definition: BuiltInProvider = custom ?? (await providerOf(config.model, context.agents))
  if ('open' in definition) return definition.open(config, context)
  resolve.checkOptions(config, definition, name)
  const structured = resolve.resolveStructured(config, definition)
  const { key, variable } = resolve.resolveKey(config, definition, context.env)
  const given = resolve.resolveEndpoint(config, definition, context.env)
  const own = given === undefined ? await definition.serve?.(config, context) : undefined
  const endpoint =
    given ?? own?.endpoint ?? definition.endpoint?.(context.env) ?? (await definition.start?.())
  if (endpoint === undefined) throw resolve.missingEndpoint(config, definition)
  const transport = transportFor(context.env, { local: definition.local === true })
  const limit = replyLimit(config.maxOutputTokens)
  const limited = transport.fetchWithLimit(limit)
  const fetch = own?.connect(limited) ?? limited
  const signs = definition.signsRequests === true
  const settings: ProviderSettings = {
    model: name,
    endpoint,
    endpointGiven: given !== undefined,
    key,
    keyVariable: variable,
    token: config.auth === 'entra' ? (context.token ?? (await definition.token?.(context.env))) : undefined,
    apiVersion: config.apiVersion,
    structured,
    env: context.env,
    signedBody: signs ? (config.extraBody as JSONObject | undefined) : undefined,
    fetch: signs ? fetch : withExtraBody(fetch, config.extraBody),
  }
  const call: CallSettings = {
    definition,
    provider: settings,
    temperature: config.temperature,
    effort: config.effort,
    maxOutputTokens: config.maxOutputTokens,
    structured,
    sendSeed: config.seed ?? definition.seedByDefault ?? false,
  }
  await checkOptionsAreSent(config.model, call)
  const { AZURE_CLIENT_SECRET, AWS_SESSION_TOKEN } = context.env
  const secrets = [key, AZURE_CLIENT_SECRET, AWS_SESSION_TOKEN, ...transport.secrets].filter(
    secret => secret !== undefined,
  )
  const failureContext = {
    model: config.model,
    host: new URL(endpoint).host,
    keyVariable: variable,
    otherRegions: (definition.regions ?? []).filter(region => region !== endpoint),
    redact: (text: string) => redactSecrets(text, secrets),
  }
  const client = await definition.create(settings)
  return {
    id: config.model,
    // The simulated server's address changes with every run and has no effect on replies.
    parameters: {
      ...parametersOf(config, call, given ?? definition.endpoint?.(context.env)),
      ...own?.parameters,
    },
    maxOutputTokens: config.maxOutputTokens,
    price: config.price ?? definition.price ?? priceOf(config.model),
    files: definition.files?.(name),
    generate: async (request, signal) => {
      signal.throwIfAborted()
      const options = { ...toCallOptions(request, call), abortSignal: signal }
      try {
        const rule = emptyReplyRule(request, own === undefined ? config.emptyReplies : 'answer')
        const reply = await callModel(client, options, { stream: config.stream, rule })
        return rejectLongReply(reply, failureContext.host, limit)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        // A prompt that was too long or was filtered is no external failure, so it gets a reply.
        if (isContextOverflow(error)) return replyWithoutText('context-overflow')
        if (isFiltered(error)) return replyWithoutText('content-filter')
        throw failureOf(error, failureContext)
      }
    },
  }
}

/** Loads the provider of a model. `agents` are listed in the error for an unknown provider. */
export async function providerOf(model: string, agents?: readonly string[]): Promise<BuiltInProvider> {
  return loadProvider(resolve.splitModel(model).provider, model, agents)
}

/** Closes open connections and the simulated server. */
export async function closeModels(): Promise<void> {
  await Promise.all([closeTransports(), closeProviders()])
}

async function callModel(
  client: LanguageModelV3,
  options: Parameters<LanguageModelV3['doGenerate']>[0],
  { stream, rule }: { readonly stream: boolean; readonly rule: EmptyReplyRule },
): Promise<ModelReply> {
  if (!stream) return toReply(await client.doGenerate(options), rule)
  return foldStream((await client.doStream(options)).stream, rule)
}

/** Adds `extraBody` to each request; its fields override those of the provider library. */
function withExtraBody(fetch: Fetch, extraBody: ResolvedModel['extraBody']): Fetch {
  if (extraBody === undefined) return fetch
  return (input, init) => {
    const body: unknown = JSON.parse(String(init?.body))
    return fetch(input, { ...init, body: JSON.stringify({ ...(body as object), ...extraBody }) })
  }
}

function parametersOf(config: ResolvedModel, call: CallSettings, endpoint: string | undefined) {
  return withoutUndefined({
    endpoint,
    apiVersion: config.apiVersion,
    temperature: config.temperature,
    effort: config.effort,
    maxOutputTokens: config.maxOutputTokens,
    extraBody: config.extraBody,
    structured: call.structured,
    seed: call.sendSeed,
    // The default is left out, so that it does not change the parameters of existing runs.
    emptyReplies: config.emptyReplies === 'answer' ? config.emptyReplies : undefined,
  })
}

/** Files of this folder that are not providers. In all others, the file's name is the provider's id. */
const nonProviderFiles = new Set(['index', 'prices'])

/** Maps provider ids to file names, which end in `.js` when built and `.ts` when run from source. */
function providerFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const file of readdirSync(new URL('./', import.meta.url))) {
    const id = /^([a-z][a-z0-9-]*)\.[jt]s$/.exec(file)?.[1]
    if (id !== undefined && !nonProviderFiles.has(id)) files.set(id, file)
  }
  return files
}

const loadedProviders = new Map<string, BuiltInProvider>()

/** Loads a provider. `others` are prefixes of model names that are not providers, for the error's hint. */
export async function loadProvider(
  id: string,
  model = `${id}/…`,
  others: readonly string[] = [],
): Promise<BuiltInProvider> {
  const known = loadedProviders.get(id)
  if (known !== undefined) return known
  const files = providerFiles()
  const file = files.get(id)
  if (file === undefined) throw unknownProvider(id, model, { ids: [...files.keys()], others })
  const module = (await import(/* @vite-ignore */ new URL(file, import.meta.url).href)) as {
    provider?: BuiltInProvider
  }
  if (module.provider?.id !== id) throw new Error(`${file} does not export a provider with the id ${id}.`)
  loadedProviders.set(id, module.provider)
  return module.provider
}

export async function listProviders(): Promise<readonly BuiltInProvider[]> {
  return Promise.all([...providerFiles().keys()].sort().map(id => loadProvider(id)))
}

const customProviders = new Set<CustomProvider>()

/** Registers a custom provider. It may not use a built-in id, because prices and logs are keyed by id. */
function registerCustomProvider(provider: CustomProvider, model: string): void {
  const { id } = provider
  if (providerFiles().has(id)) {
    throw new InputError(`The provider id "${id}" belongs to a built-in provider.`, {
      hint: `Choose another id, such as my-${id}.`,
    })
  }
  const named = resolve.splitModel(model)
  if (named.provider !== id) {
    throw new InputError(`The model ${model} does not match the id of its provider, ${id}.`, {
      hint: `Write it as ${id}/${named.name}.`,
    })
  }
  customProviders.add(provider)
}

async function closeProviders(): Promise<void> {
  const closing = [...loadedProviders.values(), ...customProviders]
  customProviders.clear()
  await Promise.all(closing.map(provider => provider.close?.()))
}

function unknownProvider(
  id: string,
  model: string,
  { ids, others }: { ids: readonly string[]; others: readonly string[] },
): InputError {
  const nearest = closest(id, [...ids, ...others])
  const suggestion = distance(id, nearest) <= 3 ? `Did you mean ${nearest}${model.slice(id.length)}? ` : ''
  return new InputError(`Unknown model provider: ${id}.`, {
    hint: `${suggestion}Available: ${ids.toSorted().join(', ')}.${others.length === 0 ? '' : ` Agents: ${others.join(', ')}.`} Any other endpoint: openai-compatible/… with \`endpoint\`; your own: \`provider: ./file.ts\`.`,
  })
}

const entry = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cachedInput: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
  /** Date of the price, and the page from which it was taken. */
  date: z.iso.date(),
  source: z.url(),
  note: z.string().optional(),
})
export type PriceEntry = z.output<typeof entry>

let table: Readonly<Record<string, PriceEntry>> | undefined

export function priceTable(): Readonly<Record<string, PriceEntry>> {
  table ??= z
    .record(z.string(), entry)
    .parse(JSON.parse(readFileSync(new URL('./prices.json', import.meta.url), 'utf8')))
  return table
}

/** Paid models with a known price, as `provider/model`. The list is incomplete. */
export function knownModels(): readonly string[] {
  return Object.keys(priceTable())
}

/** The price of `provider/model` with its date and source. */
export function priceEntry(modelId: string): PriceEntry | undefined {
  const prices = priceTable()
  // Dated versions cost the same as their model: gpt-5-mini-2025-08-07, claude-haiku-4-5-20251001.
  return prices[modelId] ?? prices[modelId.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, '')]
}

/** The price of `provider/model` in US dollars per million tokens; undefined if it is unknown. */
export function priceOf(modelId: string): Price | undefined {
  const found = priceEntry(modelId)
  if (found === undefined) return undefined
  const { input, output, cachedInput, cacheWrite } = found
  return { input, output, cachedInput, cacheWrite }
}
