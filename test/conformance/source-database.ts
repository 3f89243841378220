import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'libsql'
import { type Form, parsed, smallAndStrange } from './source-forms.js'

const home = new URL('../fixtures/transcripts/home/', import.meta.url)
type Cells = Record<string, unknown>

/** How a database stores the records of a session. */
interface DatabaseUnderTest {
  /** The recorded database: its schema is recreated without the rows. */
  readonly recording: URL
  /** SQL for the rows of the session under test; the first is the session's own row. */
  readonly rows: readonly { readonly table: string; readonly columns?: string; readonly where: string }[]
  /** A column that holds JSON. Without one, records have no kind. */
  readonly json?: string
  /** The row for a text that is not a record; the number makes each row distinct. */
  strange(line: string, number: number): Cells & { readonly table: string }
  /** A copy of the row with a new identity. */
  again(row: Cells, number: number): Cells
}

/** Each row is a record: a line with the table's name and the columns. */
function database(under: DatabaseUnderTest): Form {
  return {
    linesOf: content =>
      withDatabase(content, connection => rowsOf(connection, under).map(row => JSON.stringify(row))),
    fileOf: async lines =>
      withDatabase(await readFile(under.recording), (connection, file) => {
        fill(connection, under, lines)
        connection.exec('VACUUM')
        return readFile(file)
      }),
    strange: [...smallAndStrange, `{"x":"${'y'.repeat(20_000_000)}"}`],
    isOneSession: false,
    isStreamed: true,
    hasNoKinds: under.json === undefined,
  }
}

const session = 'ses_e1b547a6bffemusx2zaKLe08CW'
const answer = 'msg_1e4aba239001XfExF135HOxPfV'

/** Its session, messages and their parts, which are JSON. */
export const opencodeDatabase = database({
  recording: new URL('.local/share/opencode/opencode.db', home),
  rows: [
    { table: 'session', where: `id = '${session}'` },
    { table: 'message', where: `session_id = '${session}' ORDER BY id` },
    { table: 'part', where: `session_id = '${session}' ORDER BY id` },
  ],
  json: 'data',
  strange: (line, number) => ({
    table: 'part',
    id: `prt_strange_${number}`,
    message_id: answer,
    session_id: session,
    time_created: 1794837816200,
    time_updated: 1794837816200,
    data: line,
  }),
  again: (row, number) => ({ ...row, id: `again_${number}` }),
})

const stored = '63b61ba8-baa9-44b1-b372-2210545e429f'

/** Its session and turns, which are plain text, so binary values are invalid. */
export const copilotDatabase = database({
  recording: new URL('.copilot/session-store.db', home),
  rows: [
    { table: 'sessions', columns: 'id, cwd, branch, created_at, updated_at', where: `id = '${stored}'` },
    { table: 'turns', where: `session_id = '${stored}' ORDER BY turn_index` },
  ],
  strange: (line, number) => ({
    table: 'turns',
    session_id: stored,
    turn_index: 1_000 + number,
    user_message: Buffer.from(line),
    assistant_response: null,
    timestamp: '2026-11-16T14:03:41.800Z',
  }),
  again: ({ id: _id, ...row }, number) =>
    'turn_index' in row ? { ...row, turn_index: 1_000 + number } : { ...row, id: `again-${number}` },
})

async function withDatabase<T>(
  content: Buffer,
  use: (connection: Sqlite.Database, file: string) => T | Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'database-'))
  const file = join(folder, 'one.db')
  await writeFile(file, content)
  const connection = new Sqlite(file)
  try {
    return await use(connection, file)
  } finally {
    connection.close()
    await rm(folder, { recursive: true })
  }
}

function rowsOf(connection: Sqlite.Database, { rows, json }: DatabaseUnderTest): Cells[] {
  return rows.flatMap(({ table, columns = '*', where }) =>
    connection
      .prepare(`SELECT ${columns} FROM ${table} WHERE ${where}`)
      .all()
      .map(row => {
        const cells = row as Cells
        const record = json === undefined ? undefined : parsed(String(cells[json]))
        return {
          table,
          ...cells,
          ...(json === undefined || record === undefined ? {} : { [json]: record.value }),
        }
      }),
  )
}

/**
 * Inserts the last line first: if two lines are the same row, the last one is that row and the others become
 * additional rows, as an agent would have written them.
 */
function fill(connection: Sqlite.Database, under: DatabaseUnderTest, lines: readonly string[]): void {
  const tables = new Set(under.rows.map(({ table }) => table))
  const columnsOf = new Map(
    [...tables].map(table => [
      table,
      connection.prepare(`SELECT name FROM pragma_table_info('${table}')`).raw().all().flat(),
    ]),
  )
  connection.exec('PRAGMA foreign_keys = OFF; PRAGMA journal_mode = DELETE; BEGIN')
  for (const table of tables) connection.exec(`DELETE FROM ${table}`)
  lines.toReversed().forEach((line, number) => {
    const { table, ...cells } = asRow(line, tables) ?? under.strange(line, number)
    const columns = columnsOf.get(String(table)) ?? []
    if (!insert(connection, String(table), columns, cells))
      insert(connection, String(table), columns, under.again(cells, number))
  })
  connection.exec('COMMIT')
}

function asRow(line: string, tables: ReadonlySet<string>): Cells | undefined {
  const record = parsed(line)?.value
  if (typeof record !== 'object' || record === null || !('table' in record)) return undefined
  return typeof record.table === 'string' && tables.has(record.table) ? { ...record } : undefined
}

/**
 * Returns whether the table accepts the row. A row that violates a constraint cannot occur in such a
 * database.
 */
function insert(
  connection: Sqlite.Database,
  table: string,
  columns: readonly unknown[],
  cells: Cells,
): boolean {
  const given = Object.keys(cells).filter(name => columns.includes(name))
  try {
    connection
      .prepare(`INSERT INTO ${table} (${given.join(', ')}) VALUES (${given.map(() => '?').join(', ')})`)
      .run(given.map(name => cellOf(cells[name])))
    return true
  } catch {
    return false
  }
}

function cellOf(value: unknown): unknown {
  if (value === null || typeof value === 'number' || typeof value === 'string' || value instanceof Buffer)
    return value
  return JSON.stringify(value)
}
