import { compatibleProvider } from './wire/compatible.js'
import { selfHostedFiles } from './wire/files.js'

export const provider = compatibleProvider({
  id: 'vllm',
  keyVariables: ['VLLM_API_KEY'],
  endpointVariables: ['VLLM_BASE_URL'],
  keyNeeded: false,
  endpoint: () => 'http://127.0.0.1:8000/v1',
  files: () => selfHostedFiles,
})
