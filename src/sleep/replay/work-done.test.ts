import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PausedError } from '../../core/errors/errors.js'
import { removeFolder } from '../../system/remove-folder.js'
import { runProgram } from '../../system/run-program.js'
import { stateOfFolder } from './folder-state.js'
import { lookAtWork } from './work-done.js'
import { workText } from './work-text.js'

let base = ''
let folder = ''
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'work-done-')))
  folder = join(base, 'work')
})
afterEach(() => removeFolder(base))

const at = (path: string) => join(folder, path)

async function write(files: Readonly<Record<string, string | Buffer>>, within = folder): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(within, path)), { recursive: true })
    await writeFile(join(within, path), content)
  }
}

/** Reports the work that was done on these files. */
async function found(given: Readonly<Record<string, string | Buffer>>, work: () => Promise<unknown>) {
  await mkdir(folder)
  await write(given)
  const before = await stateOfFolder(folder)
  await cp(folder, join(base, 'given'), { recursive: true })
  await work()
  return lookAtWork(folder, before, async paths => {
    const some = await mkdtemp(join(base, 'some-'))
    for (const path of paths) {
      await mkdir(dirname(join(some, path)), { recursive: true })
      await cp(join(base, 'given', path), join(some, path))
    }
    return some
  })
}

async function told(...args: Parameters<typeof found>): Promise<string> {
  return workText(await found(...args), 12_000)
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('')

describe('work in a folder', () => {
  it('lists changed, added, renamed and deleted files, with lines', async () => {
    const text = await told(
      { 'src/a.ts': lines(1, 20), 'old.md': 'moved', 'gone.md': 'x', 'same.md': 'same' },
      async () => {
        await write({
          'src/a.ts': lines(1, 20).replace('line 10\n', 'line ten\n'),
          'docs/new.md': 'hello\nyou\n',
        })
        await rename(at('old.md'), at('docs/moved.md'))
        await rm(at('gone.md'))
      },
    )
    expect(text).toBe(
      [
        '4 files: 1 changed, 1 added, 1 renamed, 1 deleted.',
        'changed: src/a.ts',
        '@@ line 7, now 7 @@\n line 7\n line 8\n line 9\n-line 10\n+line ten\n line 11\n line 12\n line 13',
        'renamed: old.md -> docs/moved.md',
        'added: docs/new.md\n+hello\n+you',
        'deleted: gone.md',
      ].join('\n'),
    )
    expect(await readdir(base)).toEqual(['given', 'work'])
  })

  it('is reported as the documentation shows', async () => {
    const total = (sum: string) =>
      `import { add } from './add.js'\n\nexport function total(prices) {\n  return ${sum}\n}\n`
    const sum = 'prices.reduce(add, 0)'
    const given = { 'src/total.js': total(sum), 'src/old-total.js': 'old', 'notes.txt': 'notes' }
    const text = await told(given, async () => {
      await write({ 'src/total.js': total(`Math.max(0, ${sum})`) })
      await mkdir(at('docs'))
      await rename(at('notes.txt'), at('docs/notes.txt'))
      await rm(at('src/old-total.js'))
    })
    const shown = new URL('../../../test/fixtures/sleep-tasks/changed-files.txt', import.meta.url)
    expect(`${text}\n`).toBe(await readFile(shown, 'utf8'))
  })

  it('is detected by content, not by a rewrite of the same content', async () => {
    const text = await told({ 'a.md': 'one', 'b.md': 'two' }, () => write({ 'a.md': 'one', 'b.md': 'TWO' }))
    expect(text).toBe(
      '1 file: 1 changed.\nchanged: b.md\n@@ line 1, now 1 @@\n-two\n\\ No newline at end of file\n+TWO\n\\ No newline at end of file',
    )
  })

  it('names binary, empty, oversized and executable files', async () => {
    const text = await told({ 'run.sh': 'echo', 'data.bin': Buffer.from([0, 1]) }, async () => {
      await write({ 'data.bin': Buffer.from([0, 2]), 'latin.txt': Buffer.from([0x66, 0xfc]) })
      await write({ 'empty.txt': '', 'huge.txt': 'x'.repeat(500_000) })
      await chmod(at('run.sh'), 0o755)
    })
    expect(text.split('\n')).toEqual([
      '5 files: 2 changed, 3 added.',
      'changed: data.bin (no text, 2 B)',
      'changed: run.sh (may be run now)',
      'added: empty.txt (empty)',
      'added: huge.txt (too large to be shown, 500 kB)',
      'added: latin.txt (no text, 2 B)',
    ])
  })

  it('is shown as a new text if it has little in common with the old one', async () => {
    const text = await told({ 'a.md': lines(1, 3_000) }, () => write({ 'a.md': lines(5_001, 8_000) }))
    expect(text).toMatch(/changed: a\.md \(most of it is new; as it is now\)\n\+line 5001\n\+line 5002\n/)
  })

  it('does not search folders of tools', async () => {
    const { changes, passedOver } = await found({ 'a.md': 'one' }, () =>
      write({ 'node_modules/x/index.js': 'x', 'sub/.git/config': 'x', 'lib/__pycache__/a.pyc': 'x' }),
    )
    expect(changes).toEqual([])
    expect(passedOver).toEqual(['lib/__pycache__', 'node_modules'])
  })

  it('shows lines of some files and the names of all', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `n${index}.txt`)
    const { changes } = await found({}, () => write(Object.fromEntries(names.map(name => [name, name]))))
    expect(changes).toHaveLength(100)
    expect(changes.filter(({ lines }) => lines !== undefined)).toHaveLength(60)
  })
})

describe('untrusted work', () => {
  it('is redacted before it is judged', async () => {
    const key = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
    const text = await told({ 'a.md': 'before\n' }, () =>
      write({ 'a.md': `before\ntoken ${key}\n`, '.env': 'PASSWORD=hunter2', '.ssh/known': 'mine' }),
    )
    expect(text).toContain('+token [redacted: github token]')
    expect(text).toContain('added: .env (not shown, since such files hold secrets)')
    expect(text).not.toMatch(/ghp_|hunter2|mine/)
  })

  it('is not followed through links, to files, folders or out of its own folder', async () => {
    await write({ 'secret.txt': 'of somebody else' }, join(base, 'outside'))
    const text = await told({ 'a.md': 'one', 'b/c.md': 'two' }, async () => {
      await rm(at('a.md'))
      await symlink(join(base, 'outside', 'secret.txt'), at('a.md'))
      await rm(at('b'), { recursive: true })
      await symlink(join(base, 'outside'), at('b'))
      await symlink('loop', at('loop'))
    })
    expect(text.split('\n')).toEqual([
      '4 files: 1 changed, 2 added, 1 deleted.',
      'changed: a.md (a link)',
      'added: b (a link)',
      'added: loop (a link)',
      'deleted: b/c.md',
    ])
  })

  it('may remove its folder or replace it by a link', async () => {
    await write({ 'other.txt': 'of somebody else' }, join(base, 'outside'))
    const text = await told({ 'a.md': 'one' }, async () => {
      await rm(folder, { recursive: true })
      await symlink(join(base, 'outside'), folder)
    })
    expect(text).toBe('1 file: 1 deleted.\ndeleted: a.md')
  })

  it('does not block on a pipe', async () => {
    const text = await told({}, () => runProgram(['mkfifo', at('pipe')], { env: process.env }))
    expect(text).toBe('1 file: 1 added.\nadded: pipe (nothing that can be read)')
  })

  it('is not compared with a project that has changed', async () => {
    const work = async () => {
      await write({ 'a.md': 'two' })
      await write({ 'a.md': 'else' }, join(base, 'given'))
    }
    await expect(found({ 'a.md': 'one' }, work)).rejects.toThrow(PausedError)
    expect(await readdir(base)).toEqual(['given', 'work'])
  })
})
