import type { JSONObject } from '@ai-sdk/provider'
import type { FileSupport } from '../../core/ports/model.js'
import {
  type CallTuning,
  type Environment,
  type ProviderDefinition,
  type ProviderSettings,
  type Structured,
  withoutUndefined,
} from './definition.js'
import { anyFileInChat } from './files.js'
import { withRefusals } from './refusal.js'

/** What is specific to one OpenAI-compatible endpoint. */
interface CompatibleEndpoint {
  readonly id: string
  readonly keyVariables: readonly string[]
  readonly endpointVariables: readonly string[]
  readonly keyNeeded: boolean
  readonly structured?: readonly Structured[]
  readonly regions?: readonly string[]
  endpoint?(env: Environment): string | undefined
  normalizeEndpoint?(endpoint: string): string
  /** Accepted inputs besides text; by default, everything that Chat Completions can express. */
  files?(model: string): FileSupport
  /** Body fields for the effort, for endpoints with a field of their own. They replace `reasoning_effort`. */
  body?(call: CallTuning): JSONObject
}

/** Creates a provider that speaks Chat Completions from its name, address and environment variables. */
export function compatibleProvider({ body, ...endpoint }: CompatibleEndpoint): ProviderDefinition {
  return {
    structured: ['schema', 'json', 'text'],
    files: () => anyFileInChat,
    ...endpoint,
    create: settings => createCompatible(endpoint.id, settings),
    tune: body === undefined ? tuneCompatible : call => tuneWithBody(endpoint.id, call, body(call)),
  }
}

export async function createCompatible(id: string, settings: ProviderSettings) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const client = createOpenAICompatible({
    name: id,
    baseURL: settings.endpoint ?? '',
    // Without this, a streamed reply reports no usage.
    includeUsage: true,
    supportsStructuredOutputs: settings.structured === 'schema',
    fetch: withRefusals(settings.fetch),
    apiKey: settings.key,
  })
  return client.chatModel(settings.model)
}

export function tuneCompatible(call: CallTuning) {
  return {
    providerOptions: {
      openaiCompatible: withoutUndefined({ reasoningEffort: call.effort, strictJsonSchema: call.strict }),
    },
  }
}

function tuneWithBody(id: string, call: CallTuning, body: JSONObject) {
  return {
    providerOptions: {
      openaiCompatible: withoutUndefined({ strictJsonSchema: call.strict }),
      // The library sends unknown fields unchanged if they are under the provider's name.
      [id]: body,
    },
  }
}
