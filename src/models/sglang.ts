import { compatibleProvider } from './wire/compatible.js'
import { selfHostedFiles } from './wire/files.js'

export const provider = compatibleProvider({
  id: 'sglang',
  keyVariables: ['SGLANG_API_KEY'],
  endpointVariables: ['SGLANG_BASE_URL'],
  keyNeeded: false,
  endpoint: () => 'http://127.0.0.1:30000/v1',
  files: () => selfHostedFiles,
})
