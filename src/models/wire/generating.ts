import { z } from 'zod'
import { InputError, WorldFailure } from '../../core/errors/errors.js'
import type { Model, ModelReply } from '../../core/ports/model.js'
import { redactSecrets } from '../../core/redaction/known-secrets.js'
import { withoutUndefined } from './definition.js'
import { emptyRule, refuseEmpty } from './empty.js'
import { failureOf, isContextOverflow, isFiltered } from './failure.js'
import type { Transport } from './http.js'
import { type GeneratingProvider, type ModelOption, type OwnCall, options } from './own.js'
import { refuseLong, replyLimit } from './reply-limit.js'
import * as resolve from './resolve.js'

type Config = Parameters<typeof resolve.resolveKey>[0] & { readonly maxOutputTokens: number }

/** Wraps a user's function as a model and enforces the guarantees of every model. */
export function generatingModel(
  provider: GeneratingProvider,
  config: Config,
  { env, transport }: { readonly env: OwnCall['env']; readonly transport: Transport },
): Model {
  checkTaken(config, provider)
  const { maxOutputTokens, temperature, effort, structured, stream } = config
  const { name } = resolve.splitModel(config.model)
  const { key, variable } = resolve.resolveKey(config, provider, env)
  const endpoint = resolve.resolveEndpoint(config, provider, env) ?? provider.endpoint?.(env)
  const secrets = [...(key === undefined ? [] : [key]), ...transport.secrets]
  const context = {
    model: config.model,
    where: endpoint === undefined ? provider.id : new URL(endpoint).host,
    keyVariable: variable,
    redact: (text: string) => redactSecrets(text, secrets),
  }
  const limit = replyLimit(maxOutputTokens)
  const call: Omit<OwnCall, 'signal'> = {
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
    fetch: transport.fetchWithin(limit),
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
    ...(provider.files === undefined ? {} : { files: provider.files(name) }),
    generate: async ({ seed, ...request }, signal) => {
      signal.throwIfAborted()
      const asked = config.seed === true && seed !== undefined ? { ...request, seed } : request
      try {
        const reply = checkReply(await provider.generate(asked, { ...call, signal }), provider.id)
        const whole = refuseLong(reply, context.where, limit)
        return refuseEmpty(whole, emptyRule(request, config.emptyReplies))
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (isContextOverflow(error)) return unanswered('context-overflow')
        if (isFiltered(error)) return unanswered('content-filter')
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

/** A user's function may be plain JavaScript and may pass on raw server output. */
function checkReply(reply: ModelReply, id: string): ModelReply {
  const { error } = replySchema.safeParse(reply)
  if (error === undefined) return reply
  throw new WorldFailure('malformed', `The provider ${id} returned no reply: ${z.prettifyError(error)}`, {
    retryable: true,
    mayHaveCost: true,
    hint: 'See docs/extending.md for what `generate` returns.',
  })
}

export function unanswered(stop: ModelReply['stop']): ModelReply {
  return { text: '', stop, usage: {} }
}

/** Refuses options that the function does not read, rather than ignoring them. */
function checkTaken(config: Config, { id, takes }: GeneratingProvider): void {
  const option = givenOptions(config).find(given => !(takes as readonly string[]).includes(given))
  if (option === undefined) return
  const known = (options as readonly string[]).includes(option)
  throw new InputError(`${config.model}: the provider ${id} does not use \`${option}\`.`, {
    hint: known
      ? `Leave it out, or add '${option}' to \`takes\` of the provider and use it there.`
      : 'Leave it out.',
  })
}

/** Model options set in the config that a provider need not support. */
export function givenOptions(config: Omit<Config, 'maxOutputTokens'>): readonly string[] {
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
