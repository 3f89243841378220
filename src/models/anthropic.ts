import { InputError } from '../core/errors.js'
import { type CallTuning, type Effort, type ProviderDefinition, withoutUndefined } from './wire/definition.js'

/** The Messages API. The system message is marked for the prompt cache: skill and instructions stand there. */
export const provider: ProviderDefinition = {
  id: 'anthropic',
  keyVariables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
  endpointVariables: ['ANTHROPIC_BASE_URL'],
  keyNeeded: true,
  // There is no JSON mode without a schema.
  structured: ['schema', 'text'],
  endpoint: () => 'https://api.anthropic.com/v1',
  // The variable that its users have goes without the version, which the client library wants.
  normalizeEndpoint: endpoint =>
    /\/v\d+\/?$/.test(endpoint) ? endpoint : `${endpoint.replace(/\/$/, '')}/v1`,
  create: async settings => {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const bearer = settings.keyVariable === 'ANTHROPIC_AUTH_TOKEN'
    const client = createAnthropic(
      withoutUndefined({
        baseURL: settings.endpoint,
        apiKey: bearer ? undefined : settings.key,
        authToken: bearer ? settings.key : undefined,
        fetch: settings.fetch,
      }),
    )
    return client.messages(settings.model)
  },
  tune: call => (call.effort === undefined ? {} : tuneThinking(call, call.effort)),
  systemOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
}

const thinkingShare: Record<Exclude<Effort, 'none'>, number> = {
  minimal: 0,
  low: 0.25,
  medium: 0.5,
  high: 0.75,
  xhigh: 0.85,
}
const smallestBudget = 1024

/**
 * Models from 4.6 on think as much as `effort` says. Older ones take a budget, which the client library adds to the
 * output limit; it is taken off first, so that what was reserved against the caps stays the limit.
 */
function tuneThinking(call: CallTuning, effort: Effort): ReturnType<ProviderDefinition['tune']> {
  if (effort === 'none') return { providerOptions: { anthropic: { thinking: { type: 'disabled' } } } }
  if (!takesBudget(call.model)) {
    const level = effort === 'minimal' ? 'low' : effort
    return { providerOptions: { anthropic: { thinking: { type: 'adaptive' }, effort: level } } }
  }
  const budgetTokens = Math.max(smallestBudget, Math.floor(call.maxOutputTokens * thinkingShare[effort]))
  if (budgetTokens >= call.maxOutputTokens) {
    throw new InputError(
      `anthropic/${call.model} thinks with at least ${smallestBudget} tokens, and maxOutputTokens is ${call.maxOutputTokens}.`,
      { hint: `Raise maxOutputTokens above ${smallestBudget}, or set effort to \`none\`.` },
    )
  }
  return {
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens } } },
    maxOutputTokens: call.maxOutputTokens - budgetTokens,
  }
}

function takesBudget(model: string): boolean {
  return /claude-(3|opus-4-[015]|sonnet-4-[05]|haiku-4-5|(opus|sonnet)-4-\d{8})/.test(model)
}
