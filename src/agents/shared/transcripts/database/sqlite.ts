import type Libsql from 'libsql'
import { messageOf } from '../../../../core/errors/errors.js'
import { installCommand } from '../../../../system/optional-package.js'
import { tooLong } from '../lines.js'
import type { Snapshot } from './snapshot.js'

/** Column names by table name. */
export type Tables = Readonly<Record<string, readonly string[]>>

/** The tables and columns that are read; everything else in the database is ignored. */
export interface Shape {
  readonly required: Tables
  /** Tables and columns that only some versions have; where they are missing, they count as empty. */
  readonly optional?: Tables
}

/** Replaces a blob in a text column. */
export const notText = Symbol('a cell that holds bytes')
export type Cell = string | number | typeof notText | typeof tooLong | undefined
export type Row = Readonly<Record<string, Cell>>

export interface Rows {
  /** Rowids of the rows whose column has this value, in the order of other columns. */
  keys(
    table: string,
    where: readonly [column: string, value: string] | undefined,
    order: readonly string[],
  ): readonly number[]
  /** Reads one row at a time, because rows may be large. Undefined if the row no longer exists. */
  row(table: string, key: number): Row | undefined
}

/** Why a database cannot be read, worded as the end of a sentence. */
export class DatabaseProblem extends Error {}

/** Longer cells are not part of a conversation and are not read. */
const longestCell = 16 * 1024 * 1024

export type LoadSqlite = () => Promise<{ readonly default: typeof Libsql }>
const loadLibsql: LoadSqlite = () => import('libsql')

/** Opens a database for reading. Close it with `close`. */
export async function openDatabase(
  { url }: Pick<Snapshot, 'url'>,
  shape: Shape,
  load: LoadSqlite = loadLibsql,
): Promise<Rows & { close(): void }> {
  const connection = connect(await sqlite(load), url)
  try {
    return { ...rowsOf(connection, presentTables(connection, shape)), close: () => void connection.close() }
  } catch (error) {
    connection.close()
    throw error
  }
}

async function sqlite(load: LoadSqlite): Promise<typeof Libsql> {
  try {
    return (await load()).default
  } catch (error) {
    throw new DatabaseProblem(
      `it is an SQLite database, and the package that reads those cannot be loaded: install it with \`${installCommand('libsql')}\` (${messageOf(error).split('\n')[0]})`,
    )
  }
}

function connect(Sqlite: typeof Libsql, url: string): Libsql.Database {
  try {
    return new Sqlite(url)
  } catch {
    // SQLite's message contains only the path, which may be the path of a temporary copy.
    throw new DatabaseProblem('SQLite cannot open it: check that you may read it')
  }
}

/** The requested tables and columns that exist. */
function presentTables(connection: Libsql.Database, { required, optional = {} }: Shape): Tables {
  const [encoding] = connection.prepare('SELECT encoding FROM pragma_encoding').raw().get([]) as [string]
  if (encoding !== 'UTF-8') throw new DatabaseProblem(`its texts are in ${encoding} and not in UTF-8`)
  // Reads tables only, because a view could run any computation.
  const columns = connection
    .prepare(
      "SELECT CAST(i.name AS BLOB) FROM sqlite_master m, pragma_table_info(m.name) i WHERE m.type = 'table' AND m.name = ?",
    )
    .raw()
  const columnsOf = (table: string) =>
    new Set(columns.all([table]).map(row => textOf((row as readonly Uint8Array[])[0])))
  const names = new Set([...Object.keys(required), ...Object.keys(optional)])
  return Object.fromEntries(
    [...names].map(table => {
      const present = columnsOf(table)
      const missing = required[table]?.filter(column => !present.has(column)) ?? []
      if (missing.length > 0)
        throw new DatabaseProblem(
          `it has an unknown schema: ${present.size === 0 ? `there is no table ${table}` : `the table ${table} lacks ${missing.join(', ')}`}`,
        )
      const further = optional[table]?.filter(column => present.has(column)) ?? []
      return [table, [...(required[table] ?? []), ...further]]
    }),
  )
}

function rowsOf(connection: Libsql.Database, tables: Tables): Rows {
  const statements = new Map<string, Libsql.Statement>()
  const prepared = (text: string) => {
    const statement = statements.get(text) ?? connection.prepare(text).raw()
    statements.set(text, statement)
    return statement
  }
  return {
    keys(table, where, order) {
      if (tables[table]?.length === 0) return []
      const condition = where === undefined ? '' : ` WHERE ${where[0]} = ?`
      const text = `SELECT rowid FROM ${table}${condition} ORDER BY ${order.join(', ')}`
      const rows = prepared(text).all(where === undefined ? [] : [where[1]])
      return rows.map(row => (row as readonly number[])[0] ?? 0)
    },
    row(table, key) {
      const columns = tables[table] ?? []
      const text = `SELECT ${columns.map(safely).join(', ')} FROM ${table} WHERE rowid = ?`
      const cells = prepared(text).get([key]) as readonly unknown[] | undefined
      return cells === undefined
        ? undefined
        : Object.fromEntries(columns.map((column, index) => [column, cellOf(cells[index])]))
    },
  }
}

/**
 * SQL that reads a column safely. Texts are requested as bytes, because a column may contain anything and the
 * library aborts the process on text that is not UTF-8. A string in the result is therefore always one of the
 * two markers for a rejected cell.
 */
function safely(column: string): string {
  const fitting = `CASE WHEN octet_length(${column}) > ${longestCell} THEN 'long' ELSE CAST(${column} AS BLOB) END`
  return `CASE typeof(${column}) WHEN 'text' THEN ${fitting} WHEN 'blob' THEN 'bytes' ELSE ${column} END`
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return value === 'long' ? tooLong : notText
  return value instanceof Uint8Array ? textOf(value) : undefined
}

function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8')
}
