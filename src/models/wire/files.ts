import type { FileLimits, FileSupport } from '../../core/ports/model.js'
import { imageTypes } from '../../core/task/task.js'

/** Limits of files as the providers' documentation has them. */

export const megabyte = 1_000_000
export const mebibyte = 1 << 20

/** The bytes of a file whose base64 is so long: some limits are meant on the wire. */
export function inBase64(length: number): number {
  return Math.floor((length * 3) / 4)
}

/** A page goes to the model as a picture and as text; no page that is meant for reading has more text than this. */
export const tokensOfPageText = 8000

/** The dearest that is known: gpt-4o-mini takes 5,667 tokens for each of 8 tiles at most, and 2,833 around them. */
const dearestImage = 2833 + 8 * 5667

interface BothKinds extends FileSupport {
  readonly image: FileLimits
  readonly document: FileLimits
}

/** A gateway to models of all makers: what the model does not take, it refuses itself. */
export const anyFile: BothKinds = {
  image: { mediaTypes: imageTypes, mostTokens: dearestImage },
  document: { mediaTypes: ['application/pdf'], mostTokens: dearestImage + tokensOfPageText },
}

/** The same in the words of Chat Completions, which have a place for the detail. */
export const anyFileInChat: BothKinds = { ...anyFile, image: { ...anyFile.image, detail: true } }

/** An open model on a server of its own: images, and no documents. Qwen's takes most, 16,384 tokens an image. */
export const ownServer = {
  image: { mediaTypes: imageTypes, mostTokens: 16_384 },
} as const satisfies FileSupport

/** 5 MiB of base64 an image, 32 MB a request. The latest models take 4,784 tokens for the largest image. */
export const claudeFiles = {
  image: { mediaTypes: imageTypes, maxBytes: inBase64(5 * mebibyte), mostTokens: 4784 },
  document: { mediaTypes: ['application/pdf'], maxPages: 600, mostTokens: 4784 + tokensOfPageText },
  maxBytes: inBase64(32 * megabyte),
} as const satisfies BothKinds

const openaiTextOnly = /gpt-3\.5|gpt-4(?:-\d{4})?$|gpt-4-32k|o1-mini|o1-preview|o3-mini|gpt-oss/

/** 20 MB an image and 50 MB a request. Others than gpt-4o-mini take 10,000 patches of at most 2.46 tokens. */
export function openaiFiles(model: string): FileSupport {
  if (openaiTextOnly.test(model)) return {}
  const mostTokens = model.includes('gpt-4o-mini') ? dearestImage : 24_600
  return {
    image: { mediaTypes: imageTypes, maxBytes: 20 * megabyte, mostTokens, detail: true },
    document: { mediaTypes: ['application/pdf'], mostTokens: mostTokens + tokensOfPageText },
    maxBytes: inBase64(50 * megabyte),
  }
}
