import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasByteNames, leaveHostileNames } from '../../../../test/support/hostile-names.js'
import { InputError } from '../../../core/errors/errors.js'
import { removeFolder } from '../../../system/remove-folder.js'
import { applyChanges, copyWorkspace } from './workspace.js'

let root: string
let given: string
let copy: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillopt-work-'))
  given = join(root, 'given')
  copy = join(root, 'copy')
  await mkdir(given)
  await mkdir(copy)
})
afterEach(() => removeFolder(root))

async function put(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

const tree = async (folder: string) =>
  (await readdir(folder, { recursive: true })).map(path => path.replaceAll('\\', '/')).sort()
const text = (...path: string[]) => readFile(join(...path), 'utf8')

/** Creates an entry that is neither a file nor a folder; the returned function removes it. */
async function socketAt(path: string): Promise<() => Promise<void>> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(path, resolve))
  return () => new Promise(resolve => server.close(() => resolve()))
}

describe('the copy for the agent', () => {
  it('holds all files and folders, and is the agent’s to change', async () => {
    await put(given, { 'a.txt': 'a', 'deep/er/b.txt': 'b', '.git/HEAD': 'ref' })
    await mkdir(join(given, 'empty'))
    await writeFile(join(given, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
    await copyWorkspace(given, copy)
    expect(await tree(copy)).toEqual(await tree(given))
    expect((await stat(join(copy, 'run.sh'))).mode & 0o777).toBe(0o755)
    await writeFile(join(copy, 'a.txt'), 'changed')
    await rm(join(copy, 'deep'), { recursive: true })
    expect([await text(given, 'a.txt'), await text(given, 'deep/er/b.txt')]).toEqual(['a', 'b'])
  })

  it('has links among its own files, that lead to the copies', async () => {
    await put(given, { 'a.txt': 'a', 'deep/b.txt': 'b' })
    await symlink('../a.txt', join(given, 'deep', 'relative'))
    await symlink(join(given, 'a.txt'), join(given, 'absolute'))
    await symlink('deep', join(given, 'folder'))
    await copyWorkspace(given, copy)
    expect(await readlink(join(copy, 'deep', 'relative'))).toBe(join('..', 'a.txt'))
    expect(await readlink(join(copy, 'absolute'))).toBe('a.txt')
    expect(await text(copy, 'folder', 'b.txt')).toBe('b')
  })

  it.each([
    ['is a link to a file outside', '/etc/hosts'],
    ['is a link to a file outside', '..'],
    ['is a broken link', 'missing'],
    ['is a broken link', 'link'],
  ])('is refused where a file %s (%s)', async (problem, target) => {
    await symlink(target, join(given, 'link'))
    const copying = copyWorkspace(given, copy)
    await expect(copying).rejects.toThrow(InputError)
    await expect(copying).rejects.toThrow(`link ${problem}`)
  })

  it('is not fooled by a folder whose name begins alike', async () => {
    await put(root, { 'given-more/secret': 's' })
    await symlink('../given-more/secret', join(given, 'link'))
    await expect(copyWorkspace(given, copy)).rejects.toThrow('is a link to a file outside')
  })

  it('is refused where something is neither file nor folder', async () => {
    const close = await socketAt(join(given, 'socket'))
    await expect(copyWorkspace(given, copy)).rejects.toThrow('socket is neither a file nor a folder')
    await close()
  })

  it.each([
    { bytes: 99, entries: 10 },
    { bytes: 1000, entries: 1 },
  ])('is limited: %j', async limits => {
    await put(given, { a: 'x'.repeat(50), b: 'x'.repeat(50) })
    await expect(copyWorkspace(given, copy, limits)).rejects.toThrow('is too large to copy')
    expect(await tree(copy)).toEqual([])
    await copyWorkspace(given, copy, { bytes: 100, entries: 2 })
  })
})

describe('what the agent made', () => {
  it('is changed in what it was given, and nothing else is', async () => {
    await put(given, { kept: 'k', changed: 'old', 'gone/file': 'g', 'turned/inside': 't' })
    const before = await copyWorkspace(given, copy)
    await put(copy, { changed: 'new', 'made/here': 'm' })
    await mkdir(join(copy, 'empty'))
    await rm(join(copy, 'gone'), { recursive: true })
    await rm(join(copy, 'turned'), { recursive: true })
    await put(copy, { turned: 'into a file' })
    await put(given, { 'by-a-tool': 'of the session', kept: 'changed by a tool' })
    expect(await applyChanges(copy, given, { given: before, without: [] })).toEqual({
      removed: expect.arrayContaining(['gone', join('gone', 'file'), 'turned', join('turned', 'inside')]),
      folders: expect.arrayContaining(['made', 'empty']),
      files: expect.arrayContaining(['changed', join('made', 'here'), 'turned']),
    })
    expect(await tree(given)).toEqual([
      'by-a-tool',
      'changed',
      'empty',
      'kept',
      'made',
      'made/here',
      'turned',
    ])
    expect(await text(given, 'changed')).toBe('new')
    expect(await text(given, 'turned')).toBe('into a file')
    expect(await text(given, 'kept')).toBe('changed by a tool')
  })

  it('is detected even if size and date are unchanged', async () => {
    await put(given, { file: 'old' })
    const before = await copyWorkspace(given, copy)
    const { atime, mtime } = await stat(join(copy, 'file'))
    await writeFile(join(copy, 'file'), 'new')
    await utimes(join(copy, 'file'), atime, mtime)
    expect(await applyChanges(copy, given, { given: before, without: [] })).toMatchObject({ files: ['file'] })
    expect(await text(given, 'file')).toBe('new')
  })

  it('comes without what the harness had put there, and without its folders', async () => {
    await put(given, { 'AGENTS.md': 'of the task', file: 'f' })
    const before = await copyWorkspace(given, copy)
    await put(copy, {
      'AGENTS.md': 'of the harness',
      '.agents/skills/desk/SKILL.md': 'skill',
      '.agents/skills/desk/notes.md': 'the agent’s own',
      '.agents/made.txt': 'm',
      '.other/skills/desk/SKILL.md': 'skill',
      file: 'f2',
    })
    await applyChanges(copy, given, {
      given: before,
      without: ['AGENTS.md', join('.agents', 'skills', 'desk'), join('.other', 'skills', 'desk')],
    })
    expect(await tree(given)).toEqual(['.agents', '.agents/made.txt', 'AGENTS.md', 'file'])
    expect([await text(given, 'AGENTS.md'), await text(given, 'file')]).toEqual(['of the task', 'f2'])
  })

  it('holds no links and nothing else that is neither file nor folder', async () => {
    await put(given, { replaced: 'r' })
    const before = await copyWorkspace(given, copy)
    await put(copy, { file: 'f' })
    await symlink('/etc/hosts', join(copy, 'link'))
    await symlink('/etc', join(copy, 'folder'))
    await rm(join(copy, 'replaced'))
    await symlink('/etc/hosts', join(copy, 'replaced'))
    const close = await socketAt(join(copy, 'socket'))
    await applyChanges(copy, given, { given: before, without: [] })
    expect(await tree(given)).toEqual(['file'])
    await close()
  })

  it.runIf(hasByteNames)('comes without names that are not text or too long', async () => {
    await put(given, { kept: 'k' })
    const before = await copyWorkspace(given, copy)
    leaveHostileNames(copy)
    const changes = await applyChanges(copy, given, { given: before, without: [] })
    expect(changes).toMatchObject({ removed: [], files: ['ok'] })
    expect(await text(given, 'ok')).toBe('fine')
  })

  it('can be read even if the agent locked it', async () => {
    await put(copy, { 'a/b/file': 'inside' })
    for (const path of ['a/b/file', 'a/b', 'a', '.']) await chmod(join(copy, path), 0)
    await applyChanges(copy, given, { given: new Map(), without: [] })
    expect(await text(given, 'a/b/file')).toBe('inside')
    expect((await lstat(join(given, 'a/b/file'))).mode & 0o600).toBe(0o600)
  })

  it.each([
    { bytes: 99, entries: 10 },
    { bytes: 1000, entries: 1 },
  ])('does not come back if it is too large: %j', async limits => {
    await put(given, { old: 'o' })
    const before = await copyWorkspace(given, copy)
    await put(copy, { a: 'x'.repeat(50), b: 'x'.repeat(50) })
    expect(await applyChanges(copy, given, { given: before, without: [], limits })).toBeUndefined()
    expect(await tree(given)).toEqual(['old'])
  })

  it('is empty if the agent deleted its folder, and a link in its place is not followed', async () => {
    await put(root, { 'elsewhere/secret': 's' })
    await put(given, { old: 'o' })
    const before = await copyWorkspace(given, copy)
    await rm(copy, { recursive: true })
    expect(await applyChanges(copy, given, { given: before, without: [] })).toMatchObject({
      removed: ['old'],
    })
    expect(await tree(given)).toEqual([])
    await symlink(join(root, 'elsewhere'), copy)
    await chmod(join(root, 'elsewhere'), 0o755)
    await applyChanges(copy, given, { given: before, without: [] })
    expect(await tree(given)).toEqual([])
    expect((await stat(join(root, 'elsewhere'))).mode & 0o777).toBe(0o755)
  })
})
