import { type ProviderDefinition, withoutUndefined } from './wire/definition.js'
import { openaiFiles } from './wire/files.js'
import { withRefusals } from './wire/refusal.js'

/** The Responses API at OpenAI itself; Chat Completions at custom endpoints, as gateways offer it. */
export const provider: ProviderDefinition = {
  id: 'openai',
  keyVariables: ['OPENAI_API_KEY'],
  loginVariables: ['OPENAI_ORG_ID', 'OPENAI_PROJECT_ID'],
  endpointVariables: ['OPENAI_BASE_URL'],
  keyNeeded: true,
  structured: ['schema', 'json', 'text'],
  endpoint: () => 'https://api.openai.com/v1',
  files: openaiFiles,
  create: async settings => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const client = createOpenAI(
      withoutUndefined({
        baseURL: settings.endpoint,
        apiKey: settings.key,
        organization: settings.env.OPENAI_ORG_ID,
        project: settings.env.OPENAI_PROJECT_ID,
        fetch: withRefusals(settings.fetch),
      }),
    )
    return settings.endpointGiven ? client.chat(settings.model) : client.responses(settings.model)
  },
  tune: call => ({
    providerOptions: {
      openai: withoutUndefined({
        reasoningEffort: call.effort,
        strictJsonSchema: call.strict,
        // Tells OpenAI not to store requests, because tasks and skills belong to the user.
        store: call.endpointGiven ? undefined : false,
      }),
    },
  }),
}
