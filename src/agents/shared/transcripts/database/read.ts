import { setImmediate, setTimeout } from 'node:timers/promises'
import type { HarvestQuery, Transcript } from '../../../../core/transcript/transcript.js'
import { Draft } from '../draft.js'
import { type SessionFile, systemCode } from '../files.js'
import { readLine } from '../json-lines.js'
import { tooLong } from '../lines.js'
import type { JsonRecord } from '../values.js'
import { type Snapshot, takeSnapshot } from './snapshot.js'
import {
  type Cell,
  DatabaseProblem,
  type LoadSqlite,
  notText,
  openDatabase,
  type Row,
  type Rows,
  type Shape,
} from './sqlite.js'

/** What is specific to one agent that keeps its sessions in a database. */
export interface DatabaseFormat extends Shape {
  readonly id: string
  readonly sessions: { readonly table: string; readonly order: readonly string[] }
  /** Reads the row of the session itself, which usually decides whether the session must be read. */
  begin(session: Row, draft: Draft): void | Promise<void>
  /** Time of the last write to the session. */
  changedAt(session: Row, rows: Rows): number | undefined
  /** Reads the session, one step per record. Must not throw, whatever the rows contain. */
  read(session: Row, draft: Draft, rows: Rows): Iterable<unknown>
}

const maxAttempts = 4
const recordsAtOnce = 200

/**
 * Yields the sessions of a database, newest first. The database is never written and always read in a
 * consistent state.
 */
export async function* readDatabase(
  format: DatabaseFormat,
  file: SessionFile,
  query: HarvestQuery,
  load?: LoadSqlite,
): AsyncGenerator<Transcript> {
  const done = new Set<number>()
  for (let attempt = 1; ; attempt += 1) {
    const problem = yield* readOnce({ format, file, query, load, done })
    if (problem === undefined) return
    if (!problem.isTransient || attempt === maxAttempts) {
      const detail = query.redact(problem.detail, { file: file.path, record: undefined })
      query.skip({ source: format.id, file: file.path, reason: 'unreadable', count: 1, detail })
      return
    }
    await setTimeout(50 * attempt, undefined, { signal: query.signal })
  }
}

interface Reading {
  readonly format: DatabaseFormat
  readonly file: SessionFile
  readonly query: HarvestQuery
  readonly load: LoadSqlite | undefined
  /** Keys of the sessions that were already read. */
  readonly done: Set<number>
}

interface Problem {
  readonly detail: string
  readonly isTransient: boolean
}

const writtenDuringRead: Problem = {
  detail: 'it changed while it was read; retry when its agent is not running',
  isTransient: true,
}

async function* readOnce(reading: Reading): AsyncGenerator<Transcript, Problem | undefined> {
  const { format, file, query, load } = reading
  let snapshot: Snapshot | undefined
  let database: (Rows & { close(): void }) | undefined
  try {
    snapshot = await takeSnapshot(file.path, query.signal)
    if (snapshot === undefined) return writtenDuringRead
    database = await openDatabase(snapshot, format, load)
    // The open file stays readable after its removal, so no copy is left even if this process is killed.
    if (process.platform !== 'win32') await snapshot.remove()
    return yield* readSessions(reading, database, snapshot)
  } catch (error) {
    const detail = problemIn(error)
    if (detail === undefined) throw error
    // The database may only seem damaged, because it was written meanwhile.
    if (snapshot !== undefined && !(await snapshot.isUnchanged())) return writtenDuringRead
    return { detail, isTransient: false }
  } finally {
    database?.close()
    await snapshot?.remove()
  }
}

async function* readSessions(
  { format, file, query, done }: Reading,
  rows: Rows,
  snapshot: Snapshot,
): AsyncGenerator<Transcript, Problem | undefined> {
  const { table, order } = format.sessions
  for (const key of rows.keys(table, undefined, order)) {
    query.signal.throwIfAborted()
    const session = done.has(key) ? undefined : rows.row(table, key)
    if (session === undefined) continue
    const draft = new Draft(format.id, file.path, query)
    await format.begin(session, draft)
    const changedAt = draft.isExcluded ? undefined : format.changedAt(session, rows)
    await readRecords(format, { session, draft, rows, changedAt })
    if (!(await snapshot.isUnchanged())) return writtenDuringRead
    done.add(key)
    const transcript = draft.finish(changedAt ?? file.changedAt)
    if (transcript !== undefined) yield transcript
  }
  return undefined
}

async function readRecords(
  format: DatabaseFormat,
  {
    session,
    draft,
    rows,
    changedAt,
  }: { session: Row; draft: Draft; rows: Rows; changedAt: number | undefined },
): Promise<void> {
  const { after, signal } = draft.query
  if (after !== undefined && changedAt !== undefined && changedAt <= after)
    draft.exclude('too-old', 'nothing happened in it since')
  if (draft.isExcluded) return
  let records = 0
  for (const _record of format.read(session, draft, rows)) {
    signal.throwIfAborted()
    records += 1
    if (records % recordsAtOnce === 0) await setImmediate()
  }
}

/**
 * Describes why a database cannot be read; undefined for our own errors. SQLite's message is not shown,
 * because it may quote the database's content.
 */
export function problemIn(error: unknown): string | undefined {
  if (error instanceof DatabaseProblem) return error.message
  const code = systemCode(error)
  if (code !== undefined) return `it cannot be read (${code})`
  const name = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (name === 'SQLITE_NOTADB') return 'it is not a SQLite database'
  return name.startsWith('SQLITE_') ? `it is damaged, or SQLite cannot read it (${name})` : undefined
}

/** Parses the record in a JSON cell. An invalid cell is skipped and counted. */
export function recordIn(cell: Cell, draft: Draft): JsonRecord | undefined {
  if (cell === tooLong) return void draft.countLost('records that are too long')
  const { record, isTorn } = readLine(typeof cell === 'string' ? cell : '')
  if (record !== undefined && !isTorn) return record
  return void draft.countLost('records that are torn or none')
}

/** The text in a cell, which may be empty. Any other value is undefined and counted. */
export function textIn(cell: Cell, draft: Draft): string | undefined {
  if (cell === tooLong) return void draft.countLost('records that are too long')
  if (cell === notText || typeof cell === 'number') return void draft.countLost('records that are no text')
  return cell ?? ''
}
