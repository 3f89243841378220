import { compatibleProvider } from './wire/compatible.js'

/** Any endpoint that speaks Chat Completions. It has no default address. */
export const provider = compatibleProvider({
  id: 'openai-compatible',
  keyVariables: ['OPENAI_COMPATIBLE_API_KEY'],
  endpointVariables: ['OPENAI_COMPATIBLE_BASE_URL'],
  keyNeeded: false,
})
