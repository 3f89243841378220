import { imageTypes } from '../core/task/task.js'
import { compatibleProvider } from './wire/compatible.js'
import { inBase64, mebibyte } from './wire/files.js'

export const provider = compatibleProvider({
  id: 'deepseek',
  keyVariables: ['DEEPSEEK_API_KEY'],
  endpointVariables: ['DEEPSEEK_BASE_URL', 'DEEPSEEK_API_BASE'],
  keyNeeded: true,
  // Its API takes `json_object` only; a schema is refused.
  structured: ['json', 'text'],
  endpoint: () => 'https://api.deepseek.com',
  // The flash model sees, and the others do not. The body of a request may have 48 MiB.
  files: model =>
    /pro|chat|reasoner/.test(model)
      ? {}
      : {
          image: { mediaTypes: imageTypes, mostTokens: 1024, detail: true },
          maxBytes: inBase64(48 * mebibyte),
        },
})
