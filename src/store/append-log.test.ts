import { type FileHandle, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InputError, PausedError } from '../core/errors/errors.js'
import { AppendLog, type AppendLogOptions } from './append-log.js'

let directory: string
let path: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'append-log-'))
  path = join(directory, 'log.jsonl')
})
const opened: AppendLog[] = []
afterEach(async () => {
  // Closing twice does nothing, and a failed log fails again on close; neither matters to these tests.
  await Promise.allSettled(opened.splice(0).map(log => log.close()))
  await rm(directory, { recursive: true })
})

async function openLog(options: Partial<AppendLogOptions> = {}): Promise<{ log: AppendLog; seen: string[] }> {
  const seen: string[] = []
  const visit = (line: Buffer) => {
    const text = line.toString()
    if (!text.startsWith('{') || !text.endsWith('}')) return false
    seen.push(text)
    return true
  }
  const log = await AppendLog.open(path, { visit, ...options })
  opened.push(log)
  return { log, seen }
}

/** A real file with some operations replaced. */
function withFaults(faults: (handle: FileHandle) => Partial<Record<keyof FileHandle, unknown>>) {
  return async (file: string): Promise<FileHandle> => {
    const handle = await open(file, 'a+').then(async created => {
      await created.close()
      return open(file, 'r+')
    })
    const replaced = faults(handle)
    return new Proxy(handle, {
      get(target, name) {
        const own = replaced[name as keyof FileHandle] ?? Reflect.get(target, name)
        return typeof own === 'function' ? own.bind(target) : own
      },
    })
  }
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: it failed`), { code })
}

describe('appending', () => {
  it('gives each line’s place, by which it can be read', async () => {
    const { log } = await openLog()
    const lines = ['{"a":1}', '{"ü":"🙂"}', '{}']
    const places = await Promise.all(lines.map(line => log.append(line)))
    expect(await Promise.all(places.map(place => log.read(place)))).toEqual(lines)
    expect(await readFile(path, 'utf8')).toBe(`${lines.join('\n')}\n`)
    await log.close()
  })

  it('joins what arrives in one tick, and what arrives during a write, in one write each', async () => {
    const writes: number[] = []
    const counting = withFaults(handle => ({
      write: (buffer: Buffer, offset: number, length: number, position: number) => {
        writes.push(buffer.toString().split('\n').length - 1)
        return handle.write(buffer, offset, length, position)
      },
    }))
    const { log } = await openLog({ openFile: counting })
    const first = Array.from({ length: 10 }, () => log.append('{}'))
    await Promise.resolve()
    await Promise.resolve()
    const second = Array.from({ length: 20 }, () => log.append('{}'))
    await Promise.all([...first, ...second])
    expect(writes).toEqual([10, 20])
    await log.close()
  })

  it('reads lines anywhere in a long file, also while it grows', async () => {
    const { log } = await openLog()
    const lines = Array.from({ length: 3_000 }, (_, n) => `{"n":${n},"fill":"${'x'.repeat((n * 7) % 200)}"}`)
    lines.push(`{"long":"${'y'.repeat(200_000)}"}`)
    for (const line of lines) {
      const place = await log.append(line)
      expect(await log.read(place)).toBe(line)
    }
    await log.close()
    const places: { offset: number; length: number }[] = []
    const again = await AppendLog.open(path, { visit: (_, place) => places.push(place) > 0 })
    for (const [index, place] of places.entries()) expect(await again.read(place)).toBe(lines[index])
    await again.close()
  })

  it('waits, before it writes, for what the lines refer to', async () => {
    let ready = () => {}
    const { log } = await openLog({ beforeWrite: () => new Promise(resolve => (ready = resolve)) })
    const appended = log.append('{}')
    await new Promise(resolve => setTimeout(resolve, 20))
    expect((await stat(path)).size).toBe(0)
    ready()
    await appended
    expect((await stat(path)).size).toBe(3)
    await log.close()
  })

  it('syncs by itself soon after a write, and on flush, after the data that the lines refer to', async () => {
    const order: string[] = []
    const recording = withFaults(handle => ({
      datasync: () => {
        order.push('sync')
        return handle.datasync()
      },
    }))
    const beforeSync = async () => void order.push('before')
    const { log } = await openLog({ openFile: recording, beforeSync })
    await log.append('{}')
    await log.flush()
    expect(order).toEqual(['before', 'sync'])
    await log.flush()
    expect(order).toEqual(['before', 'sync'])
    await log.append('{}')
    await expect.poll(() => order).toEqual(['before', 'sync', 'before', 'sync'])
    await log.close()
  })
})

describe('opening', () => {
  it('shows every line, across chunks', async () => {
    const lines = Array.from({ length: 30 }, (_, n) => `{"n":${n},"fill":"${'é'.repeat(60_000)}"}`)
    await writeFile(path, `${lines.join('\n')}\n`)
    const { log, seen } = await openLog()
    expect(seen).toEqual(lines)
    expect(log.healedBytes).toBe(0)
    await log.close()
  })

  for (const [what, tail] of [
    ['without a newline', '{"b":2'],
    ['without a newline though it could be read', '{"b":2}'],
    ['that cannot be read', '{"b":\n'],
  ] as const) {
    it(`removes a last line ${what}`, async () => {
      await writeFile(path, `{"a":1}\n${tail}`)
      const { log, seen } = await openLog()
      expect(seen.slice(0, 1)).toEqual(['{"a":1}'])
      expect(log.healedBytes).toBe(tail.length)
      await log.append('{"c":3}')
      await log.close()
      expect(await readFile(path, 'utf8')).toBe('{"a":1}\n{"c":3}\n')
    })
  }

  it.each(['{}\n{"b":\n{}\n', '{}\n{"b":\n{'])(
    'refuses a broken line in the middle, and leaves the file alone',
    async text => {
      await writeFile(path, text)
      await expect(openLog()).rejects.toThrow(InputError)
      await expect(openLog()).rejects.toThrow(`${path} is damaged: line 2`)
      expect(await readFile(path, 'utf8')).toBe(text)
    },
  )

  it('refuses what is not a file with a sentence', async () => {
    path = directory
    await expect(openLog()).rejects.toThrow(InputError)
  })
})

describe('when writing fails', () => {
  /** Writes half of its input, then fails. */
  const fullDisk = (writable: number) =>
    withFaults(handle => {
      let left = writable
      return {
        write: async (buffer: Buffer, offset: number, length: number, position: number) => {
          if (left === 0) throw systemError('ENOSPC')
          const some = Math.min(left, length)
          left -= some
          return handle.write(buffer, offset, some, position)
        },
      }
    })

  it('rejects the append with a sentence, and leaves no half line', async () => {
    const { log } = await openLog({ openFile: fullDisk(11) })
    await log.append('{"a":1}')
    const failed = await log.append('{"b":2}').catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(PausedError)
    expect((failed as PausedError).message).toContain('disk is full')
    expect(await readFile(path, 'utf8')).toBe('{"a":1}\n')
  })

  it('rejects everything that follows, so that the log has no gap', async () => {
    const { log } = await openLog({ openFile: fullDisk(3) })
    const results = await Promise.allSettled(['{}', '{"a":1}', '{}'].map(line => log.append(line)))
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await expect(log.append('{}')).rejects.toThrow(PausedError)
    await expect(log.flush()).rejects.toThrow(PausedError)
    await expect(log.close()).rejects.toThrow(PausedError)
    expect(await readFile(path, 'utf8')).toBe('')
  })

  it('continues after a short write', async () => {
    const shortWrites = withFaults(handle => ({
      write: (buffer: Buffer, offset: number, length: number, position: number) =>
        handle.write(buffer, offset, Math.min(3, length), position),
    }))
    const { log } = await openLog({ openFile: shortWrites })
    await Promise.all([log.append('{"a":1}'), log.append('{"b":2}')])
    expect(await readFile(path, 'utf8')).toBe('{"a":1}\n{"b":2}\n')
    await log.close()
  })

  it('says so at the next append when the disk fails in the background', async () => {
    const failing = withFaults(() => ({ datasync: async () => Promise.reject(systemError('EIO')) }))
    const { log } = await openLog({ openFile: failing })
    await log.append('{}')
    await expect.poll(() => log.append('{}').catch((error: unknown) => error)).toBeInstanceOf(PausedError)
  })

  it('refuses to append once it is closed', async () => {
    const { log } = await openLog()
    await log.close()
    await expect(log.append('{}')).rejects.toThrow('closed')
  })
})
