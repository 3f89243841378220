import { type FileHandle, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { SkillOptError } from '../../../core/errors/errors.js'
import { contentHash } from '../../../core/text/hash.js'
import { createView, type RunView } from '../../../core/view/run-view.js'
import { makePrivateFolder, writePrivateFile } from '../../../system/private-file.js'
import { product } from '../../../system/version.js'
import { AttemptColumns } from './attempt-columns.js'
import { EventPlaces } from './event-places.js'

/** The result of reading a log from the beginning up to an offset. */
export interface ReadLog {
  readonly view: RunView
  readonly attempts: AttemptColumns
  readonly places: EventPlaces
  /** Byte offset of the end of the part that was read. */
  readonly until: number
}

/**
 * Format version of the index. Increase it when the layout or the fold changes; old indexes are then ignored.
 */
const format = 2

const headerSchema = z.object({
  format: z.literal(format),
  product: z.literal(product),
  until: z.int().nonnegative(),
  head: z.string(),
  tail: z.string(),
  names: z.array(z.string()),
  types: z.array(z.string()),
  sections: z.array(z.int().nonnegative()),
  view: z.custom<RunView>(value => typeof value === 'object' && value !== null),
})

/** Minimum size in bytes of a log that gets an index. A shorter log is faster to read again. */
const worthwhile = 1_000_000
const keptAtMost = 200
const newline = 0x0a

/**
 * Indexes of logs, stored in the user's home. An index that does not match its log is ignored. Any index can
 * be deleted safely.
 */
export class KeptIndexes {
  constructor(
    readonly folder: string,
    readonly shortest = worthwhile,
  ) {}

  #file(directory: string): string {
    return join(this.folder, `${contentHash(directory).slice(0, 24)}.index`)
  }

  async read(directory: string, log: FileHandle, size: number): Promise<ReadLog | undefined> {
    if (size < this.shortest) return undefined
    let bytes: Buffer
    try {
      bytes = await readFile(this.#file(directory))
    } catch {
      // The index is missing or unreadable, so the log is read instead.
      return undefined
    }
    const end = bytes.indexOf(newline)
    const header = parseHeader(bytes.subarray(0, Math.max(0, end)))
    if (header === undefined || header.until > size) return undefined
    const isSame =
      header.head === (await headOf(log, header.until)) && header.tail === (await tailOf(log, header.until))
    if (!isSame) return undefined
    const sections = cut(bytes.subarray(end + 1), header.sections)
    if (sections === undefined) return undefined
    const [marks = new Uint8Array(), ...rest] = sections
    const types = header.types.map((type, at) => [type, rest[at] ?? new Uint8Array()] as const)
    return {
      // JSON drops undefined fields, so the defaults restore them.
      view: { ...createView(), ...header.view },
      attempts: new AttemptColumns({ names: header.names, numbers: rest.slice(types.length) }),
      places: new EventPlaces({ marks, types }),
      until: header.until,
    }
  }

  async write(
    directory: string,
    log: FileHandle,
    { view, attempts, places, until }: ReadLog,
  ): Promise<boolean> {
    if (until < this.shortest) return false
    const columns = attempts.kept()
    const { marks, types } = places.kept()
    const sections = [marks, ...types.map(([, bytes]) => bytes), ...columns.numbers]
    const header: z.input<typeof headerSchema> = {
      format,
      product,
      until,
      head: await headOf(log, until),
      tail: await tailOf(log, until),
      names: [...columns.names],
      types: types.map(([type]) => type),
      sections: sections.map(({ byteLength }) => byteLength),
      view,
    }
    try {
      await makePrivateFolder(this.folder)
      const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...sections])
      await writePrivateFile(this.#file(directory), bytes)
      await this.#forgetOldest()
      return true
    } catch (error) {
      // The disk is full or the home is read-only. The next start reads the whole log again.
      if (error instanceof SkillOptError) return false
      throw error
    }
  }

  async #forgetOldest(): Promise<void> {
    const names = (await readdir(this.folder)).filter(name => name.endsWith('.index'))
    if (names.length <= keptAtMost) return
    const dated = await Promise.all(
      names.map(async name => ({ name, at: (await stat(join(this.folder, name))).mtimeMs })),
    )
    const oldest = dated.toSorted((one, other) => one.at - other.at).slice(0, names.length - keptAtMost)
    for (const { name } of oldest) await rm(join(this.folder, name), { force: true })
  }
}

function parseHeader(bytes: Uint8Array): z.output<typeof headerSchema> | undefined {
  try {
    return headerSchema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8'))).data
  } catch {
    return undefined
  }
}

/** Cuts bytes into sections; undefined if the lengths do not add up to the number of bytes. */
function cut(bytes: Uint8Array, lengths: readonly number[]): readonly Uint8Array[] | undefined {
  if (lengths.reduce((sum, length) => sum + length, 0) !== bytes.length) return undefined
  let from = 0
  return lengths.map(length => {
    const section = bytes.subarray(from, from + length)
    from += length
    return section
  })
}

/**
 * Number of bytes hashed at each end of a log. This tells two logs apart: the first event names the run, and
 * the last ones carry timestamps.
 */
const sampleLength = 4096

const headOf = (log: FileHandle, until: number): Promise<string> =>
  hashOf(log, 0, Math.min(sampleLength, until))

/** Hash of the bytes just before an offset of the log. */
export const tailOf = (log: FileHandle, until: number): Promise<string> =>
  hashOf(log, Math.max(0, until - sampleLength), Math.min(sampleLength, until))

async function hashOf(log: FileHandle, from: number, length: number): Promise<string> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await log.read(bytes, 0, length, from)
  return contentHash(bytes.subarray(0, bytesRead))
}
