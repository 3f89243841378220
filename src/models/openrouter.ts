import { compatibleProvider } from './wire/compatible.js'

/**
 * OpenRouter: `openrouter/<vendor>/<model>`. It has its own field for the effort, which works for models of
 * every vendor.
 */
export const provider = compatibleProvider({
  id: 'openrouter',
  keyVariables: ['OPENROUTER_API_KEY'],
  endpointVariables: ['OPENROUTER_BASE_URL'],
  keyNeeded: true,
  endpoint: () => 'https://openrouter.ai/api/v1',
  body: call => (call.effort === undefined ? {} : { reasoning: { effort: call.effort } }),
})
