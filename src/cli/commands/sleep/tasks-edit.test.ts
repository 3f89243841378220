import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { shownBook } from '../../../../test/support/sleep-book.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { readBook, updateBook } from '../../../sleep/book/book.js'
import type { SleepTask } from '../../../sleep/model/sleep-task.js'
import { openProject, type SleepProject } from '../../../sleep/settings/places.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'
import { editorCommand } from '../../terminal/editor.js'

let home = ''
let cwd = ''
let project: SleepProject
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'skillopt-sleep-edit-'))
  cwd = join(home, 'shop')
  await mkdir(cwd)
  project = await openProject('.', { env: { HOME: home }, cwd })
  await updateBook(project.folder, project.root, shown)
})
afterEach(() => rm(home, { recursive: true }))

const shown = () => shownBook(project.root)
const [before] = shownBook('/').tasks

async function edit(argv: readonly string[], env: Record<string, string> = {}, tty = false) {
  const io = fakeIo<Library>({ cwd, tty, env: { HOME: home, ...env } })
  const code = await main(['sleep', 'tasks', 'edit', 'wri', ...argv], io)
  return { code, out: io.out(), err: io.err() }
}

async function task(): Promise<SleepTask | undefined> {
  return (await readBook(project.folder, project.root)).tasks[0]
}

describe('edit with options', () => {
  it('replaces what is named, and leaves the rest', async () => {
    const argv = ['--rubric', 'One.', '--rubric', 'Two.', '--check', 'max_chars=9', '--check', 'no_refusal']
    expect((await edit([...argv, '--skill', 'commits', '--reviewed'])).out).toBe(
      'changed write-commit-messages\n',
    )
    expect(await task()).toEqual({
      ...before,
      rubric: ['One.', 'Two.'],
      checks: [
        { op: 'max_chars', arg: 9 },
        { op: 'no_refusal', arg: true },
      ],
      skill: 'commits',
      reviewed: true,
      writtenBy: 'person',
    })
    await edit(['--skill', 'none', '--intent', 'Do it.'])
    expect(await task()).toMatchObject({ intent: 'Do it.', rubric: ['One.', 'Two.'], reviewed: true })
    expect(await task()).not.toHaveProperty('skill')
  })

  it('clears values set to none, and warns about the rest', async () => {
    const shape = await edit(['--rubric', 'none'])
    expect(shape.err).toMatch(
      /^warning: Task "write-commit-messages": Its checks look at the form of a reply only/,
    )
    expect((await edit(['--check', 'none'])).err).toContain('nothing can score it')
    expect(await task()).toMatchObject({ rubric: [], checks: [] })
  })

  it('says when nothing changed, and who wrote a task that was only read', async () => {
    expect((await edit(['--intent', before?.intent ?? ''])).out).toBe('write-commit-messages is unchanged.\n')
    await edit(['--reviewed'])
    expect(await task()).toEqual({ ...before, reviewed: true })
  })

  it('prints JSON', async () => {
    const { out } = await edit(['--reviewed', '--json'])
    expect(JSON.parse(out)).toMatchObject({
      changed: true,
      task: { id: 'write-commit-messages', reviewed: true },
    })
  })

  it.each([
    [['--intent', '  '], 'intent must be text'],
    [['--check', 'regex=('], 'malformed pattern'],
    [['--check', 'has=x'], '"has=x" is no check.'],
    [['--rubric', ''], 'rubric.0 must be text'],
    [[], 'there is no terminal for an editor'],
  ])('refuses %j', async (argv, message) => {
    const { code, err } = await edit(argv)
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain(message)
    expect(await task()).toEqual(before)
  })
})

/** Creates an editor that runs `code` on `text`, the content of `file`. */
async function editor(code: string): Promise<Record<string, string>> {
  const script = join(home, 'my editor.mjs')
  await writeFile(
    script,
    `import { readFileSync, writeFileSync, statSync } from 'node:fs'
const file = process.argv.at(-1)
const text = readFileSync(file, 'utf8')
${code}`,
  )
  return { EDITOR: `"${process.execPath}" '${script}' --wait` }
}
const drafts = async () => (await readdir(project.folder)).filter(name => name !== 'tasks.json')

describe('edit in an editor', () => {
  const inEditor = async (code: string) => edit([], await editor(code), true)

  it('applies the saved text', async () => {
    const { code, out } = await inEditor(
      `writeFileSync(file, text.replace('The body says why.', process.argv.at(-2)))`,
    )
    expect({ code, out }).toEqual({ code: exitCodes.ok, out: 'changed write-commit-messages\n' })
    const rubric = ['The subject names what changes for users.', '--wait']
    expect(await task()).toEqual({ ...before, rubric, writtenBy: 'person' })
    expect(await drafts()).toEqual([])
  })

  it('shows it to nobody else', async () => {
    await inEditor(
      `writeFileSync(${JSON.stringify(join(home, 'mode'))}, String(statSync(file).mode & 0o777))`,
    )
    expect(await readFile(join(home, 'mode'), 'utf8')).toBe(String(0o600))
    expect((await stat(project.folder)).mode & 0o777).toBe(0o700)
  })

  it.each(['', `writeFileSync(file, '')`, `writeFileSync(file, '# nothing')`, 'process.exit(1)'])(
    'changes nothing by: %s',
    async code => {
      expect((await inEditor(code)).out).toBe('write-commit-messages is unchanged.\n')
      expect(await task()).toEqual(before)
      expect(await drafts()).toEqual([])
    },
  )

  it('keeps an invalid text for another try', async () => {
    const first = await inEditor(`writeFileSync(file, text.replace('intent:', 'intnt:'))`)
    expect(first.code).toBe(exitCodes.badInput)
    expect(first.err).toMatch(
      /intnt is not an option .*did you mean intent\?\n.*kept; rerun the same command to reopen it/,
    )
    expect(await task()).toEqual(before)
    const left = await inEditor('')
    expect(left.code).toBe(exitCodes.badInput)
    const mended = await inEditor(`writeFileSync(file, text.replace('intnt:', 'intent: Please'))`)
    expect(mended.out).toMatch(/^This is your unfinished edit.*\nchanged write-commit-messages\n$/)
    expect(await task()).toMatchObject({ intent: `Please ${before?.intent}` })
    expect(await drafts()).toEqual([])
  })

  it('ignores the text if the editor failed', async () => {
    const { err } = await inEditor(`writeFileSync(file, text.replace('Write', 'Rewrite'))\nprocess.exit(3)`)
    expect(err).toContain('The editor exited with code 3; nothing was changed.')
    expect(await task()).toEqual(before)
    expect(await drafts()).toEqual(['edit-write-commit-messages.yaml'])
  })

  it('does not overwrite what somebody else changed meanwhile', async () => {
    const book = JSON.stringify(join(project.folder, 'tasks.json'))
    const { err } = await inEditor(`writeFileSync(file, text.replace('Write', 'Rewrite'))
writeFileSync(${book}, readFileSync(${book}, 'utf8').replace('The body says why.', 'It is short.'))`)
    expect(err).toContain('was changed elsewhere in the meantime')
    expect((await task())?.rubric).toContain('It is short.')
    expect(await drafts()).toHaveLength(1)
  })

  it.each([
    [{}, 'No editor found'],
    [{ EDITOR: 'no-such-editor-anywhere' }, 'Cannot start the editor no-such-editor-anywhere'],
  ])('needs one: %j', async (env, message) => {
    const { code, err } = await edit([], env, true)
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain(message)
    expect(await drafts()).toEqual([])
  })

  it('is chosen by VISUAL, then by EDITOR, in words', () => {
    expect(editorCommand({ VISUAL: 'code --wait', EDITOR: 'vi' })).toEqual(['code', '--wait'])
    expect(editorCommand({ VISUAL: ' ', EDITOR: '"/a b/vi" -c \'set x\'' })).toEqual([
      '/a b/vi',
      '-c',
      'set x',
    ])
    expect(editorCommand({})).toEqual([])
  })
})
