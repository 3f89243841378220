import { compatibleProvider } from './wire/compatible.js'

/** OpenRouter: `openrouter/<maker>/<model>`. It takes an effort for models of every maker, in a field of its own. */
export const provider = compatibleProvider({
  id: 'openrouter',
  keyVariables: ['OPENROUTER_API_KEY'],
  endpointVariables: ['OPENROUTER_BASE_URL'],
  keyNeeded: true,
  endpoint: () => 'https://openrouter.ai/api/v1',
  body: call => (call.effort === undefined ? {} : { reasoning: { effort: call.effort } }),
})
