import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'libsql'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { HarvestQuery, Skipped, Transcript } from '../../../../core/transcript/transcript.js'
import { type DatabaseFormat, readDatabase, recordIn } from './read.js'
import type { LoadSqlite, Row } from './sqlite.js'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'database-'))
  await mkdir(join(folder, 'tmp'))
  await mkdir(join(folder, 'data'))
  file = join(folder, 'data', 'a.db')
  vi.stubEnv('TMPDIR', join(folder, 'tmp'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

const format: DatabaseFormat = {
  id: 'test',
  required: { talk: ['id', 'place', 'time'], word: ['talk', 'data'] },
  optional: { talk: ['mood'], extra: ['x'] },
  sessions: { table: 'talk', order: ['time DESC'] },
  begin(session, draft) {
    draft.name(session.id)
    draft.at(session.place)
  },
  changedAt: ({ time }) => (typeof time === 'number' ? time : undefined),
  *read({ id }, draft, rows) {
    for (const key of rows.keys('word', ['talk', String(id)], ['rowid'])) {
      const record = recordIn(rows.row('word', key)?.data, draft)
      if (record !== undefined) {
        draft.countRecord()
        draft.addPrompt(String(record.text), undefined)
      }
      yield
    }
  },
}

function make(...statements: readonly string[]): Sqlite.Database {
  const database = new Sqlite(file)
  database.exec('CREATE TABLE talk (id TEXT, place TEXT, time INTEGER, other BLOB)')
  database.exec('CREATE TABLE word (talk TEXT, data TEXT)')
  for (const statement of statements) database.exec(statement)
  return database
}
const talk = (id: string, time: number, place = '/p') =>
  `INSERT INTO talk VALUES ('${id}', '${place}', ${time}, x'00ff'); INSERT INTO word VALUES ('${id}', '{"text":"in ${id}"}')`

async function read(
  wanted: Partial<HarvestQuery> = {},
  { as = format, load, path = file }: { as?: DatabaseFormat; load?: LoadSqlite; path?: string } = {},
) {
  const transcripts: Transcript[] = []
  const skipped: Skipped[] = []
  const query: HarvestQuery = {
    user: { home: folder, env: {}, platform: 'linux' },
    isWanted: () => true,
    redact: text => text,
    skip: each => void skipped.push(each),
    signal: new AbortController().signal,
    ...wanted,
  }
  for await (const transcript of readDatabase(as, { path, changedAt: 1, bytes: 0 }, query, load))
    transcripts.push(transcript)
  const said = transcripts.map(({ entries }) =>
    entries.map(entry => (entry.kind === 'prompt' ? entry.text : entry.kind)).join(', '),
  )
  return { said, ids: transcripts.map(({ id }) => id), skipped, details: skipped.map(({ detail }) => detail) }
}

/** All of the user's files that could change, and the contents of the temporary folder. */
async function state() {
  const names = (await readdir(join(folder, 'data'))).sort()
  const files = await Promise.all(
    names.map(async name => {
      const path = join(folder, 'data', name)
      const { mtimeNs, ctimeNs, mode } = await stat(path, { bigint: true })
      return [name, mtimeNs, ctimeNs, mode, (await readFile(path)).toString('base64')]
    }),
  )
  return { files, temporary: await readdir(join(folder, 'tmp')) }
}

describe('a database that nobody writes to', () => {
  it('is read in place, newest session first, and stays unchanged', async () => {
    make(talk('old', 5), talk('new', 9)).close()
    const before = await state()
    expect((await read()).said).toEqual(['in new', 'in old'])
    expect(await state()).toEqual(before)
  })

  it('also stays unchanged without a log beside it, though it is in WAL mode', async () => {
    make('PRAGMA journal_mode = WAL', talk('a', 1)).close()
    const before = await state()
    expect(before.files).toHaveLength(1)
    expect((await read()).said).toEqual(['in a'])
    expect(await state()).toEqual(before)
  })
})

describe('a database with a log', () => {
  it('is read with what is only in the log, from a copy that is gone afterwards', async () => {
    const writer = make('PRAGMA journal_mode = WAL', talk('a', 1))
    const before = await state()
    expect(before.files.map(([name]) => name)).toEqual(['a.db', 'a.db-shm', 'a.db-wal'])
    expect((await read()).said).toEqual(['in a'])
    expect(await state()).toEqual(before)
    writer.close()
  })

  it('is found through a link', async () => {
    const writer = make('PRAGMA journal_mode = WAL', talk('a', 1))
    await symlink(file, join(folder, 'link.db'))
    expect((await read({}, { path: join(folder, 'link.db') })).said).toEqual(['in a'])
    writer.close()
  })

  it('leaves no copy behind where reading is broken off, or fails', async () => {
    const writer = make('PRAGMA journal_mode = WAL', talk('a', 1), talk('b', 2))
    const controller = new AbortController()
    const isWanted = () => {
      controller.abort()
      return true
    }
    await expect(read({ isWanted, signal: controller.signal })).rejects.toThrow('abort')
    await expect(read({ signal: AbortSignal.abort() })).rejects.toThrow('abort')
    const failing = { ...format, begin: () => Promise.reject(new Error('of our own')) }
    await expect(read({}, { as: failing })).rejects.toThrow('of our own')
    for await (const _first of readDatabase(format, { path: file, changedAt: 1, bytes: 0 }, queryOf())) break
    expect((await state()).temporary).toEqual([])
    writer.close()
  })

  it('is rolled back in the copy if a change was in progress', async () => {
    const writer = make(talk('a', 1))
    writer.exec('PRAGMA cache_size = 1; BEGIN')
    for (let each = 0; each < 200; each += 1) writer.exec(talk(`x${each}`, 1))
    const before = await state()
    expect(before.files.map(([name]) => name)).toEqual(['a.db', 'a.db-journal'])
    expect((await read()).ids).toEqual(['a'])
    expect(await state()).toEqual(before)
    writer.close()
  })
})

const queryOf = (): HarvestQuery => ({
  user: { home: folder, env: {}, platform: 'linux' },
  isWanted: () => true,
  redact: text => text,
  skip: () => {},
  signal: new AbortController().signal,
})

describe('a database that is written to while it is read', () => {
  /** Writes to the database this many times while it is being read. */
  function disturbing(times: number): DatabaseFormat {
    let left = times
    return {
      ...format,
      async begin(session: Row, draft) {
        if (left > 0 && session.id === 'b') {
          left -= 1
          await appendFile(file, Buffer.alloc(4096))
        }
        return format.begin(session, draft)
      },
    }
  }

  it('is read again, each session once', async () => {
    make(talk('a', 2), talk('b', 1)).close()
    const { ids, skipped } = await read({}, { as: disturbing(2) })
    expect(ids).toEqual(['a', 'b'])
    expect(skipped).toEqual([])
  })

  it('is given up after some attempts, in a sentence', async () => {
    make(talk('a', 2), talk('b', 1)).close()
    const { ids, skipped } = await read({}, { as: disturbing(99) })
    expect(ids).toEqual(['a'])
    expect(skipped).toMatchObject([{ reason: 'unreadable', count: 1, file }])
    expect(skipped[0]?.detail).toContain('when its agent is not running')
  })
})

describe('sessions', () => {
  it('are read only as far as they are asked for', async () => {
    make(talk('here', 9), talk('elsewhere', 8, '/other'), talk('old', 3)).close()
    const opened: unknown[] = []
    const as: DatabaseFormat = {
      ...format,
      read: (session, draft, rows) => {
        opened.push(session.id)
        return format.read(session, draft, rows)
      },
    }
    const { ids, skipped } = await read({ after: 3, isWanted: project => project === '/p' }, { as })
    expect(ids).toEqual(['here'])
    expect(opened).toEqual(['here'])
    expect(skipped.map(({ reason }) => reason)).toEqual(['other-project', 'too-old'])
  })

  it('lose a cell that is no record, and nothing else', async () => {
    make(
      talk('a', 1),
      `INSERT INTO word VALUES ('a', 'no JSON'), ('a', x'7b7d'), ('a', NULL), ('a', 7), ('a', '[]'),
        ('a', CAST(x'7b2274657874223a2261ff62227d' AS TEXT)), ('a', '{"text":"last"}')`,
      `UPDATE talk SET place = CAST(x'2f70ff' AS TEXT)`,
    ).close()
    const { said, skipped } = await read()
    expect(said).toEqual(['in a, a\ufffdb, last'])
    expect(skipped).toMatchObject([{ reason: 'record', count: 5 }])
  })
})

describe('what cannot be read', () => {
  it.each([
    ['DROP TABLE word', 'there is no table word'],
    [
      'DROP TABLE word; CREATE VIEW word AS SELECT id AS talk, id AS data FROM talk',
      'there is no table word',
    ],
    ['ALTER TABLE talk RENAME COLUMN place TO folder', 'the table talk lacks place'],
  ])('is a database of another form: %s', async (statement, detail) => {
    make(talk('a', 1), statement).close()
    const { ids, skipped } = await read()
    expect(ids).toEqual([])
    expect(skipped).toMatchObject([{ reason: 'unreadable' }])
    expect(skipped[0]?.detail).toContain(detail)
  })

  it('is one whose texts are in another encoding', async () => {
    const database = new Sqlite(file)
    database.exec("PRAGMA encoding = 'UTF-16le'; CREATE TABLE talk (id TEXT, place TEXT, time INTEGER)")
    database.close()
    expect((await read()).details).toEqual(['its texts are in UTF-16le and not in UTF-8'])
  })

  it('is a file that is not a database, damaged, or gone', async () => {
    await writeFile(file, 'This is a letter. '.repeat(500))
    expect((await read()).details).toEqual(['it is not a SQLite database'])
    await rm(file)
    expect((await read()).details).toEqual(['it cannot be read (ENOENT)'])
    make(...Array.from({ length: 300 }, (_, each) => talk(`t${each}`, each))).close()
    const bytes = await readFile(file)
    await writeFile(file, bytes.fill(0xaa, 4096, bytes.length - 4096))
    expect((await read()).details).toEqual(['it is damaged, or SQLite cannot read it (SQLITE_CORRUPT)'])
  })

  it('is everything where SQLite is not installed, and it says what to install', async () => {
    make(talk('a', 1)).close()
    const load = () => Promise.reject(new Error("Cannot find package 'libsql'\nRequire stack:"))
    const { ids, details } = await read({}, { load })
    expect(ids).toEqual([])
    expect(details).toHaveLength(1)
    expect(details[0]).toMatch(/npm install libsql.*Cannot find package 'libsql'\)$/)
  })
})
