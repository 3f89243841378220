import type { FileLimits, FileSupport } from '../../core/ports/model.js'
import { imageTypes } from '../../core/task/task.js'

/** File limits from the providers' documentation. */

export const megabyte = 1_000_000
export const mebibyte = 1 << 20

/** Size in bytes of a file whose base64 form has this length. Some limits apply to the encoded form. */
export function decodedSize(length: number): number {
  return Math.floor((length * 3) / 4)
}

/** Upper bound for the text of one page. A page is sent both as an image and as text. */
export const maxPageTextTokens = 8000

/** Tokens of the most expensive image: gpt-4o-mini takes 2,833 plus 5,667 for each of at most 8 tiles. */
const maxImageTokens = 2833 + 8 * 5667

interface ImageAndDocumentSupport extends FileSupport {
  readonly image: FileLimits
  readonly document: FileLimits
}

/** Limits for gateways to models of all vendors. The gateway itself rejects what a model does not support. */
export const anyFile: ImageAndDocumentSupport = {
  image: { mediaTypes: imageTypes, mostTokens: maxImageTokens },
  document: { mediaTypes: ['application/pdf'], mostTokens: maxImageTokens + maxPageTextTokens },
}

/** Like `anyFile`, for Chat Completions, which have a field for the image detail. */
export const anyFileInChat: ImageAndDocumentSupport = {
  ...anyFile,
  image: { ...anyFile.image, detail: true },
}

/** Self-hosted models take images but no documents. Qwen takes the most tokens: 16,384 per image. */
export const selfHostedFiles = {
  image: { mediaTypes: imageTypes, mostTokens: 16_384 },
} as const satisfies FileSupport

/** Claude takes 5 MiB of base64 per image and 32 MB per request. The largest image takes 4,784 tokens. */
export const claudeFiles = {
  image: { mediaTypes: imageTypes, maxBytes: decodedSize(5 * mebibyte), mostTokens: 4784 },
  document: { mediaTypes: ['application/pdf'], maxPages: 600, mostTokens: 4784 + maxPageTextTokens },
  maxBytes: decodedSize(32 * megabyte),
} as const satisfies ImageAndDocumentSupport

const openaiTextOnly = /gpt-3\.5|gpt-4(?:-\d{4})?$|gpt-4-32k|o1-mini|o1-preview|o3-mini|gpt-oss/

/**
 * OpenAI takes 20 MB per image and 50 MB per request. Except with gpt-4o-mini, an image has at most 10,000
 * patches of 2.46 tokens.
 */
export function openaiFiles(model: string): FileSupport {
  if (openaiTextOnly.test(model)) return {}
  const mostTokens = model.includes('gpt-4o-mini') ? maxImageTokens : 24_600
  return {
    image: { mediaTypes: imageTypes, maxBytes: 20 * megabyte, mostTokens, detail: true },
    document: { mediaTypes: ['application/pdf'], mostTokens: mostTokens + maxPageTextTokens },
    maxBytes: decodedSize(50 * megabyte),
  }
}
