import { compatibleProvider } from './wire/compatible.js'

export const provider = compatibleProvider({
  id: 'deepseek',
  keyVariables: ['DEEPSEEK_API_KEY'],
  endpointVariables: ['DEEPSEEK_BASE_URL', 'DEEPSEEK_API_BASE'],
  keyNeeded: true,
  // Its API takes `json_object` only; a schema is refused.
  structured: ['json', 'text'],
  endpoint: () => 'https://api.deepseek.com',
})
