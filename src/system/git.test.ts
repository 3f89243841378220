import { mkdtemp, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeRepository } from '../../test/support/repository.js'
import { GitError, git, oneText, openRepository, treeAt } from './git.js'
import { removeFolder } from './remove-folder.js'

let folder = ''
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'system-git-')))
})
afterEach(() => removeFolder(folder))

const { env } = process

it('ignores the user’s git settings', async () => {
  await makeRepository(folder)
  const settings = join(folder, 'settings')
  await writeFile(settings, '[core]\n\tpager = evil\n[user]\n\tname = Ada\n')
  const theirs = { ...env, HOME: folder, GIT_CONFIG_GLOBAL: settings, GIT_DIR: '/nowhere', GIT_PAGER: 'evil' }
  const listed = oneText(await git(['-C', folder, 'config', '--list'], { env: theirs }))
  expect(listed).not.toContain('Ada')
  expect(listed).toContain('core.fsmonitor=false')
})

it('fetches nothing, from wherever', async () => {
  const repository = await makeRepository(folder)
  await repository.commit({ 'a.txt': '1' })
  await expect(git(['-C', folder, 'fetch', `file://${folder}`], { env })).rejects.toThrow(
    /transport 'file' not allowed/,
  )
})

it('reports git’s error, or that git is missing, in one line', async () => {
  await expect(git(['-C', folder, 'no-such-thing'], { env })).rejects.toThrow(GitError)
  await expect(git(['-C', join(folder, 'gone'), 'status'], { env })).rejects.toThrow(/^git says: .*gone/)
  await expect(git(['--version'], { env: { PATH: folder } })).rejects.toThrow('git is not installed')
  await writeFile(join(folder, 'git'), 'no program', { mode: 0o644 })
  await expect(git(['--version'], { env: { PATH: folder } })).rejects.toThrow('git cannot be started: ')
})

it('knows a project that is all of a repository, or a folder of it', async () => {
  const repository = await makeRepository(folder)
  const head = await repository.commit({ 'a b/c.txt': '1', 'd.txt': '2' })
  const whole = await openRepository(folder, env)
  expect(whole).toMatchObject({ prefix: '', head, format: 'sha1', isShallow: false })
  const part = await openRepository(join(folder, 'a b'), env)
  expect(part).toMatchObject({ prefix: 'a b/', objects: whole.objects })
  expect(await treeAt(part, head, env)).toBe(await repository.git('rev-parse', 'HEAD:a b'))
  expect(await treeAt({ project: folder, prefix: 'd.txt/' }, head, env)).toBeUndefined()
  expect(await treeAt(whole, 'HEAD', env)).toBeUndefined()
})

it('does not take the inside of a repository for a project', async () => {
  await makeRepository(folder)
  await expect(openRepository(join(folder, '.git'), env)).rejects.toThrow('the inside of a repository')
})
