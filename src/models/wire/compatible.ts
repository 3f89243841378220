import type { JSONObject } from '@ai-sdk/provider'
import type { FileSupport } from '../../core/ports/model.js'
import type {
  CallTuning,
  Environment,
  ProviderDefinition,
  ProviderSettings,
  Structured,
} from './definition.js'
import { withoutUndefined } from './definition.js'
import { anyFileInChat } from './files.js'
import { withRefusals } from './refusal.js'

/** What tells one OpenAI-compatible endpoint from another. */
interface CompatibleEndpoint {
  readonly id: string
  readonly keyVariables: readonly string[]
  readonly endpointVariables: readonly string[]
  readonly keyNeeded: boolean
  readonly structured?: readonly Structured[]
  readonly regions?: readonly string[]
  endpoint?(env: Environment): string | undefined
  normalizeEndpoint?(endpoint: string): string
  /** What it takes besides text; all that can be said in Chat Completions if not given. */
  files?(model: string): FileSupport
  /** Fields that only this endpoint takes. They replace `reasoning_effort`: whoever has them has its own word for it. */
  body?(call: CallTuning): JSONObject
}

/** A provider that speaks Chat Completions: a preset is a name, an address and the variables its users have. */
export function compatibleProvider({ body, ...endpoint }: CompatibleEndpoint): ProviderDefinition {
  return {
    structured: ['schema', 'json', 'text'],
    files: () => anyFileInChat,
    ...endpoint,
    create: settings => createCompatible(endpoint.id, settings),
    tune: body === undefined ? tuneCompatible : call => tuneOwnBody(endpoint.id, call, body(call)),
  }
}

export async function createCompatible(id: string, settings: ProviderSettings) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const client = createOpenAICompatible({
    name: id,
    baseURL: settings.endpoint ?? '',
    // Without it, a streamed reply says nothing about what it cost.
    includeUsage: true,
    supportsStructuredOutputs: settings.structured === 'schema',
    fetch: withRefusals(settings.fetch),
    ...(settings.key === undefined ? {} : { apiKey: settings.key }),
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

function tuneOwnBody(id: string, call: CallTuning, body: JSONObject) {
  return {
    providerOptions: {
      openaiCompatible: withoutUndefined({ strictJsonSchema: call.strict }),
      // The library sends what it does not know as it is, if it stands under the provider's name.
      [id]: body,
    },
  }
}
