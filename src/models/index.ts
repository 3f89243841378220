import type { JSONObject, LanguageModelV3 } from '@ai-sdk/provider'
import type { resolveModel } from '../core/config/config.js'
import type { Model, ModelReply } from '../core/ports/model.js'
import { redactSecrets } from '../core/redaction/known-secrets.js'
import { priceOf } from './prices.js'
import { closeProviders, keepOwnProvider, loadProvider } from './registry.js'
import {
  type BuiltInProvider,
  type Fetch,
  type OpeningContext,
  type ProviderSettings,
  withoutUndefined,
} from './wire/definition.js'
import { type EmptyRule, emptyRule } from './wire/empty.js'
import { failureOf, isContextOverflow, isFiltered } from './wire/failure.js'
import { generatingModel, unanswered } from './wire/generating.js'
import { closeTransports, transportFor } from './wire/http.js'
import type { OwnProvider } from './wire/own.js'
import { checkOptionsReachTheWire } from './wire/probe.js'
import { foldStream, toReply } from './wire/reply.js'
import { refuseLong, replyLimit } from './wire/reply-limit.js'
import { type CallSettings, toCallOptions } from './wire/request.js'
import * as resolve from './wire/resolve.js'

export { knownModels, priceEntry, priceOf } from './prices.js'
export { listProviders } from './registry.js'
export type { ProviderDefinition } from './wire/definition.js'
export { isOwnProvider, type OwnProvider } from './wire/own.js'

export type ResolvedModel = ReturnType<typeof resolveModel>

export interface ModelContext extends OpeningContext {
  /** Source of Entra ID tokens, in place of the signed-in identity. */
  readonly token?: () => Promise<string>
  /** Custom provider, used in place of the one in the model's name. */
  readonly provider?: OwnProvider
  /** Agent ids, listed in the unknown-provider error. */
  readonly agents?: readonly string[]
}

/** Creates a model from its config. Refuses everything that can be found wrong without a call. */
export async function createModel(config: ResolvedModel, context: ModelContext): Promise<Model> {
  const { name } = resolve.splitModel(config.model)
  const own = context.provider
  if (own !== undefined) keepOwnProvider(own, config.model)
  if (own !== undefined && 'generate' in own) {
    return generatingModel(own, config, {
      env: context.env,
      transport: transportFor(context.env, { local: false }),
    })
  }
  const definition: BuiltInProvider = own ?? (await providerOf(config.model, context.agents))
  if ('open' in definition) return definition.open(config, context)
  resolve.checkOptions(config, definition, name)
  const structured = resolve.resolveStructured(config, definition)
  const { key, variable } = resolve.resolveKey(config, definition, context.env)
  const given = resolve.resolveEndpoint(config, definition, context.env)
  const endpoint = given ?? definition.endpoint?.(context.env) ?? (await definition.start?.())
  if (endpoint === undefined) throw resolve.missingEndpoint(config, definition)
  const transport = transportFor(context.env, { local: definition.local === true })
  const limit = replyLimit(config.maxOutputTokens)
  const fetch = transport.fetchWithin(limit)
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
  await checkOptionsReachTheWire(config.model, call)
  const { AZURE_CLIENT_SECRET, AWS_SESSION_TOKEN } = context.env
  const secrets = [key, AZURE_CLIENT_SECRET, AWS_SESSION_TOKEN, ...transport.secrets].filter(
    secret => secret !== undefined,
  )
  const failureContext = {
    model: config.model,
    where: new URL(endpoint).host,
    keyVariable: variable,
    otherRegions: (definition.regions ?? []).filter(region => region !== endpoint),
    redact: (text: string) => redactSecrets(text, secrets),
  }
  const client = await definition.create(settings)
  return {
    id: config.model,
    // The simulated server's address changes with every run and has no effect on replies.
    parameters: parametersOf(config, call, given ?? definition.endpoint?.(context.env)),
    maxOutputTokens: config.maxOutputTokens,
    price: config.price ?? definition.price ?? priceOf(config.model),
    ...(definition.files === undefined ? {} : { files: definition.files(name) }),
    generate: async (request, signal) => {
      signal.throwIfAborted()
      const options = { ...toCallOptions(request, call), abortSignal: signal }
      try {
        const rule = emptyRule(request, config.emptyReplies)
        const reply = await ask(client, options, { stream: config.stream, rule })
        return refuseLong(reply, failureContext.where, limit)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        // Neither is an external failure: the prompt was too long or was filtered.
        if (isContextOverflow(error)) return unanswered('context-overflow')
        if (isFiltered(error)) return unanswered('content-filter')
        throw failureOf(error, failureContext)
      }
    },
  }
}

/** The provider in a model's name. `agents` are listed in the error for an unknown one. */
export async function providerOf(model: string, agents?: readonly string[]): Promise<BuiltInProvider> {
  return loadProvider(resolve.splitModel(model).provider, model, agents)
}

/** Closes open connections and the simulated server. */
export async function closeModels(): Promise<void> {
  await Promise.all([closeTransports(), closeProviders()])
}

async function ask(
  client: LanguageModelV3,
  options: Parameters<LanguageModelV3['doGenerate']>[0],
  { stream, rule }: { readonly stream: boolean; readonly rule: EmptyRule },
): Promise<ModelReply> {
  if (!stream) return toReply(await client.doGenerate(options), rule)
  return foldStream((await client.doStream(options)).stream, rule)
}

/** Fields of `extraBody` are sent unchanged and override those of the provider library. */
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
    // Included only if it changes the scores: the default adds no parameter.
    emptyReplies: config.emptyReplies === 'answer' ? config.emptyReplies : undefined,
  })
}
