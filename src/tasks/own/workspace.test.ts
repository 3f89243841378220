import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { InputError, PausedError } from '../../core/errors/errors.js'
import { taskHash } from '../../core/text/hash.js'
import { create, options } from './index.js'
import { TaskWorkspaces } from './workspace.js'

let outside = ''
let baseDir = ''
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), 'workspace-'))
  baseDir = join(outside, 'project')
  await write({
    'repos/a/src/main.py': 'print(1)\n',
    'repos/a/README.md': 'A\n',
    'repos/b/README.md': 'B\n',
  })
})
afterEach(() => rm(outside, { recursive: true }))

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(baseDir, name)), { recursive: true })
    await writeFile(join(baseDir, name), text)
  }
}

interface Given extends Readonly<Record<string, unknown>> {
  readonly workspace?: string | undefined
}

/** Three tasks, the first of which has the given workspace. */
async function open(work: unknown, given: Given = {}) {
  const items = [work, { 'b.txt': 'B' }, { 'c.txt': 'C' }].map((files, index) => ({
    id: `t${index}`,
    question: 'Mend it.',
    answer: 'x',
    ...(files === undefined ? {} : { [given.workspace ?? 'repo']: files }),
  }))
  const names = ['train', 'val', 'test']
  for (const [index, name] of names.entries())
    await write({ [`tasks/${name}.json`]: JSON.stringify([items[index]]) })
  const splits = Object.fromEntries(names.map(name => [name, `tasks/${name}.json`]))
  return create(options.parse({ ...splits, workspace: 'repo', ...given }), { baseDir })
}

type Opened = Awaited<ReturnType<typeof open>>

async function firstTask(environment: Opened) {
  const [task] = await environment.tasks('train')
  if (task === undefined) throw new Error('no task')
  return task
}

async function session(environment: Opened) {
  const opened = await environment.open(await firstTask(environment), scoreContext)
  if (opened.workspace === undefined) throw new Error('no workspace')
  return { ...opened, workspace: opened.workspace }
}

async function refusal(work: unknown, given: Given = {}): Promise<string> {
  try {
    await open(work, given)
  } catch (error) {
    if (error instanceof InputError) return `${error.message} ${error.hint ?? ''}`
    throw error
  }
  return 'not refused'
}

describe('the files that an agent works on', () => {
  it('are copied from a folder for each attempt, and gone when it is closed', async () => {
    const environment = await open('../repos/a')
    expect(environment.needs).toEqual(['chat', 'workspace'])
    const [one, other] = [await session(environment), await session(environment)]
    expect((await readdir(one.workspace, { recursive: true })).sort()).toEqual(
      ['README.md', 'src', join('src', 'main.py')].sort(),
    )
    await writeFile(join(one.workspace, 'README.md'), 'changed')
    expect(await readFile(join(other.workspace, 'README.md'), 'utf8')).toBe('A\n')
    expect(await readFile(join(baseDir, 'repos/a/README.md'), 'utf8')).toBe('A\n')
    for (const { workspace, close } of [one, other]) {
      await close()
      await expect(lstat(workspace)).rejects.toThrow('ENOENT')
    }
  })

  it('are written from the texts of a task, of which there may be none', async () => {
    const texts = await session(await open({ 'notes.md': 'One.', 'src/deep/a.py': 'a = 1' }))
    expect(await readFile(join(texts.workspace, 'src', 'deep', 'a.py'), 'utf8')).toBe('a = 1')
    await texts.close()
    const empty = await session(await open({}))
    expect(await readdir(empty.workspace)).toEqual([])
    await empty.close()
  })

  it('give the agent turns and time, and only then', async () => {
    const usual = await session(await open({}))
    expect(usual.turnLimit).toBe(40)
    expect(usual.secondsLimit).toBeUndefined()
    expect(usual.instructions).toContain('<answer>')
    await usual.close()
    const own = await session(await open({}, { turns: 7, seconds: 90 }))
    expect([own.turnLimit, own.secondsLimit]).toEqual([7, 90])
    await own.close()
  })

  it('keep their bits, and a link to another file of the folder is a file', async () => {
    await write({ 'repos/a/run.sh': '#!/bin/sh\n' })
    await chmod(join(baseDir, 'repos/a/run.sh'), 0o755)
    await symlink('run.sh', join(baseDir, 'repos/a/start'))
    const { workspace, close } = await session(await open('../repos/a'))
    for (const name of ['run.sh', 'start']) {
      const stats = await lstat(join(workspace, name))
      expect([stats.isFile(), stats.mode & 0o100]).toEqual([true, 0o100])
    }
    await close()
  })

  it('identify the task by their content, not by their location', async () => {
    const hash = async (work: unknown) => taskHash(await firstTask(await open(work)))
    const before = await hash('../repos/a')
    await write({ 'moved/a/src/main.py': 'print(1)\n', 'moved/a/README.md': 'A\n' })
    expect(await hash('../moved/a')).toBe(before)
    expect(await hash('../repos/b')).not.toBe(before)
    await write({ 'moved/a/README.md': 'A!\n' })
    expect(await hash('../moved/a')).not.toBe(before)
    await rm(join(baseDir, 'moved'), { recursive: true })
    await write({ 'moved/a/src/main.py': 'print(1)\n', 'moved/a/LIES.md': 'A\n' })
    expect(await hash('../moved/a')).not.toBe(before)
    expect(await hash({ a: '1' })).not.toBe(await hash({ a: '2' }))
  })

  it('must not change', async () => {
    for (const change of [
      () => write({ 'repos/a/README.md': 'other' }),
      () => write({ 'repos/a/README.md': 'A\n', 'repos/a/more.md': 'more' }),
      () => rm(join(baseDir, 'repos/a'), { recursive: true }),
    ]) {
      await write({ 'repos/a/src/main.py': 'print(1)\n', 'repos/a/README.md': 'A\n' })
      await rm(join(baseDir, 'repos/a/more.md'), { force: true })
      const environment = await open('../repos/a')
      await change()
      await expect(session(environment)).rejects.toThrow(PausedError)
    }
  })

  it('distinguish tasks with the same words, and duplicates are found', async () => {
    expect((await open('../repos/a')).id).toBe('tasks')
    expect(await refusal({ 'b.txt': 'B' })).toContain('t0 (train) = t1 (val)')
  })

  it('are not for the scorer, which has files of its own', async () => {
    // By default this scorer writes the texts of "workspace" beside the answer, which would overwrite the
    // agent's work.
    const given = { scorer: { name: 'command', command: ['true'] }, workspace: 'workspace' }
    for (const work of ['../repos/a', { 'a.txt': 'A' }])
      expect((await firstTask(await open(work, given))).fields).not.toHaveProperty('workspace')
  })
})

describe('refusals', () => {
  it.each<[string, unknown, string]>([
    ['a task without any', undefined, 'no files to work on in "repo"'],
    ['an empty path', '', 'no files to work on in "repo"'],
    ['neither a path nor texts', ['a'], 'neither the path of a folder nor an object'],
    ['values that are no texts', { a: 1 }, 'neither the path of a folder nor an object'],
    ['a folder that is not there', '../repos/gone', 'the folder ../repos/gone does not exist'],
    ['a folder above the project', '../..', 'lies outside of'],
    ['a path from the root', '/usr', 'lies outside of'],
    ['a file in place of a folder', '../repos/a/README.md', 'is not a folder'],
    ['a name that leads out', { '../x': 'y' }, '"../x" in "repo"'],
    ['a name that is a folder', { 'x/': 'y' }, '"x/" in "repo"'],
    ['a name twice', { 'a/b': '1', 'a//b': '2' }, 'twice'],
    ['a file that is a folder as well', { a: '1', 'a/b': '2' }, 'a is a file and a folder at once'],
  ])('refuses %s', async (_, work, message) => {
    const said = await refusal(work)
    expect(said).toContain(message)
    expect(said).toMatch(/^train\.json, item 1 \(task t0\): /)
  })

  it('refuses links that lead out, nowhere or to folders, and folders without files', async () => {
    await symlink(join(outside, 'elsewhere'), join(baseDir, 'repos/linked'))
    await mkdir(join(outside, 'elsewhere'))
    expect(await refusal('../repos/linked')).toContain('is a link to a place outside of')
    await writeFile(join(outside, 'secret'), 'x')
    for (const [target, message] of [
      [join(outside, 'secret'), 'way is a link to a file outside'],
      ['gone', 'way is a broken link'],
      ['.', 'way is a link to a folder'],
    ] as const) {
      await symlink(target, join(baseDir, 'repos/b/way'))
      expect(await refusal('../repos/b')).toContain(`in the folder ../repos/b, ${message}`)
      await rm(join(baseDir, 'repos/b/way'))
    }
    await mkdir(join(baseDir, 'repos/empty/inner'), { recursive: true })
    expect(await refusal('../repos/empty')).toContain('has no files')
  })

  it('refuses what is too large, in files or in bytes', async () => {
    const find = (limits: { bytes: number; files: number }, repo: unknown) =>
      new TaskWorkspaces(baseDir, limits).find(
        {
          fields: { repo },
          at: 'a.json, item 1',
          fallbackId: 'x',
          folder: baseDir,
          root: baseDir,
        },
        'repo',
        'x',
      )
    await expect(find({ bytes: 10, files: 9 }, 'repos/a')).rejects.toThrow(
      'the folder repos/a is too large: 11 B in 2 files; the limit is 10 B in 9 files',
    )
    await expect(find({ bytes: 99, files: 1 }, 'repos/a')).rejects.toThrow('too large')
    await expect(find({ bytes: 1, files: 1 }, { a: 'ä' })).rejects.toThrow(
      'the content of "repo" is too large',
    )
    await expect(find({ bytes: 11, files: 2 }, 'repos/a')).resolves.toHaveProperty('folderHash')
  })

  it('refuses options that would have no effect, or that name one field twice', async () => {
    for (const given of [{ turns: 3 }, { seconds: 3 }, { answerFile: 'a.md' }]) {
      expect(await refusal({}, { ...given, workspace: undefined })).toContain(
        `environment.${Object.keys(given)[0]} is for tasks with files to work on`,
      )
    }
    expect(await refusal({}, { files: 'repo' })).toContain('both name the field "repo"')
    for (const answerFile of ['../a.md', '/a.md', '', 'a/'])
      expect(await refusal({}, { answerFile })).toContain('not the name of a file below the workspace')
    expect(() => options.parse({ turns: 0 })).toThrow()
  })
})
