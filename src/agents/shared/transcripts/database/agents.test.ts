import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Sqlite from 'libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type {
  HarvestQuery,
  Skipped,
  Transcript,
  TranscriptSource,
} from '../../../../core/transcript/transcript.js'
import { source as copilot } from '../../../copilot/transcripts.js'
import { source as opencode } from '../../../opencode/transcripts.js'

/** Cases that the recordings of agents with databases do not cover. */

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'agents-'))
})
afterEach(() => rm(home, { recursive: true }))

async function put(file: string, content = '{}'): Promise<string> {
  const path = join(home, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  return path
}

async function make(file: string, statements: readonly string[]): Promise<string> {
  const path = await put(file, '')
  const database = new Sqlite(path)
  for (const statement of statements) database.exec(statement)
  database.close()
  return path
}

const queryOf = (skipped: Skipped[], wanted: Partial<HarvestQuery>): HarvestQuery => ({
  user: { home, env: {}, platform: 'linux' },
  isWanted: () => true,
  redact: text => text,
  skip: each => void skipped.push(each),
  signal: new AbortController().signal,
  ...wanted,
})

async function read(source: TranscriptSource, wanted: Partial<HarvestQuery> = {}) {
  const transcripts: Transcript[] = []
  const skipped: Skipped[] = []
  for await (const transcript of source.read(queryOf(skipped, wanted))) transcripts.push(transcript)
  const said = transcripts.flatMap(({ entries }) =>
    entries.map(entry => (entry.kind === 'tool' ? `tool ${entry.name}` : `${entry.kind} ${entry.text}`)),
  )
  return { said, skipped, reasons: skipped.map(({ reason }) => reason), transcripts }
}

const quoted = (value: unknown) => (value === null ? 'NULL' : `'${String(value).replaceAll("'", "''")}'`)
const time = Date.UTC(2026, 10, 16, 12)

describe('OpenCode', () => {
  const file = '.local/share/opencode/opencode.db'
  const tables = [
    'CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, time_created, time_updated, revert TEXT)',
    'CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created, time_updated, data TEXT)',
    'CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, time_created, data TEXT)',
    `INSERT INTO session VALUES ('s', NULL, '/p', ${time}, ${time}, NULL)`,
  ]
  let parts = 0
  const message = (id: string, data: object, ...inner: readonly object[]) => [
    `INSERT INTO message VALUES ('${id}', 's', ${time}, ${time}, ${quoted(JSON.stringify(data))})`,
    ...inner.map(part => {
      parts += 1
      return `INSERT INTO part VALUES ('part-${String(parts).padStart(4, '0')}', '${id}', ${time}, ${quoted(JSON.stringify(part))})`
    }),
  ]
  const user = (id: string, text: string, fields: object = {}) =>
    message(id, { role: 'user' }, { type: 'text', text, ...fields })
  const readIt = async (...statements: readonly (readonly string[])[]) => {
    await make(file, [...tables, ...statements.flat()])
    return read(opencode)
  }

  it('takes what a person typed, and not what was put beside it', async () => {
    const { said } = await readIt(
      message(
        'm1',
        { role: 'user' },
        { type: 'text', text: 'Fix it' },
        { type: 'text', text: 'The content of a.ts', synthetic: true },
        { type: 'text', text: 'For the model only', ignored: true },
        { type: 'file', url: 'file:///p/a.ts' },
      ),
      user('m2', '"Say \\"hi\\" twice"'),
      user('m3', '"One" and "two"'),
    )
    expect(said).toEqual(['prompt Fix it', 'prompt Say "hi" twice', 'prompt "One" and "two"'])
  })

  it('reports failures, and leaves out the summary of a compacted session', async () => {
    const { said, transcripts } = await readIt(
      user('m1', 'Build it'),
      message('m2', { role: 'assistant', summary: true }, { type: 'text', text: 'A summary' }),
      message(
        'm3',
        { role: 'assistant', error: { name: 'MessageAbortedError', data: {} } },
        { type: 'tool', tool: 'bash', callID: 'c', state: { status: 'error', input: {}, error: 'denied' } },
      ),
    )
    expect(said).toEqual(['prompt Build it', 'tool bash', 'broken-off MessageAbortedError'])
    expect(transcripts[0]?.entries[1]).toMatchObject({ failed: true, output: 'denied' })
  })

  it('leaves out what was taken back', async () => {
    const { said } = await readIt(user('m1', 'First'), user('m2', 'Second'), user('m3', 'Third'), [
      `UPDATE session SET revert = '{"messageID":"m2"}'`,
    ])
    expect(said).toEqual(['prompt First'])
  })

  it('continues after an invalid message', async () => {
    const { said, skipped } = await readIt(
      user('m1', 'First'),
      user('m2', 'Second'),
      message('m3', { role: 'oracle' }),
      ["UPDATE message SET data = '{' WHERE id = 'm1'"],
    )
    expect(said).toEqual(['prompt Second'])
    expect(skipped).toMatchObject([
      { reason: 'record', count: 1 },
      { reason: 'record', count: 1, detail: expect.stringContaining('oracle') },
    ])
  })

  it('uses the last message’s time if the session’s own is older', async () => {
    await make(file, [
      ...tables,
      ...user('m1', 'Later'),
      `UPDATE message SET time_created = ${time + 5}, time_updated = ${time + 9}`,
    ])
    expect((await read(opencode, { after: time })).said).toEqual(['prompt Later'])
    expect((await read(opencode, { after: time + 9 })).reasons).toEqual(['too-old'])
  })

  it('treats a database as being as new as its log', async () => {
    const path = await make(file, [...tables, ...user('m1', 'Hello')])
    await utimes(path, 1, 1)
    const { reasons, said } = await read(opencode, { after: 2_000 })
    expect([reasons, said]).toEqual([['too-old'], []])
    await put(`${file}-wal`, '')
    expect((await read(opencode, { after: 2_000 })).said).toEqual(['prompt Hello'])
  })

  it('says that the files of older versions are not read, unless they were taken over', async () => {
    await put('.local/share/opencode/storage/session/p/ses_1.json')
    const { skipped } = await read(opencode)
    expect(skipped).toMatchObject([{ reason: 'unreadable', count: 1 }])
    expect(skipped[0]?.detail).toContain('OpenCode 1.2')
    const told: Skipped[] = []
    expect(await opencode.files?.(queryOf(told, {}))).toEqual([])
    expect(told).toHaveLength(1)
    expect((await readIt(user('m1', 'Hello'))).skipped).toEqual([])
  })

  it('looks where its variables say, and on Windows in the folders for applications too', () => {
    const places = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
      opencode.places({ home: '/h', env, platform })
    expect(places({ OPENCODE_DB: '/x/y.db' })).toEqual(['/x/y.db'])
    expect(places({ OPENCODE_DB: 'y.db', XDG_DATA_HOME: '/d' })).toEqual(['/d/opencode/y.db'])
    expect(places({ OPENCODE_DB: ':memory:' })).toEqual([])
    expect(places({ LOCALAPPDATA: '/l', APPDATA: '' })).toEqual(['/h/.local/share/opencode'])
    expect(places({ LOCALAPPDATA: '/l', APPDATA: '' }, 'win32')).toEqual([
      '/h/.local/share/opencode',
      '/l/opencode',
    ])
  })
})

describe('the database of Copilot CLI', () => {
  const file = '.copilot/session-store.db'
  const tables = [
    'CREATE TABLE sessions (id TEXT PRIMARY KEY, cwd TEXT, branch TEXT, created_at TEXT, updated_at TEXT)',
    `CREATE TABLE turns (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, turn_index INTEGER, user_message TEXT,
      assistant_response TEXT, timestamp TEXT)`,
  ]
  const session = (id: string, updated = '2026-11-16T12:00:00.000Z') =>
    `INSERT INTO sessions VALUES ('${id}', '/p', 'main', '2026-11-16 11:00:00', '${updated}')`
  const turn = (id: string, index: number, asked: string | null, answered: string | null, at: string) =>
    `INSERT INTO turns (session_id, turn_index, user_message, assistant_response, timestamp)
      VALUES ('${id}', ${index}, ${quoted(asked)}, ${quoted(answered)}, '${at}')`

  it('gives turns in their order, with the files that tools touched', async () => {
    await make(file, [
      ...tables,
      `CREATE TABLE session_files (session_id TEXT, file_path TEXT, tool_name TEXT, turn_index INTEGER,
        first_seen_at TEXT)`,
      session('s'),
      turn('s', 1, 'Second', null, '2026-11-16 12:00:01'),
      turn('s', 0, 'First', 'Done', '2026-11-16T12:00:00Z'),
      "INSERT INTO session_files VALUES ('s', '/p/a.ts', 'edit', 0, '2026-11-16 11:59:59')",
    ])
    const { said, transcripts } = await read(copilot)
    expect(said).toEqual(['prompt First', 'tool edit', 'answer Done', 'prompt Second'])
    expect(transcripts).toMatchObject([
      {
        id: 's',
        project: '/p',
        branch: 'main',
        startedAt: Date.UTC(2026, 10, 16, 11),
        endedAt: Date.UTC(2026, 10, 16, 12, 0, 1),
      },
    ])
    expect(transcripts[0]?.entries[1]).toMatchObject({ input: '{"path":"/p/a.ts"}' })
  })

  it('yields to the events of a session', async () => {
    const events = [
      { type: 'session.start', data: { sessionId: 'both', context: { cwd: '/p' } } },
      { type: 'user.message', data: { content: 'From the events' } },
    ]
    await put(
      '.copilot/session-state/both/events.jsonl',
      events.map(event => JSON.stringify(event)).join('\n'),
    )
    await make(file, [
      ...tables,
      session('both'),
      turn('both', 0, 'From the database', null, ''),
      session('alone'),
      turn('alone', 0, 'Alone', null, ''),
      session('../alone'),
    ])
    const { said, reasons } = await read(copilot)
    expect(said.toSorted()).toEqual(['prompt Alone', 'prompt From the events'])
    expect(reasons.toSorted()).toEqual(['copy', 'no-request'])
    const alone = await read(copilot, { places: [join(home, file)] })
    expect(alone.said).toEqual(['prompt Alone'])
  })

  it('compares times as times, and not by the day', async () => {
    await make(file, [
      ...tables,
      session('s', '2026-11-16T12:00:00.000Z'),
      turn('s', 0, 'Hello', null, '2026-11-16T12:30:00+00:30'),
    ])
    const noon = Date.UTC(2026, 10, 16, 12)
    expect((await read(copilot, { after: noon - 1 })).said).toEqual(['prompt Hello'])
    expect((await read(copilot, { after: noon })).reasons).toEqual(['too-old'])
  })
})
