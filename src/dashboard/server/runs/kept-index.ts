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

/** What was made of a log up to a place in it. */
export interface ReadLog {
  readonly view: RunView
  readonly attempts: AttemptColumns
  readonly places: EventPlaces
  /** In bytes. */
  readonly until: number
}

/** Another shape of what is kept, or another fold, and what was kept is no use any more. */
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

/** A shorter log is read faster than an index of it is looked after. */
const worthwhile = 1_000_000
const keptAtMost = 200
const newline = 0x0a

/** Shortcuts to logs, in the user's own folder: thrown away whenever they do not fit, and missed by nobody. */
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
      // Missing, or not to be read: the log itself says the same.
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
      // What was undefined has no place in JSON.
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
      ...{ format, product, until, head: await headOf(log, until), tail: await tailOf(log, until) },
      ...{ names: [...columns.names], types: types.map(([type]) => type) },
      ...{ sections: sections.map(({ byteLength }) => byteLength), view },
    }
    try {
      await makePrivateFolder(this.folder)
      const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...sections])
      await writePrivateFile(this.#file(directory), bytes)
      await this.#forgetOldest()
      return true
    } catch (error) {
      // A full disk, or a home that cannot be written: the next start reads the whole log again, and that is all.
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

/** Undefined unless the sections are exactly what is there. */
function cut(bytes: Uint8Array, lengths: readonly number[]): readonly Uint8Array[] | undefined {
  if (lengths.reduce((sum, length) => sum + length, 0) !== bytes.length) return undefined
  let from = 0
  return lengths.map(length => {
    const section = bytes.subarray(from, from + length)
    from += length
    return section
  })
}

/** Enough to tell two logs apart: the first event names the run, the last ones when things happened. */
const sampleLength = 4096

const headOf = (log: FileHandle, until: number): Promise<string> =>
  hashOf(log, 0, Math.min(sampleLength, until))

/** Stands for what is written right before a place of a log. */
export const tailOf = (log: FileHandle, until: number): Promise<string> =>
  hashOf(log, Math.max(0, until - sampleLength), Math.min(sampleLength, until))

async function hashOf(log: FileHandle, from: number, length: number): Promise<string> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await log.read(bytes, 0, length, from)
  return contentHash(bytes.subarray(0, bytesRead))
}
