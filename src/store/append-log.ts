import { type FileHandle, open } from 'node:fs/promises'
import { InputError, messageOf, PausedError } from '../core/errors/errors.js'
import { isPlainFile, notRegular } from '../system/plain-file.js'
import { type Line, type LinePlace, readLines } from './read-lines.js'

const syncEveryMs = 250
/** Maximum bytes of one write, to bound its memory. A larger burst takes several writes. */
const longestBatch = 8 << 20
const blockSize = 1 << 16
const blocksKept = 16

export interface AppendLogOptions {
  /** Called once per line when the log is opened. Returns false if the line is corrupt. */
  visit(line: Buffer, place: LinePlace): boolean
  /** Awaited before lines are written, so that the data that they refer to is written first. */
  readonly beforeWrite?: () => Promise<void>
  /** Awaited before the file is synced, so that the data that its lines refer to is on disk first. */
  readonly beforeSync?: () => Promise<void>
  /** Opens the file. Tests pass one whose writes fail. */
  readonly openFile?: (path: string) => Promise<FileHandle>
}

interface Waiting {
  readonly line: string
  readonly bytes: number
  resolve(place: LinePlace): void
  reject(error: unknown): void
}

/**
 * An append-only file of lines. Lines that arrive in one tick, or during a write, are written together.
 * `append` resolves when the operating system has the line, so that it survives this process. The line
 * reaches the disk a moment later; `flush` waits for that. After a failed write nothing more is written, so
 * that the log never has a gap.
 */
export class AppendLog {
  readonly path: string
  /** Bytes of an incomplete or unreadable last line that were truncated on opening. */
  healedBytes = 0
  readonly #handle: FileHandle
  readonly #options: AppendLogOptions
  #size = 0
  #waiting: Waiting[] = []
  #pump: Promise<void> | undefined
  #last: Promise<LinePlace> | undefined
  #failure: PausedError | undefined
  #dirty = false
  #sync: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false
  readonly #blocks = new Map<number, Promise<Buffer>>()

  private constructor(path: string, handle: FileHandle, options: AppendLogOptions) {
    this.path = path
    this.#handle = handle
    this.#options = options
  }

  static async open(path: string, options: AppendLogOptions): Promise<AppendLog> {
    const handle = await (options.openFile ?? openForAppending)(path)
    const log = new AppendLog(path, handle, options)
    try {
      await log.#readExisting()
    } catch (error) {
      await handle.close()
      throw error
    }
    return log
  }

  get size(): number {
    return this.#size
  }

  append(line: string): Promise<LinePlace> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    if (this.#closed) return Promise.reject(new Error(`${this.path} is closed: nothing can be appended.`))
    this.#last = new Promise((resolve, reject) => {
      this.#waiting.push({ line, bytes: Buffer.byteLength(line), resolve, reject })
    })
    this.#pump ??= this.#writeWaiting()
    return this.#last
  }

  /** Resolves once every line appended so far has been passed to the operating system. */
  async written(): Promise<void> {
    await this.#last
    if (this.#failure !== undefined) throw this.#failure
  }

  async read(place: LinePlace): Promise<string> {
    const block = Math.floor(place.offset / blockSize)
    const start = place.offset - block * blockSize
    const fits = start + place.length <= blockSize && (block + 1) * blockSize <= this.#size
    if (!fits) return (await this.#readExactly(place.offset, place.length)).toString('utf8')
    // A resumed run reads its lines nearly in order, so one block serves many of them.
    const bytes = await this.#block(block)
    return bytes.toString('utf8', start, start + place.length)
  }

  async *lines(): AsyncGenerator<Buffer> {
    for await (const lines of readLines(this.#handle, 0, this.#size))
      for (const line of lines) yield line.bytes
  }

  /** Waits until everything appended so far is on disk. */
  async flush(): Promise<void> {
    await this.written()
    // A sync in progress may have begun before the last write, so it does not suffice.
    await this.#sync
    if (this.#dirty) await this.#syncNow()
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Removes everything from `offset` on. Allowed only before the first append. */
  async truncate(offset: number): Promise<void> {
    this.#blocks.clear()
    await this.#handle.truncate(offset)
    this.#size = offset
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    try {
      await this.flush()
    } finally {
      await this.#handle.close()
    }
  }

  async #readExisting(): Promise<void> {
    const { size } = await this.#handle.stat()
    let end = 0
    let broken: Line | undefined
    for await (const lines of readLines(this.#handle, 0, size)) {
      for (const line of lines) {
        if (broken !== undefined) throw brokenLine(this.path, broken.number)
        if (this.#options.visit(line.bytes, line)) end = line.offset + line.length + 1
        else broken = line
      }
    }
    // If anything follows a corrupt line, a crash does not explain it, because a crash can only damage the
    // last line.
    if (broken !== undefined && broken.offset + broken.length + 1 < size) {
      throw brokenLine(this.path, broken.number)
    }
    this.healedBytes = size - end
    if (this.healedBytes > 0) await this.#handle.truncate(end)
    this.#size = end
  }

  async #writeWaiting(): Promise<void> {
    // Waits so that the rest of this tick can add its lines.
    await undefined
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch()
      try {
        await this.#options.beforeWrite?.()
        await this.#write(batch)
      } catch (error) {
        this.#failure ??= writeFailure(this.path, error)
        for (const { reject } of [...batch, ...this.#waiting]) reject(this.#failure)
        this.#waiting = []
      }
    }
    this.#pump = undefined
  }

  #takeBatch(): Waiting[] {
    let bytes = 0
    const tooMany = this.#waiting.findIndex(waiting => {
      bytes += waiting.bytes + 1
      return bytes > longestBatch
    })
    // A line longer than a batch is written alone.
    const count = tooMany === -1 ? this.#waiting.length : Math.max(1, tooMany)
    const batch = this.#waiting.slice(0, count)
    this.#waiting = this.#waiting.slice(count)
    return batch
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const bytes = Buffer.from(`${batch.map(({ line }) => line).join('\n')}\n`)
    const start = this.#size
    try {
      let done = 0
      while (done < bytes.length) {
        const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, start + done)
        done += bytesWritten
      }
    } catch (error) {
      await this.#removeHalfWritten(start, error)
      throw error
    }
    this.#size = start + bytes.length
    this.#markDirty()
    let offset = start
    for (const { resolve, bytes: length } of batch) {
      resolve({ offset, length })
      offset += length + 1
    }
  }

  async #removeHalfWritten(start: number, because: unknown): Promise<void> {
    try {
      await this.#handle.truncate(start)
    } catch (error) {
      // The incomplete line is repaired when the log is opened next. Both causes are kept for diagnosis.
      throw writeFailure(this.path, because, new AggregateError([because, error]))
    }
  }

  #markDirty(): void {
    this.#dirty = true
    if (this.#closed) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      // A failure is stored in #failure and rejects the next append.
      this.#syncNow().catch((error: unknown) => {
        this.#failure ??= writeFailure(this.path, error)
      })
    }, syncEveryMs).unref()
  }

  async #syncNow(): Promise<void> {
    await this.#sync
    this.#dirty = false
    this.#sync = this.#syncFile()
    try {
      await this.#sync
    } catch (error) {
      this.#failure ??= writeFailure(this.path, error)
      throw this.#failure
    } finally {
      this.#sync = undefined
    }
  }

  async #syncFile(): Promise<void> {
    await this.#options.beforeSync?.()
    await this.#handle.datasync()
  }

  #block(number: number): Promise<Buffer> {
    const known = this.#blocks.get(number)
    if (known !== undefined) return known
    const block = this.#readExactly(number * blockSize, blockSize)
    this.#blocks.set(number, block)
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= blocksKept) break
      this.#blocks.delete(oldest)
    }
    return block
  }

  async #readExactly(offset: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length)
    const { bytesRead } = await this.#handle.read(buffer, 0, length, offset)
    if (bytesRead === length) return buffer
    throw new InputError(`${this.path} has become shorter while it was in use.`, {
      hint: 'Let only one process at a time use a run directory.',
    })
  }
}

/**
 * Opens the file for reading and writing, not in append mode: a half-written line is truncated and
 * overwritten, which needs positions.
 */
async function openForAppending(path: string): Promise<FileHandle> {
  try {
    return await plain(await open(path, 'r+'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unreadable(path, error)
  }
  try {
    return await open(path, 'wx+')
  } catch (error) {
    throw unreadable(path, error)
  }
}

/**
 * Refuses anything but a regular file. A run directory may come from somebody else, and events written to a
 * device would be lost without an error.
 */
async function plain(handle: FileHandle): Promise<FileHandle> {
  if (await isPlainFile(handle)) return handle
  await handle.close()
  throw notRegular()
}

export function unreadable(path: string, cause: unknown): InputError {
  return new InputError(`${path} cannot be opened: ${messageOf(cause)}`, {
    hint: 'Check that the path is right and that you may read and write it.',
    cause,
  })
}

export function brokenLine(path: string, number: number): InputError {
  return new InputError(`${path} is damaged: line ${number} cannot be read.`, {
    hint: 'Restore the file from a copy, or start a new run in another directory.',
  })
}

function writeFailure(path: string, error: unknown, cause = error): PausedError {
  if (error instanceof PausedError) return error
  const { code } = error as NodeJS.ErrnoException
  const full = code === 'ENOSPC' || code === 'EDQUOT'
  return full
    ? new PausedError(`${path} could not be written: the disk is full.`, {
        hint: 'Free some space and run the same command again: what was recorded so far is kept.',
        cause,
      })
    : new PausedError(`${path} could not be written: ${messageOf(error)}`, {
        hint: 'Check the disk and run the same command again: what was recorded so far is kept.',
        cause,
      })
}
