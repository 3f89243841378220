import { compatibleProvider } from './wire/compatible.js'

/** Any endpoint that speaks Chat Completions; the user must set its address. */
export const provider = compatibleProvider({
  id: 'openai-compatible',
  keyVariables: ['OPENAI_COMPATIBLE_API_KEY'],
  endpointVariables: ['OPENAI_COMPATIBLE_BASE_URL'],
  keyNeeded: false,
})
