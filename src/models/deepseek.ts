import { imageTypes } from '../core/task/task.js'
import { compatibleProvider } from './wire/compatible.js'
import { decodedSize, mebibyte } from './wire/files.js'

export const provider = compatibleProvider({
  id: 'deepseek',
  keyVariables: ['DEEPSEEK_API_KEY'],
  endpointVariables: ['DEEPSEEK_BASE_URL', 'DEEPSEEK_API_BASE'],
  keyNeeded: true,
  // The API accepts `json_object` only and rejects schemas.
  structured: ['json', 'text'],
  endpoint: () => 'https://api.deepseek.com',
  // Only the flash model accepts images. A request body may have at most 48 MiB.
  files: model =>
    /pro|chat|reasoner/.test(model)
      ? {}
      : {
          image: { mediaTypes: imageTypes, mostTokens: 1024, detail: true },
          maxBytes: decodedSize(48 * mebibyte),
        },
})
