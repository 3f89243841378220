import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Sqlite from 'libsql'
import {
  createClock,
  fileNameOf,
  linesOf,
  type MadeSession,
  putFile,
  type WriteSessions,
} from './made-session.js'

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

// ── Copilot in VS Code ──────────────────────────────────────────────────────

const copilotAgent = { id: 'github.copilot.editsAgent', extensionId: { value: 'GitHub.copilot-chat' } }

function vscodeRequests(session: MadeSession): readonly object[] {
  const clock = createClock(session)
  return session.turns.map(({ request, steps, answer }, index) => ({
    requestId: `request_${index}`,
    timestamp: clock().getTime(),
    agent: copilotAgent,
    message: { text: request, parts: [] },
    response: [
      ...steps.map(({ tool, input, output, failed }, step) => ({
        kind: 'toolInvocationSerialized',
        toolCallId: `call_${step}`,
        toolId: tool,
        isComplete: true,
        toolSpecificData: {
          kind: 'terminal',
          commandLine: { original: input.command ?? JSON.stringify(input) },
          terminalCommandOutput: { text: output },
          terminalCommandState: { exitCode: failed ? 1 : 0 },
        },
      })),
      { value: answer },
    ],
    modelState: { value: 1, completedAt: clock().getTime() },
  }))
}

const vscodeFolder = (project: string) => `.config/Code/User/workspaceStorage/${shortHash(project)}`

async function putVscode(home: string, session: MadeSession, ending: string, text: string): Promise<void> {
  const folder = vscodeFolder(session.project)
  await putFile(home, `${folder}/workspace.json`, JSON.stringify({ folder: `file://${session.project}` }))
  await putFile(home, `${folder}/chatSessions/${fileNameOf(session)}${ending}`, text, session.at)
}

const head = ({ id, at }: MadeSession) => ({ version: 3, creationDate: at, sessionId: id })

/** The session as a change log. */
export const writeVscodeLogs: WriteSessions = async (home, sessions) => {
  for (const session of sessions) {
    const changes = vscodeRequests(session).map(request => ({ kind: 2, k: ['requests'], v: [request] }))
    const log = linesOf([{ kind: 0, v: { ...head(session), requests: [] } }, ...changes], session.strange)
    await putVscode(home, session, '.jsonl', log)
  }
}

/** The session as one document, as older versions write it. */
export const writeVscodeDocuments: WriteSessions = async (home, sessions) => {
  for (const session of sessions) {
    const strange = session.strange.map(type => ({ type, of: 1 }))
    const requests = [...vscodeRequests(session), ...strange]
    await putVscode(home, session, '.json', JSON.stringify({ ...head(session), requests }, null, 2))
  }
}

// ── Cursor ──────────────────────────────────────────────────────────────────

/** Such as `Friday, Sep 4, 2026, 2:21 AM (UTC)`. */
function stampOf(time: Date): string {
  const [, day, month, year] = time.toUTCString().split(' ')
  const [hour, minute] = [time.getUTCHours(), String(time.getUTCMinutes()).padStart(2, '0')]
  return `Friday, ${month} ${Number(day)}, ${year}, ${hour % 12 === 0 ? 12 : hour % 12}:${minute} ${hour < 12 ? 'AM' : 'PM'} (UTC)`
}

export const writeCursor: WriteSessions = async (home, sessions) => {
  for (const session of sessions) {
    const { project, at } = session
    const id = fileNameOf(session)
    const folder = `.cursor/projects/${project.replace(/[^A-Za-z\d]+/g, '-').replace(/^-/, '')}`
    const clock = createClock(session)
    const said = (role: string, content: readonly object[]) => ({ role, message: { content } })
    const records = session.turns.flatMap(({ request, steps, answer }) => [
      said('user', [
        {
          type: 'text',
          text: `<timestamp>${stampOf(clock())}</timestamp>\n<user_query>\n${request}\n</user_query>`,
        },
      ]),
      ...steps.flatMap(({ tool, input, output, failed }, step) => [
        said('assistant', [{ type: 'tool_use', id: `call_${step}`, name: tool, input }]),
        said('user', [
          { type: 'tool_result', tool_use_id: `call_${step}`, content: output, is_error: failed },
        ]),
      ]),
      said('assistant', [{ type: 'text', text: answer }]),
      { type: 'turn_ended', status: 'success' },
    ])
    await putFile(home, `${folder}/.workspace-trusted`, JSON.stringify({ workspacePath: project }))
    await putFile(
      home,
      `${folder}/agent-transcripts/${id}/${id}.jsonl`,
      linesOf(records, session.strange),
      at,
    )
  }
}

// ── Devin ───────────────────────────────────────────────────────────────────

export const writeDevin: WriteSessions = async (home, sessions) => {
  const folder = '.local/share/devin/cli'
  for (const session of sessions) {
    const clock = createClock(session)
    const step = (source: string, fields: object) => ({
      timestamp: clock().toISOString(),
      source,
      ...fields,
    })
    const steps = session.turns.flatMap(({ request, steps: tools, answer }) => [
      step('user', { message: request }),
      ...tools.map(({ tool, input, output, failed }, index) =>
        step('agent', {
          message: '',
          tool_calls: [{ tool_call_id: `call_${index}`, function_name: tool, arguments: input }],
          observation: {
            results: [{ source_call_id: `call_${index}`, content: output, extra: { is_error: failed } }],
          },
        }),
      ),
      step('agent', { message: answer }),
    ])
    const strange = session.strange.map(type => ({ type, of: 1 }))
    const document = { schema_version: 'ATIF-v1.7', session_id: session.id, steps: [...steps, ...strange] }
    await putFile(
      home,
      `${folder}/transcripts/${fileNameOf(session)}.json`,
      JSON.stringify(document),
      session.at,
    )
  }
  await inDatabase(home, `${folder}/sessions.db`, database => {
    database.exec('CREATE TABLE sessions (id TEXT PRIMARY KEY, working_directory TEXT NOT NULL)')
    const insert = database.prepare('INSERT INTO sessions VALUES (?, ?)')
    for (const session of sessions) insert.run([fileNameOf(session), session.project])
  })
}

// ── Databases ───────────────────────────────────────────────────────────────

async function inDatabase(
  home: string,
  name: string,
  fill: (database: Sqlite.Database) => void,
): Promise<void> {
  const file = join(home, name)
  await mkdir(dirname(file), { recursive: true })
  const database = new Sqlite(file)
  try {
    fill(database)
  } finally {
    database.close()
  }
}

/** The format of Copilot CLI before it wrote events. */
export const writeCopilotStore: WriteSessions = (home, sessions) =>
  inDatabase(home, '.copilot/session-store.db', database => {
    database.exec(`
      CREATE TABLE sessions (id TEXT PRIMARY KEY, cwd TEXT, branch TEXT, created_at TEXT, updated_at TEXT);
      CREATE TABLE turns (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, turn_index INTEGER NOT NULL,
        user_message TEXT, assistant_response TEXT, timestamp TEXT);
      CREATE TABLE session_files (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, file_path TEXT NOT NULL,
        tool_name TEXT, turn_index INTEGER, first_seen_at TEXT);
    `)
    const session = database.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?)')
    const turn = database.prepare('INSERT INTO turns VALUES (NULL, ?, ?, ?, ?, ?)')
    const touched = database.prepare('INSERT INTO session_files VALUES (NULL, ?, ?, ?, ?, ?)')
    for (const made of sessions) {
      const clock = createClock(made)
      const begun = clock().toISOString()
      for (const [index, { request, steps, answer }] of made.turns.entries()) {
        const time = clock().toISOString()
        turn.run([made.id, index, request, answer, time])
        for (const { tool, input } of steps)
          touched.run([made.id, input.file_path ?? JSON.stringify(input), tool, index, time])
      }
      session.run([made.id, made.project, made.branch, begun, clock().toISOString()])
    }
  })

export const writeOpencode: WriteSessions = (home, sessions) =>
  inDatabase(home, '.local/share/opencode/opencode.db', database => {
    database.exec(`
      CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, revert text,
        time_created integer NOT NULL, time_updated integer NOT NULL);
      CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
        time_updated integer NOT NULL, data text NOT NULL);
      CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
        time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
    `)
    for (const made of sessions) fillOpencode(database, made)
  })

function fillOpencode(database: Sqlite.Database, made: MadeSession): void {
  const clock = createClock(made)
  let number = 0
  const row = (table: string, cells: readonly (string | number | null)[]) => {
    number += 1
    const id = `${table}_${made.id}_${String(number).padStart(4, '0')}`
    database
      .prepare(`INSERT INTO ${table} VALUES (${[id, ...cells].map(() => '?').join(', ')})`)
      .run([id, ...cells])
    return id
  }
  const say = (role: string, parts: readonly object[]) => {
    const time = clock().getTime()
    const data = JSON.stringify({ role, time: { created: time } })
    const message = row('message', [made.id, time, time, data])
    for (const part of parts) row('part', [message, made.id, time, time, JSON.stringify(part)])
  }
  for (const { request, steps, answer } of made.turns) {
    say('user', [{ type: 'text', text: request }])
    const tools = steps.map(({ tool, input, output, failed }, index) => ({
      type: 'tool',
      tool,
      callID: `call_${index}`,
      state: { status: 'completed', input, output, metadata: { exit: failed ? 1 : 0 } },
    }))
    say('assistant', [...tools, { type: 'text', text: answer }])
  }
  if (made.strange.length > 0)
    say(
      'assistant',
      made.strange.map(type => ({ type })),
    )
  database
    .prepare('INSERT INTO session VALUES (?, NULL, ?, NULL, ?, ?)')
    .run([made.id, made.project, made.at, clock().getTime()])
}
