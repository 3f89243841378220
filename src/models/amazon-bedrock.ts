import type { JSONObject } from '@ai-sdk/provider'
import { closest } from 'fastest-levenshtein'
import { InputError } from '../core/errors/errors.js'
import type { FileSupport } from '../core/ports/model.js'
import { optionalPackage } from '../system/optional-package.js'
import { claudeThinking } from './wire/claude-thinking.js'
import {
  type CallTuning,
  type Environment,
  type ProviderDefinition,
  type ProviderSettings,
  withoutUndefined,
} from './wire/definition.js'
import { anyFile, claudeFiles, decodedSize, mebibyte, megabyte } from './wire/files.js'

const regionVariables = ['AWS_REGION', 'AWS_DEFAULT_REGION'] as const
const secretVariable = 'AWS_SECRET_ACCESS_KEY'

/** Amazon Bedrock's Converse API, with a bearer token or signed with an access key. */
export const provider: ProviderDefinition = {
  id: 'amazon-bedrock',
  keyVariables: ['AWS_BEARER_TOKEN_BEDROCK', secretVariable],
  loginVariables: ['AWS_ACCESS_KEY_ID', 'AWS_SESSION_TOKEN'],
  endpointVariables: ['AWS_ENDPOINT_URL_BEDROCK_RUNTIME'],
  keyNeeded: true,
  structured: ['schema', 'text'],
  signsRequests: true,
  endpoint: env => `https://bedrock-runtime.${requireKnownRegion(env)}.${domainOf(requireKnownRegion(env))}`,
  files: bedrockFiles,
  create: async settings => {
    const { createAmazonBedrock } = await optionalPackage(
      '@ai-sdk/amazon-bedrock',
      'Bedrock models',
      () => import('@ai-sdk/amazon-bedrock'),
    )
    const client = createAmazonBedrock(
      withoutUndefined({ baseURL: settings.endpoint, fetch: settings.fetch, ...loginOf(settings) }),
    )
    return client(settings.model)
  },
  tune: call => {
    const { maxOutputTokens, ...thinking } = tuneThinking(call)
    const bedrock = { ...thinking, ...call.signedBody }
    return {
      ...(Object.keys(bedrock).length === 0 ? {} : { providerOptions: { bedrock } }),
      maxOutputTokens,
    }
  },
}

/** Passes all credentials explicitly, because the library reads missing ones from the process environment. */
function loginOf({ key, keyVariable, env, endpoint }: ProviderSettings) {
  if (keyVariable !== secretVariable) return { apiKey: key, region: regionIn(env) ?? 'us-east-1' }
  const accessKeyId = readVariable(env, 'AWS_ACCESS_KEY_ID')
  if (accessKeyId === undefined) {
    throw new InputError(`${secretVariable} is set but AWS_ACCESS_KEY_ID is not.`, {
      hint: 'Set AWS_ACCESS_KEY_ID to the id of that key, or use AWS_BEARER_TOKEN_BEDROCK instead of both.',
    })
  }
  // The endpoint's host name contains the region for which requests are signed.
  const region = regionIn(env) ?? /bedrock-runtime[\w-]*\.([a-z0-9-]+)\./.exec(endpoint ?? '')?.[1]
  if (region === undefined) throw missingRegion()
  const sessionToken = readVariable(env, 'AWS_SESSION_TOKEN')
  return { apiKey: '', region, accessKeyId, secretAccessKey: key, sessionToken }
}

/** Regions with Bedrock. Another region can be used by setting its endpoint. */
const regions = [
  'us-east-1',
  'us-east-2',
  'us-west-1',
  'us-west-2',
  'us-gov-east-1',
  'us-gov-west-1',
  'ca-central-1',
  'ca-west-1',
  'mx-central-1',
  'sa-east-1',
  'eu-central-1',
  'eu-central-2',
  'eu-north-1',
  'eu-south-1',
  'eu-south-2',
  'eu-west-1',
  'eu-west-2',
  'eu-west-3',
  'eusc-de-east-1',
  'af-south-1',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'ap-east-1',
  'ap-east-2',
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'ap-south-2',
  'ap-southeast-1',
  'ap-southeast-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
]

function requireKnownRegion(env: Environment): string {
  const region = regionIn(env)
  if (region === undefined) throw missingRegion()
  if (!regions.includes(region)) {
    throw new InputError(`Unknown AWS region: "${region}".`, {
      hint: `Did you mean AWS_REGION=${closest(region, regions)}? For a new region, set \`endpoint\` to its bedrock-runtime address.`,
    })
  }
  return region
}

function domainOf(region: string): string {
  return region.startsWith('eusc-') ? 'amazonaws.eu' : 'amazonaws.com'
}

function missingRegion(): InputError {
  return new InputError('AWS_REGION is not set; Amazon Bedrock needs a region.', {
    hint: 'Set AWS_REGION in your shell, for example AWS_REGION=us-east-1.',
  })
}

function regionIn(env: Environment): string | undefined {
  return regionVariables.map(name => readVariable(env, name)).find(value => value !== undefined)
}

function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

const textOnlyModels =
  /nova-micro|titan|claude-(?:v2|instant)|command|jamba|deepseek|mistral-7b|mixtral|mistral-(?:large|small)-24|llama2|llama3(?!-2-(?:11|90)b)|gpt-oss|qwen3-(?!vl)/
const largePdfModels = /claude-[a-z]+-[4-9]|nova/

/** File limits of the Converse API. Stricter limits of a model's vendor are not checked here. */
function bedrockFiles(model: string): FileSupport {
  if (/nova-micro/.test(model)) return {}
  const { image, document } = /anthropic\./.test(model) ? claudeFiles : anyFile
  const maxBytes = largePdfModels.test(model) ? {} : { maxBytes: 4.5 * megabyte }
  return {
    ...(textOnlyModels.test(model) ? {} : { image: { ...image, maxBytes: 3.75 * mebibyte, maxCount: 20 } }),
    document: { ...document, maxCount: 5, ...maxBytes },
    maxBytes: decodedSize(25 * megabyte),
  }
}

/** Each vendor names its reasoning option differently. For a model without one, an effort is refused. */
function tuneThinking(call: CallTuning): JSONObject & { maxOutputTokens?: number } {
  const { effort, model } = call
  if (effort === undefined) return {}
  if (/anthropic\./.test(model)) {
    const thinking = claudeThinking(call, effort)
    if (thinking.type === 'disabled')
      return { additionalModelRequestFields: { thinking: { type: 'disabled' } } }
    if (thinking.type === 'adaptive') {
      return { reasoningConfig: { type: 'adaptive', maxReasoningEffort: thinking.effort } }
    }
    const { budgetTokens, maxOutputTokens } = thinking
    return { reasoningConfig: { type: 'enabled', budgetTokens }, maxOutputTokens }
  }
  if (effort === 'none' || effort === 'minimal' || effort === 'xhigh') return {}
  if (/openai\./.test(model)) return { reasoningConfig: { maxReasoningEffort: effort } }
  return /amazon\.nova-2/.test(model)
    ? { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } }
    : {}
}
