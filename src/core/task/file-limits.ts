import type { FileSupport, Model } from '../ports/model.js'
import { bytes, count } from '../text/format.js'
import { nameOfFormat } from './files.js'
import { bytesOf } from './parts.js'
import type { FilePart, ImageDetail, MediaType, Message } from './task.js'

/** The properties of a file that limits apply to. */
interface MeasuredFile {
  readonly name: string
  readonly mediaType: MediaType | 'text/plain'
  readonly bytes: number
  readonly pages?: number
  readonly detail?: ImageDetail
}

type Kind = 'image' | 'document'

/** The reason why a model does not accept these files together, as a sentence without a full stop. */
export function limitProblem(
  files: readonly MeasuredFile[],
  model: Pick<Model, 'id' | 'files'>,
): string | undefined {
  const sent = files.flatMap(file =>
    file.mediaType === 'text/plain' ? [] : [{ ...file, mediaType: file.mediaType }],
  )
  for (const file of sent) {
    const problem = problemOfOne(file, model)
    if (problem !== undefined) return problem
  }
  for (const kind of ['image', 'document'] as const) {
    const most = model.files?.[kind]?.maxCount
    const count = sent.filter(({ mediaType }) => kindOf(mediaType) === kind).length
    if (most !== undefined && count > most)
      return `there are ${count} ${kind}s, and ${model.id} takes at most ${most} at once`
  }
  const total = sent.reduce((sum, file) => sum + file.bytes, 0)
  const most = model.files?.maxBytes
  if (most === undefined || total <= most) return undefined
  const [size, limit] = toldApart(total, most)
  return `the files have ${size} together, and ${model.id} takes at most ${limit} at once`
}

function problemOfOne(
  file: MeasuredFile & { readonly mediaType: MediaType },
  { id, files }: Pick<Model, 'id' | 'files'>,
): string | undefined {
  const kind = kindOf(file.mediaType)
  const limits = files?.[kind]
  if (limits === undefined)
    return `${file.name} is ${nameOfFormat(file.mediaType)}, and ${id} takes no ${kind}s`
  if (!limits.mediaTypes.includes(file.mediaType)) {
    const taken = limits.mediaTypes.map(type => nameOfFormat(type)).join(', ')
    return `${file.name} is ${nameOfFormat(file.mediaType)}, and ${id} takes only ${taken}`
  }
  if (limits.maxBytes !== undefined && file.bytes > limits.maxBytes) {
    const [size, limit] = toldApart(file.bytes, limits.maxBytes)
    return `${file.name} has ${size}, and ${id} takes ${kind}s of at most ${limit}`
  }
  if (file.detail !== undefined && limits.detail !== true)
    return `${file.name} is to be looked at with detail "${file.detail}", and ${id} does not let one choose`
  if (limits.maxPages !== undefined && (file.pages ?? 0) > limits.maxPages)
    return `${file.name} has ${file.pages} pages, and ${id} takes at most ${limits.maxPages}`
  return undefined
}

/** Size and limit as text. Exact bytes are used if rounding would print "3.9 MB is more than 3.9 MB". */
function toldApart(size: number, limit: number): readonly [string, string] {
  const rounded = [bytes(size), bytes(limit)] as const
  return rounded[0] === rounded[1] ? [`${count(size)} bytes`, `${count(limit)}`] : rounded
}

export function kindOf(mediaType: MediaType): Kind {
  return mediaType === 'application/pdf' ? 'document' : 'image'
}

/** The files in the messages of a request. */
export function filesIn(messages: readonly Message[]): MeasuredFile[] {
  return messages.flatMap(({ parts }) =>
    (parts ?? []).flatMap(part => (part.type === 'text' ? [] : [{ ...part, bytes: bytesOf(part) }])),
  )
}

/** Number of pages assumed for a document whose pages can neither be counted nor limited. */
const pagesOfUnknown = 100

/** Maximum input tokens of a file. */
export function mostTokensOf(
  { mediaType, pages }: Pick<FilePart, 'mediaType' | 'pages'>,
  files: FileSupport | undefined,
): number {
  const limits = files?.[kindOf(mediaType)]
  if (limits === undefined) return 0
  const units = mediaType === 'application/pdf' ? (pages ?? limits.maxPages ?? pagesOfUnknown) : 1
  return units * limits.mostTokens
}
