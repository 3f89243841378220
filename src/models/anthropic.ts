import { claudeThinking } from './wire/claude-thinking.js'
import { type CallTuning, type Effort, type ProviderDefinition, withoutUndefined } from './wire/definition.js'
import { claudeFiles } from './wire/files.js'

/**
 * The Messages API. The system message holds instructions and skill, so it is marked for the prompt cache.
 */
export const provider: ProviderDefinition = {
  id: 'anthropic',
  keyVariables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
  endpointVariables: ['ANTHROPIC_BASE_URL'],
  keyNeeded: true,
  // The API can only enforce JSON with a schema.
  structured: ['schema', 'text'],
  endpoint: () => 'https://api.anthropic.com/v1',
  // Users write the base URL without the version, but the client library requires it.
  normalizeEndpoint: endpoint =>
    /\/v\d+\/?$/.test(endpoint) ? endpoint : `${endpoint.replace(/\/$/, '')}/v1`,
  files: model => (/claude-(?:2|instant)/.test(model) ? {} : claudeFiles),
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

function tuneThinking(call: CallTuning, effort: Effort): ReturnType<ProviderDefinition['tune']> {
  const thinking = claudeThinking(call, effort)
  switch (thinking.type) {
    case 'disabled':
      return { providerOptions: { anthropic: { thinking: { type: 'disabled' } } } }
    case 'adaptive':
      return { providerOptions: { anthropic: { thinking: { type: 'adaptive' }, effort: thinking.effort } } }
    case 'enabled': {
      const { budgetTokens, maxOutputTokens } = thinking
      return {
        providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens } } },
        maxOutputTokens,
      }
    }
  }
}
