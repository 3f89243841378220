import { messageOf, WorldFailure } from '../core/errors/errors.js'
import { optionalPackage } from '../system/optional-package.js'
import { type Environment, type ProviderDefinition, withoutUndefined } from './wire/definition.js'
import { openaiFiles } from './wire/files.js'
import { withRefusals } from './wire/refusal.js'

const azureHosts = ['.openai.azure.com', '.services.ai.azure.com', '.cognitiveservices.azure.com']
const scope = 'https://cognitiveservices.azure.com/.default'

/**
 * Azure OpenAI: `azure/<deployment>`, over the Responses API in its v1 form. If `apiVersion` is set to a
 * date, the older API is used, which has one URL per deployment and Chat Completions.
 */
export const provider: ProviderDefinition = {
  id: 'azure',
  keyVariables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
  loginVariables: ['AZURE_TENANT_ID', 'AZURE_CLIENT_ID', 'AZURE_CLIENT_SECRET'],
  endpointVariables: ['AZURE_OPENAI_ENDPOINT', 'AZURE_OPENAI_BASE_URL'],
  endpointExample: 'https://my-resource.openai.azure.com',
  keyNeeded: true,
  structured: ['schema', 'json', 'text'],
  // A deployment's name need not reveal its model, so the limits assume the model with the costliest images.
  files: () => openaiFiles('gpt-4o-mini'),
  token: entraToken,
  takesApiVersion: true,
  endpoint: env => {
    const resource = env.AZURE_RESOURCE_NAME
    return resource === undefined || resource === ''
      ? undefined
      : `https://${resource}.openai.azure.com/openai`
  },
  normalizeEndpoint: endpoint => {
    const url = new URL(endpoint)
    const bare = url.pathname === '/' && azureHosts.some(host => url.hostname.endsWith(host))
    return bare ? `${url.origin}/openai` : endpoint
  },
  create: async settings => {
    const { createAzure } = await optionalPackage(
      '@ai-sdk/azure',
      'Azure models',
      () => import('@ai-sdk/azure'),
    )
    const client = createAzure({
      ...withoutUndefined({
        baseURL: settings.endpoint,
        apiVersion: settings.apiVersion,
        apiKey: settings.key,
        tokenProvider: settings.token,
      }),
      useDeploymentBasedUrls: settings.apiVersion !== undefined,
      fetch: withRefusals(settings.fetch),
    })
    return settings.apiVersion === undefined ? client.responses(settings.model) : client.chat(settings.model)
  },
  tune: call => ({
    providerOptions: {
      openai: withoutUndefined({
        reasoningEffort: call.effort,
        strictJsonSchema: call.strict,
        // A deployment's name need not reveal its model; a configured effort implies a reasoning model.
        forceReasoning: call.effort === undefined ? undefined : true,
      }),
    },
  }),
}

/** Signs in with Entra ID and returns a source of tokens, which the library renews. */
async function entraToken(env: Environment): Promise<() => Promise<string>> {
  const { ClientSecretCredential, DefaultAzureCredential, getBearerTokenProvider } = await optionalPackage(
    '@azure/identity',
    '`auth: entra`',
    () => import('@azure/identity'),
  )
  const tenant = env.AZURE_TENANT_ID
  const client = env.AZURE_CLIENT_ID
  const secret = env.AZURE_CLIENT_SECRET
  // The library reads only the process environment, but these values may come from a `.env` file.
  const credential =
    tenant !== undefined && client !== undefined && secret !== undefined
      ? new ClientSecretCredential(tenant, client, secret)
      : new DefaultAzureCredential(withoutUndefined({ tenantId: tenant }))
  const token = getBearerTokenProvider(credential, scope)
  return async () => {
    try {
      return await token()
    } catch (error) {
      throw new WorldFailure('login', `Signing in to Azure with Entra ID failed: ${messageOf(error)}`, {
        retryable: false,
        hint: 'Sign in with `az login`, or set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET.',
      })
    }
  }
}
