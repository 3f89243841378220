import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { jpeg, pdf, png } from '../../../test/support/pictures.js'
import { InputError, PausedError } from '../../core/errors/errors.js'
import { taskHash } from '../../core/text/hash.js'
import { create, options } from '../own/index.js'

let home = ''
let baseDir = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'files-'))
  baseDir = join(home, 'project')
  await write('pictures/red.png', png())
  await write('pictures/blue.png', png([0, 0, 200]))
  await write('report.pdf', pdf(2))
  await write('notes.md', 'Read the *label*.')
})
afterEach(() => rm(home, { recursive: true }))

async function write(name: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(baseDir, name)), { recursive: true })
  await writeFile(join(baseDir, name), content)
}

/** Three tasks, one per split; the first has these additional fields. */
async function open(fields: object, given: object = {}) {
  const rows = [{ id: 'first', question: 'What is it?', answer: 'a', ...fields }].concat(
    ['second', 'third'].map(id => ({ id, question: `What is ${id}?`, answer: 'b' })),
  )
  for (const [index, split] of ['train', 'val', 'test'].entries())
    await write(`${split}.jsonl`, JSON.stringify(rows[index]))
  const splits = { train: 'train.jsonl', val: 'val.jsonl', test: 'test.jsonl' }
  return create(options.parse({ ...splits, ...given }), { baseDir })
}

async function firstTask(fields: object, given?: object) {
  const environment = await open(fields, given)
  const [task] = await environment.tasks('train')
  if (task === undefined) throw new Error('there is no task')
  return { environment, task, session: await environment.open(task, scoreContext) }
}

async function refusal(fields: object, given?: object): Promise<string> {
  const error: unknown = await open(fields, given).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(InputError)
  const { message, hint } = error as InputError
  return `${message} ${hint ?? ''}`
}

describe('files of a task', () => {
  it('go before its prompt, in their order; text as text', async () => {
    const files = ['pictures/red.png', 'notes.md', 'report.pdf']
    const { environment, task, session } = await firstTask({ files })
    expect(session.prompt).toEqual([
      { type: 'image', name: 'red.png', mediaType: 'image/png', data: png().toString('base64') },
      { type: 'text', text: '<file>\nRead the *label*.\n</file>' },
      {
        type: 'document',
        name: 'report.pdf',
        mediaType: 'application/pdf',
        data: pdf(2).toString('base64'),
        pages: 2,
      },
      { type: 'text', text: 'What is it?' },
    ])
    expect(task.attachments?.map(({ name, bytes }) => [name, bytes])).toEqual([
      ['red.png', png().length],
      ['notes.md', 17],
      ['report.pdf', pdf(2).length],
    ])
    expect([...environment.needs].sort()).toEqual(['chat', 'documents', 'images'])
  })

  it('may be named in another field, or by one path, and be left out', async () => {
    const { task, session } = await firstTask({ photo: 'pictures/red.png' }, { files: 'photo' })
    expect(task.attachments).toHaveLength(1)
    expect(session.prompt).toHaveLength(2)
    const without = await firstTask({ files: '' })
    expect(without.session.prompt).toBe('What is it?')
    expect(without.environment.needs).toEqual(['chat'])
  })

  it('are ignored if the field is used for something else', async () => {
    const { task, session } = await firstTask({ files: { count: 3 } }, { files: false })
    expect(session.prompt).toBe('What is it?')
    expect(task.fields.files).toEqual({ count: 3 })
  })

  it('stand in one column of a CSV, with semicolons between', async () => {
    const row = (id: string, files: string) => `${id},What is ${id}?,a,${files}`
    const lines = [row('a', 'pictures/red.png; notes.md'), row('b', ''), row('c', 'report.pdf')]
    await write('all.csv', ['id,question,answer,files', ...lines].join('\n'))
    const given = options.parse({ path: 'all.csv', ratio: '1:1:1' })
    const environment = await create(given, { baseDir })
    const tasks = await Promise.all((['train', 'val', 'test'] as const).map(environment.tasks))
    const names = tasks.flat().map(({ id, attachments = [] }) => [id, attachments.map(({ name }) => name)])
    expect(Object.fromEntries(names)).toEqual({ a: ['red.png', 'notes.md'], b: [], c: ['report.pdf'] })
  })

  it('identify the task by their content, not by path or name', async () => {
    const hash = async (files: string[]) => taskHash((await firstTask({ files })).task)
    const before = await hash(['pictures/red.png'])
    await write('moved/crimson.png', png())
    expect(await hash(['moved/crimson.png'])).toBe(before)
    expect(await hash(['pictures/blue.png'])).not.toBe(before)
    await write('pictures/red.png', png([9, 9, 9]))
    expect(await hash(['pictures/red.png'])).not.toBe(before)
  })

  it('distinguish tasks with the same question, unless the files are the same', async () => {
    const row = (id: string, file: string) =>
      JSON.stringify({ id, question: 'What is it?', answer: 'a', files: [file] })
    const given = options.parse({ train: 'a.jsonl', val: 'b.jsonl', test: 'c.jsonl' })
    await write('a.jsonl', row('a', 'pictures/red.png'))
    await write('b.jsonl', row('b', 'pictures/blue.png'))
    await write('c.jsonl', row('c', 'report.pdf'))
    await expect(create(given, { baseDir })).resolves.toBeDefined()
    await write('copy.png', png())
    await write('c.jsonl', row('c', 'copy.png'))
    await expect(create(given, { baseDir })).rejects.toThrow(/same task stands in two splits.*a.*c/)
  })

  it('stop the run when they change', async () => {
    const { environment, task } = await firstTask({ files: ['pictures/red.png'] })
    await write('pictures/red.png', png([9, 9, 9]))
    await expect(environment.open(task, scoreContext)).rejects.toThrow(/red\.png is not what it was/)
    await rm(join(baseDir, 'pictures/red.png'))
    await expect(environment.open(task, scoreContext)).rejects.toThrow(PausedError)
  })
})

describe('refused before anything is spent', () => {
  it.each([
    ['nothing.png', /the file nothing\.png does not exist/],
    ['pictures', /cannot be read/],
    ['/etc/hostname', /the file \/etc\/hostname lies outside of .*project/],
    ['../secret.png', /the file \.\.\/secret\.png lies outside of/],
    ['pictures/../../secret.png', /lies outside of/],
    ['link.png', /is a link to a place outside of/],
    ['folder-link/secret.png', /is a link to a place outside of/],
    ['photo.png', /photo\.png is a JPEG image, and its name says otherwise/],
    ['half.png', /half\.png is a PNG image that breaks off before its end/],
    ['letter.docx', /letter\.docx is of a kind that is not supported/],
  ])('%s', async (path, said) => {
    await writeFile(join(home, 'secret.png'), png())
    await symlink(join(home, 'secret.png'), join(baseDir, 'link.png'))
    await symlink(home, join(baseDir, 'folder-link'))
    await write('photo.png', jpeg)
    await write('half.png', png().subarray(0, 60))
    await write('letter.docx', Buffer.from([0x50, 0x4b, 3, 4, 0, 0]))
    const message = await refusal({ files: [path] })
    expect(message).toMatch(said)
    expect(message).toMatch(/^train\.jsonl, line 1 \(task first\): /)
  })

  it('a file that may not be read', async () => {
    await write('closed.png', png())
    await chmod(join(baseDir, 'closed.png'), 0)
    // Root, as which some tests run, can read every file.
    if (process.getuid?.() === 0) return
    expect(await refusal({ files: ['closed.png'] })).toMatch(/closed\.png cannot be read/)
  })

  it('a field that holds no paths, with the way out', async () => {
    const message = await refusal({ files: [{ path: 'a.png' }] })
    expect(message).toMatch(/train\.jsonl, line 1: the field "files" holds no paths of files/)
    expect(message).toContain('files: false')
  })

  it('a field that no task has', async () => {
    expect(await refusal({}, { files: 'picturs' })).toContain('there is no field "picturs"')
  })
})

it('may lie beside the splits in a split folder, and not outside of it', async () => {
  await write('data/pictures/red.png', png())
  for (const split of ['train', 'val', 'test']) {
    const item = { id: split, question: `${split}?`, answer: 'a', files: ['../pictures/red.png'] }
    await write(`data/${split}/items.json`, JSON.stringify([item]))
  }
  const given = options.parse({ splitDir: 'data' })
  const [task] = await (await create(given, { baseDir })).tasks('val')
  expect(task?.attachments?.[0]?.name).toBe('red.png')
  const outside = { id: 'val', question: 'val?', answer: 'a', files: ['../../report.pdf'] }
  await write('data/val/items.json', JSON.stringify([outside]))
  await expect(create(given, { baseDir })).rejects.toThrow(/report\.pdf lies outside of .*data\.$/)
})
