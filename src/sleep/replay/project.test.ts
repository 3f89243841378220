import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeRepository, type TestRepository } from '../../../test/support/repository.js'
import { copyWorkspace } from '../../agents/shared/harness/workspace.js'
import { InputError, PausedError } from '../../core/errors/errors.js'
import { removeFolder } from '../../system/remove-folder.js'
import { snapshotProject } from './file-copy.js'
import { type CopyOptions, openCopies } from './project.js'

let base = ''
let project = ''
const made: string[] = []
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'sleep-copies-')))
  project = join(base, 'shop')
  await mkdir(project)
})
afterEach(async () => {
  await Promise.all([...made.splice(0), base].map(removeFolder))
})

const open = (more: Partial<CopyOptions> = {}, requests: readonly string[] = ['r1']) =>
  openCopies({ project, commits: new Map(), ...more }, requests)

/** Makes a copy for a request; it is removed after the test. */
async function copyOf(more: Partial<CopyOptions> = {}, request = 'r1'): Promise<string> {
  const copies = await open(more, [request])
  const folder = await copies.make(copies.stateFor(request))
  made.push(folder)
  return folder
}

/**
 * Maps each path to its text, or to `a link`. With `inGit`, includes git's own files, and each text begins
 * with its modification time.
 */
async function contentOf(folder: string, { inGit = false } = {}): Promise<Record<string, string>> {
  const content: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path)
    if (entry.isDirectory() || (!inGit && /^\.git(\/|$)/.test(name))) continue
    const { mtimeMs } = await lstat(path)
    const text = entry.isSymbolicLink() ? 'a link' : await readFile(path, 'latin1')
    content[name] = inGit ? `${mtimeMs} ${text}` : text
  }
  return content
}

async function own(folder: string, ...args: readonly string[]): Promise<string> {
  const repository = await makeRepository(folder)
  return repository.git(...args)
}

describe('a project with git', () => {
  let template = ''
  let repository: TestRepository
  let first = ''
  beforeAll(async () => {
    template = await mkdtemp(join(tmpdir(), 'sleep-template-'))
    const original = await makeRepository(template)
    first = await original.commit({ 'notes.md': 'one', 'src/main.js': 'main()' })
    await original.commit({ 'notes.md': 'two' })
  })
  afterAll(() => removeFolder(template))
  beforeEach(async () => {
    await cp(template, project, { recursive: true })
    repository = await makeRepository(project)
    await writeFile(join(project, 'notes.md'), 'not committed')
    await writeFile(join(project, '.env'), 'KEY=secret')
  })

  it('is copied at the pinned commit, or at the last one', async () => {
    const commits = new Map([['r1', first]])
    expect(await contentOf(await copyOf({ commits }))).toEqual({ 'notes.md': 'one', 'src/main.js': 'main()' })
    expect(await contentOf(await copyOf({ commits }, 'r2'))).toEqual({
      'notes.md': 'two',
      'src/main.js': 'main()',
    })
  })

  it('is byte for byte what it was, its repository included', async () => {
    const before = await contentOf(project, { inGit: true })
    expect(Object.keys(before)).toContain('.git/index')
    await copyOf({ commits: new Map([['r1', first]]) })
    expect(await contentOf(project, { inGit: true })).toEqual(before)
  })

  it('gives every attempt a folder of its own, untouched by the one before', async () => {
    const copies = await open()
    const one = await copies.make(copies.stateFor('r1'))
    await writeFile(join(one, 'notes.md'), 'spoiled')
    const other = await copies.make(copies.stateFor('r1'))
    made.push(one, other)
    expect(other).not.toBe(one)
    expect((await contentOf(other))['notes.md']).toBe('two')
  })

  it('uses the commit that was last at the time of pinning', async () => {
    const commits = new Map([['HEAD', first]])
    expect((await contentOf(await copyOf({ commits })))['notes.md']).toBe('one')
  })

  it('identifies its state by the files alone', async () => {
    const copies = await open({ commits: new Map([['r1', first]]) }, ['r1', 'r2'])
    expect(copies.stateFor('r1')).toEqual({ tree: await repository.git('rev-parse', `${first}^{tree}`) })
    expect(copies.stateFor('r2')).toEqual({ tree: await repository.git('rev-parse', 'HEAD^{tree}') })
    expect((await open({ without: ['b', 'a'] })).stateFor('r2')).toMatchObject({ without: ['a', 'b'] })
    expect(copies.warnings).toEqual([])
  })

  it('is in the copy as a repository of one commit, with nothing of the old one', async () => {
    await repository.git('remote', 'add', 'origin', 'https://ada:hunter2@example.com/shop.git')
    const folder = await copyOf()
    expect(await own(folder, 'status', '--porcelain')).toBe('')
    expect(await own(folder, 'log', '--format=%s %an')).toBe('The project The project')
    expect(await own(folder, 'fsck', '--strict')).toBe('')
    expect(JSON.stringify(await contentOf(folder, { inGit: true }))).not.toContain('hunter2')
    await expect(readFile(join(folder, '.git/objects/info/alternates'))).rejects.toThrow('ENOENT')
    await expect(own(folder, 'cat-file', '-t', first)).rejects.toThrow()
    // Commits like an agent would.
    await writeFile(join(folder, 'notes.md'), 'three')
    await own(folder, 'commit', '--quiet', '--all', '-m', 'Mine')
    expect(await own(folder, 'show', 'HEAD:notes.md')).toBe('three')
  })

  it('excludes the trained file, links to it, and its content in the commit', async () => {
    await rm(join(project, '.env'))
    await repository.commit({
      'CLAUDE.md': 'old',
      'docs/keep.md': 'kept',
      '.agents/skills/a/SKILL.md': 'old',
    })
    await mkdir(join(project, '.claude'))
    await symlink('../.agents/skills', join(project, '.claude/skills'))
    await symlink('CLAUDE.md', join(project, 'AGENTS.md'))
    await repository.commit({})
    const without = ['CLAUDE.md', '.claude/skills/a/SKILL.md', 'not/there.md', 'notes.md/below']
    const folder = await copyOf({ without })
    expect(Object.keys(await contentOf(folder)).sort()).toEqual([
      '.claude/skills',
      'docs/keep.md',
      'notes.md',
      'src/main.js',
    ])
    expect(await own(folder, 'status', '--porcelain')).toBe('')
    expect(await own(folder, 'ls-files')).not.toContain('SKILL')
    await expect(open({ without: ['../x'] })).rejects.toThrow(
      '"../x" is to be left out of the copies, and is no path below the project.',
    )
  })

  it('excludes settings that make an agent start programs or contact servers', async () => {
    await rm(join(project, '.env'))
    const settings = ['.mcp.json', '.claude/settings.json', '.cursor/mcp.json', '.opencode/plugin/x.ts']
    await repository.commit({
      ...Object.fromEntries(settings.map(path => [path, '{}'])),
      '.claude/commands/ship.md': 'Ship it.',
    })
    expect(Object.keys(await contentOf(await copyOf())).sort()).toEqual([
      '.claude/commands/ship.md',
      'notes.md',
      'src/main.js',
    ])
  })

  it('uses the last commit, with a warning, if a commit is missing or invalid', async () => {
    const gone = 'f'.repeat(40)
    const copies = await open(
      {
        commits: new Map([
          ['r1', gone],
          ['r2', '--upload-pack=x'],
        ]),
      },
      ['r1', 'r2'],
    )
    expect(copies.stateFor('r1')).toEqual({ tree: await repository.git('rev-parse', 'HEAD^{tree}') })
    expect(copies.warnings).toEqual([
      '2 commits of the project cannot be read any more: ffffffffff, --upload-p. Their tasks are tried on what was committed last.',
    ])
  })

  it('may be a subfolder of the repository, and then only that is copied', async () => {
    await repository.commit({ 'packages/til l/index.js': 'till()' })
    project = join(project, 'packages/til l')
    expect(await contentOf(await copyOf())).toEqual({ 'index.js': 'till()' })
    const copies = await open({ commits: new Map([['r1', first]]) })
    expect(copies.warnings).toEqual([expect.stringContaining('1 commit of the project cannot be read')])
  })

  it('may be a worktree, or have other names for its objects', async () => {
    await repository.git('worktree', 'add', '--quiet', join(base, 'tree'), first)
    project = join(base, 'tree')
    expect((await contentOf(await copyOf()))['notes.md']).toBe('one')
    project = join(base, 'long "names": \\')
    const other = await makeRepository(project, '--object-format=sha256')
    await other.commit({ 'a.txt': 'a' })
    expect(await contentOf(await copyOf())).toEqual({ 'a.txt': 'a' })
  })

  it('is refused if it is too large, before anything is copied', async () => {
    const limits = { bytes: 5, entries: 100 }
    const refused = await open({ limits, commits: new Map([['r1', first]]) }).catch((error: unknown) => error)
    expect(await open({ limits }).catch((error: unknown) => error)).toBeInstanceOf(InputError)
    expect(refused).toBeInstanceOf(InputError)
    expect(refused).toMatchObject({
      message: expect.stringMatching(
        /shop is too large to be copied for each attempt: .* 100 files and folders\.$/,
      ),
      hint: expect.stringContaining('sleep.copies'),
    })
    await expect(open({ limits: { bytes: 1000, entries: 2 } })).rejects.toThrow('too large')
  })

  it('runs no hooks, filters or monitors of the repository', async () => {
    const marker = join(base, 'started')
    const script = join(base, 'evil.sh')
    await writeFile(script, `#!/bin/sh\ntouch "${marker}"\ncat\n`)
    await chmod(script, 0o755)
    await repository.commit({ '.gitattributes': '* filter=evil diff=evil\n', 'big.bin': 'pointer' })
    await mkdir(join(project, '.git/hooks'), { recursive: true })
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction', 'pre-commit'])
      await symlink(script, join(project, '.git/hooks', hook))
    for (const key of ['filter.evil.smudge', 'filter.evil.clean', 'filter.evil.process', 'core.fsmonitor'])
      await repository.git('config', key, script)
    await repository.git('config', 'filter.evil.required', 'true')
    const folder = await copyOf({ env: { PATH: process.env.PATH, GIT_DIR: base, GIT_WORK_TREE: base } })
    expect((await contentOf(folder))['big.bin']).toBe('pointer')
    await expect(stat(marker)).rejects.toThrow('ENOENT')
    // Control: a normal git command does run the script.
    await repository.git('checkout', '--quiet', '--force', first).catch(() => undefined)
    expect((await stat(marker)).isFile()).toBe(true)
  })

  it('copies unusual names unchanged, and no link that leads outside', async () => {
    await symlink('/etc', join(project, 'etc'))
    await symlink('/etc/passwd', join(project, 'users'))
    await symlink('nowhere', join(project, 'dangling'))
    await symlink('round', join(project, 'round'))
    await symlink('src', join(project, 'inside'))
    await symlink('etc', join(project, 'by-way-of'))
    await symlink(join(project, 'notes.md'), join(project, 'absolute'))
    await rm(join(project, '.env'))
    await repository.commit({ '-rf': 'dash', 'two\nlines "é"': 'newline', 'notes.md': 'two' })
    await chmod(join(project, '-rf'), 0o755)
    await repository.commit({})
    const folder = await copyOf()
    expect(await contentOf(folder)).toEqual({
      '-rf': 'dash',
      'two\nlines "é"': 'newline',
      'notes.md': 'two',
      'src/main.js': 'main()',
      inside: 'a link',
    })
    expect((await stat(join(folder, '-rf'))).mode & 0o111).not.toBe(0)
    expect(await own(folder, 'status', '--porcelain')).toBe('')
    // The harness makes a second copy, and refuses files that could mislead an agent.
    await mkdir(join(base, 'agent'))
    await copyWorkspace(folder, join(base, 'agent'))
    expect(await contentOf(join(base, 'agent'))).toEqual(await contentOf(folder))
  })

  it('fetches no submodule and skips names that are not UTF-8', async () => {
    await repository.git('update-index', '--add', '--cacheinfo', `160000,${first},vendor/lib`)
    const blob = await repository.git('rev-parse', 'HEAD:notes.md')
    const entry = Buffer.concat([
      Buffer.from(`100644 ${blob}\t`),
      Buffer.from([0xff, 0xfe]),
      Buffer.from([0]),
    ])
    await repository.feed(entry, 'update-index', '-z', '--index-info')
    await repository.git('commit', '--quiet', '-m', 'Odd')
    const folder = await copyOf()
    expect(Object.keys(await contentOf(folder)).sort()).toEqual(['notes.md', 'src/main.js'])
    expect(await readdir(join(folder, 'vendor/lib'))).toEqual([])
    expect(await own(folder, 'status', '--porcelain')).toBe('')
  })

  it('reports a failed copy and leaves nothing behind', async () => {
    const copies = await open()
    const objects = join(project, '.git/objects')
    await rm(objects, { recursive: true })
    await mkdir(objects)
    const failed = await copies.make(copies.stateFor('r1')).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(PausedError)
    expect(failed).toMatchObject({
      message: expect.stringMatching(/^The copy of the project for an attempt could not be made: git says: /),
      hint: expect.stringContaining('TMPDIR'),
    })
  })

  it('leaves nothing behind when the disk is full', async () => {
    const bin = join(base, 'bin')
    const log = join(base, 'folder')
    await mkdir(bin)
    const full = 'echo "fatal: unable to write file: No space left on device" >&2; exit 128'
    const script = `#!/bin/sh
case "$*" in *checkout-index*) while [ "$1" != -C ]; do shift; done; echo "$2" > "${log}"; ${full};; esac
PATH="${process.env.PATH}" exec git "$@"
`
    await writeFile(join(bin, 'git'), script, { mode: 0o755 })
    await expect(copyOf({ env: { PATH: `${bin}:/bin:/usr/bin` } })).rejects.toThrow('No space left on device')
    const folder = (await readFile(log, 'utf8')).trim()
    expect(folder).toContain('skillopt-agent')
    await expect(stat(folder)).rejects.toThrow('ENOENT')
  })

  it('refuses a tree that would write into its own repository', async () => {
    const blob = await repository.git('rev-parse', 'HEAD:notes.md')
    const inner = await repository.feed(Buffer.from(`100644 blob ${blob}\tconfig\n`), 'mktree')
    const tree = await repository.feed(Buffer.from(`040000 tree ${inner}\t.git\n`), 'mktree')
    const commit = await repository.git('commit-tree', '-m', 'Evil', tree)
    await expect(copyOf({ commits: new Map([['r1', commit]]) })).rejects.toThrow(PausedError)
  })
})

describe('a project without git', () => {
  beforeEach(async () => {
    await writeFile(join(project, 'notes.md'), 'one')
    await mkdir(join(project, 'src'))
    await writeFile(join(project, 'src/run.sh'), 'echo', { mode: 0o555 })
  })

  it('is copied in its current state, without tool output and files that usually hold secrets', async () => {
    for (const folder of ['node_modules/a', '.venv', '.ssh', '.aws'])
      await mkdir(join(project, folder), { recursive: true })
    for (const name of [
      'node_modules/a/index.js',
      '.ssh/config',
      '.aws/credentials',
      '.env',
      '.env.local',
      '.npmrc',
      'server.pem',
      'id_rsa',
    ])
      await writeFile(join(project, name), 'secret')
    await writeFile(join(project, '.env.example'), 'KEY=')
    await symlink('.env', join(project, 'settings'))
    await symlink('/etc/passwd', join(project, 'users'))
    await symlink('src/run.sh', join(project, 'run'))
    const folder = await copyOf()
    expect(await contentOf(folder)).toEqual({
      'notes.md': 'one',
      'src/run.sh': 'echo',
      '.env.example': 'KEY=',
      run: 'a link',
    })
    expect((await stat(join(folder, 'src/run.sh'))).mode & 0o777).toBe(0o555)
    await expect(stat(join(folder, '.git'))).rejects.toThrow('ENOENT')
  })

  it('warns with the reason, and lists files that are too large', async () => {
    await writeFile(join(project, 'film.mp4'), Buffer.alloc(20_000_001))
    const { warnings } = await open()
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Tasks are tried on the files of .*shop as they are now, .*: git finds no repository in the project\. film\.mp4 stays behind/s,
      ),
    ])
  })

  it('is copied even if git is not installed', async () => {
    const copies = await open({ env: { PATH: '' } })
    expect(copies.warnings).toEqual([expect.stringContaining(': git is not installed.')])
    expect(copies.stateFor('r1')).toEqual((await open()).stateFor('r1'))
  })

  it.each([
    [
      'nothing was committed',
      async () => void (await makeRepository(project)),
      'there is no commit yet, or the last one cannot be read',
    ],
    [
      'the repository around it does not keep it',
      async () => {
        const outer = await makeRepository(base)
        await writeFile(join(base, '.gitignore'), 'shop\n')
        await outer.commit({ 'dotfiles.txt': 'x' })
      },
      'the project is a folder of a repository that does not keep it',
    ],
    [
      'the repository is broken',
      async () => {
        await mkdir(join(project, '.git'))
        await writeFile(join(project, '.git/HEAD'), 'nonsense')
      },
      'git finds no repository in the project',
    ],
  ])('is one of which %s', async (_, prepare, reason) => {
    await prepare()
    const copies = await open()
    expect(copies.warnings).toEqual([expect.stringContaining(reason)])
    expect(Object.keys(await contentOf(await copyOf())).sort()).toEqual(['notes.md', 'src/run.sh'])
  })

  it('pauses if it has changed', async () => {
    const copies = await open()
    await writeFile(join(project, 'notes.md'), 'two')
    await expect(copies.make(copies.stateFor('r1'))).rejects.toThrow(PausedError)
    await expect(copies.make(copies.stateFor('r1'))).rejects.toThrow(/shop is not what it was\.$/)
    expect((await open()).stateFor('r1')).not.toEqual(copies.stateFor('r1'))
  })

  it('has the same state as its snapshot', async () => {
    const before = (await open()).stateFor('r1')
    await writeFile(join(project, '.env'), 'KEY=secret')
    const kept = join(base, 'night', 'project')
    await snapshotProject(project, kept)
    await writeFile(join(project, 'notes.md'), 'two')
    expect((await open({ project: kept })).stateFor('r1')).toEqual(before)
    expect(await contentOf(kept)).not.toHaveProperty('.env')
  })

  it('is refused if it is too large', async () => {
    await expect(open({ limits: { bytes: 5, entries: 100 } })).rejects.toThrow(InputError)
    await expect(open({ limits: { bytes: 500, entries: 2 } })).rejects.toThrow('too large')
  })
})
