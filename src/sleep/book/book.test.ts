import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sleepBook, sleepTask } from '../../../test/support/sleep-book.js'
import { InputError, PausedError } from '../../core/errors/errors.js'
import { lockRunDirectory } from '../../store/lock.js'
import { writePrivateFile } from '../../system/private-file.js'
import { readBook, updateBook } from './book.js'

let home = ''
let folder = ''
const file = () => join(folder, 'tasks.json')
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'skillopt-book-'))
  folder = join(home, 'sleep', 'projects', 'shop-00000000')
})
afterEach(async () => {
  await chmod(folder, 0o700).catch(() => undefined)
  await rm(home, { recursive: true })
})

const book = sleepBook('/shop', [sleepTask('one'), sleepTask('two', { skill: 'ci' })])

describe('a book', () => {
  it('is empty before the first harvest, and reading it creates no file', async () => {
    expect(await readBook(folder, '/shop')).toMatchObject({ project: '/shop', tasks: [], dropped: [] })
    expect(await readdir(home)).toEqual([])
  })

  it('is read as it was written, and only its owner may read it', async () => {
    expect(await updateBook(folder, '/shop', () => book)).toEqual(book)
    expect(await readBook(folder, '/shop')).toEqual(book)
    expect(await readdir(folder)).toEqual(['tasks.json'])
    const mode = async (path: string) => (await stat(path)).mode & 0o777
    expect(await mode(file())).toBe(0o600)
    for (const path of [folder, join(home, 'sleep', 'projects'), join(home, 'sleep')])
      expect(await mode(path)).toBe(0o700)
  })

  it('applies changes one after the other and is not written if nothing changes', async () => {
    await updateBook(folder, '/shop', () => book)
    const { mtimeMs } = await stat(file())
    await updateBook(folder, '/shop', before => before)
    expect((await stat(file())).mtimeMs).toBe(mtimeMs)
    await updateBook(folder, '/shop', before => ({ ...before, tasks: before.tasks.slice(1) }))
    expect((await readBook(folder, '/shop')).tasks.map(({ id }) => id)).toEqual(['two'])
  })

  it('is never written in an unreadable form', async () => {
    await updateBook(folder, '/shop', () => book)
    const wrong = updateBook(folder, '/shop', before => ({ ...before, project: '' }))
    await expect(wrong).rejects.toThrow()
    expect(await readBook(folder, '/shop')).toEqual(book)
    expect(await readdir(folder)).toEqual(['tasks.json'])
  })
})

describe('a file that cannot be used is refused and left alone', () => {
  it.each([
    ['torn', '{"format": "skillopt.sl', /tasks\.json is damaged: .*JSON/],
    ['something else', '[]', /tasks\.json is damaged: .*must be a section/],
    [
      'of a task without an intent',
      JSON.stringify({ ...book, tasks: [{ ...sleepTask('one'), intent: undefined }] }),
      /is damaged: task "one": intent is missing: it must be text/,
    ],
    [
      'of a newer format',
      JSON.stringify({ ...book, format: 'skillopt.sleep.tasks.v2', tasks: 'unknown' }),
      /is of a newer format, skillopt\.sleep\.tasks\.v2; this skillopt knows skillopt\.sleep\.tasks\.v1/,
    ],
    ['of another project', JSON.stringify({ ...book, project: '/desk' }), /tasks of another project, \/desk/],
  ])('%s', async (_, text, message) => {
    await mkdir(folder, { recursive: true })
    await writeFile(file(), text)
    const update = updateBook(folder, '/shop', () => book)
    await expect(readBook(folder, '/shop')).rejects.toThrow(InputError)
    await expect(update).rejects.toThrow(message)
    expect(await readFile(file(), 'utf8')).toBe(text)
    expect(await readdir(folder)).toEqual(['tasks.json'])
  })
})

describe('system errors', () => {
  it('a second process is told which process holds the lock', async () => {
    await mkdir(folder, { recursive: true })
    const lock = await lockRunDirectory(folder)
    const second = updateBook(folder, '/shop', () => book)
    await expect(second).rejects.toThrow(/is in use by process \d+ since/)
    await lock.release()
    await updateBook(folder, '/shop', () => book)
  })

  it('an unwritable folder gives a readable error', async () => {
    await updateBook(folder, '/shop', () => book)
    await chmod(folder, 0o500)
    await asNobody(home, async () => {
      const update = updateBook(folder, '/shop', before => ({ ...before, tasks: [] }))
      await expect(update).rejects.toThrow(InputError)
      await expect(update).rejects.toThrow(/could not be written: permission is missing/)
      expect(await readBook(folder, '/shop')).toEqual(book)
    })
  })

  it('a home that is a file gives a readable error', async () => {
    await writeFile(join(home, 'sleep'), '')
    await expect(updateBook(folder, '/shop', () => book)).rejects.toThrow(
      /could not be written: part of the path is a file/,
    )
    await expect(readBook(folder, '/shop')).rejects.toThrow(/cannot be read: part of the path is a file/)
  })

  it('a full disk leaves the old file intact and no temporary file', async () => {
    await updateBook(folder, '/shop', () => book)
    const full = writePrivateFile(file(), 'x'.repeat(100), async (path, flags, mode) => {
      const handle = await (await import('node:fs/promises')).open(path, flags, mode)
      handle.writeFile = async () => {
        await handle.write('xxx')
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      }
      return handle
    })
    await expect(full).rejects.toThrow(PausedError)
    await expect(full).rejects.toThrow('tasks.json could not be written: the disk is full.')
    expect(await readBook(folder, '/shop')).toEqual(book)
    expect(await readdir(folder)).toEqual(['tasks.json'])
  })
})

/** Root may write anywhere, so the work runs as another user who owns everything below the folder. */
async function asNobody(below: string, work: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return work()
  const nobody = 65_534
  const inside = await readdir(below, { recursive: true })
  for (const path of [below, ...inside.map(name => join(below, name))]) await chown(path, nobody, nobody)
  process.seteuid?.(nobody)
  try {
    await work()
  } finally {
    process.seteuid?.(0)
  }
}
