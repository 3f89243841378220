import { compatibleProvider } from './wire/compatible.js'

/**
 * OpenRouter: `openrouter/<vendor>/<model>`. It accepts an effort for models of every vendor, in its own
 * field.
 */
export const provider = compatibleProvider({
  id: 'openrouter',
  keyVariables: ['OPENROUTER_API_KEY'],
  endpointVariables: ['OPENROUTER_BASE_URL'],
  keyNeeded: true,
  endpoint: () => 'https://openrouter.ai/api/v1',
  body: call => (call.effort === undefined ? {} : { reasoning: { effort: call.effort } }),
})
