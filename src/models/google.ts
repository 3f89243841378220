import type { JSONObject } from '@ai-sdk/provider'
import { optionalPackage } from '../system/optional-package.js'
import { type CallTuning, type Effort, type ProviderDefinition, withoutUndefined } from './wire/definition.js'
import { decodedSize, maxPageTextTokens, megabyte } from './wire/files.js'

/** An image is scaled to at most 3072 pixels a side and split into 16 tiles of 258 tokens each. */
const maxImageTokens = 16 * 258

/** The Gemini API. Its prompt cache is implicit: shared prefixes are cached without a marker. */
export const provider: ProviderDefinition = {
  id: 'google',
  keyVariables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  endpointVariables: ['GOOGLE_GEMINI_BASE_URL'],
  keyNeeded: true,
  structured: ['schema', 'json', 'text'],
  endpoint: () => 'https://generativelanguage.googleapis.com/v1beta',
  // Users write the base URL without the version, but the client library requires it.
  normalizeEndpoint: endpoint =>
    /\/v\d+\w*\/?$/.test(endpoint) ? endpoint : `${endpoint.replace(/\/$/, '')}/v1beta`,
  // Limits for files sent inline. Larger files would have to be uploaded first.
  files: () => ({
    image: { mediaTypes: ['image/png', 'image/jpeg', 'image/webp'], mostTokens: maxImageTokens },
    document: {
      mediaTypes: ['application/pdf'],
      maxBytes: 50 * megabyte,
      maxPages: 1000,
      mostTokens: maxImageTokens + maxPageTextTokens,
    },
    maxBytes: decodedSize(100 * megabyte),
  }),
  create: async settings => {
    const { createGoogleGenerativeAI } = await optionalPackage(
      '@ai-sdk/google',
      'Gemini models',
      () => import('@ai-sdk/google'),
    )
    const client = createGoogleGenerativeAI(
      withoutUndefined({ baseURL: settings.endpoint, apiKey: settings.key, fetch: settings.fetch }),
    )
    return client.chat(settings.model)
  },
  tune: call => {
    const thinkingConfig = call.effort === undefined ? undefined : thinkingConfigFor(call, call.effort)
    return thinkingConfig === undefined ? {} : { providerOptions: { google: { thinkingConfig } } }
  },
}

const budgetShare: Record<Effort, number> = {
  none: 0,
  minimal: 0,
  low: 0.25,
  medium: 0.5,
  high: 0.75,
  xhigh: 0.85,
}
const minBudget = 512
const maxBudget = { pro: 32_768, other: 24_576 }

/**
 * The thinking setting for an effort. Undefined if the model does not support the effort, which is then
 * refused before any call. Thinking tokens count as output here.
 */
function thinkingConfigFor({ model, maxOutputTokens }: CallTuning, effort: Effort): JSONObject | undefined {
  if (/gemini-2\.5/.test(model)) {
    if (effort === 'none') return /pro/.test(model) ? undefined : { thinkingBudget: 0 }
    const budget = Math.floor(maxOutputTokens * budgetShare[effort])
    const largest = maxBudget[/pro/.test(model) ? 'pro' : 'other']
    return { thinkingBudget: Math.min(largest, Math.max(minBudget, budget)) }
  }
  // Models after 2.5 take a level instead of a budget, go no higher than `high`, and always think.
  if (/gemini-[12]\b|gemma/.test(model) || effort === 'none' || effort === 'xhigh') return undefined
  // Only the smaller models support `minimal`.
  if (effort === 'minimal' && /pro/.test(model)) return undefined
  return { thinkingLevel: effort }
}
