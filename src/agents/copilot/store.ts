import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { textIn } from '../shared/transcripts/database/cells.js'
import type { DatabaseFormat } from '../shared/transcripts/database/read.js'
import type { Cell, Row, Rows } from '../shared/transcripts/database/sqlite.js'
import type { Draft } from '../shared/transcripts/draft.js'
import { systemCode } from '../shared/transcripts/files.js'
import { lastOf, timeOf } from '../shared/transcripts/times.js'

/** Copilot CLI's session database: prompts, answers, and the files that tools touched. */
export function copilotStore(source: string, path: string): DatabaseFormat {
  return {
    id: source,
    required: {
      sessions: ['id', 'cwd', 'created_at', 'updated_at'],
      turns: ['session_id', 'turn_index', 'user_message', 'assistant_response', 'timestamp'],
    },
    optional: {
      sessions: ['branch'],
      session_files: ['session_id', 'file_path', 'tool_name', 'turn_index', 'first_seen_at'],
    },
    sessions: { table: 'sessions', order: ['updated_at DESC', 'id'] },
    async begin(session, draft) {
      draft.name(session.id)
      if (await hasEvents(path, session.id)) draft.leaveOut('copy', 'its events tell more, and are read')
      draft.at(session.cwd)
      draft.onBranch(session.branch)
      draft.happened(timeOf(session.created_at))
    },
    changedAt(session, rows) {
      // The session's own timestamp may be that of the previous turn.
      const [last] = turnsOf(session, rows, 'turn_index DESC')
      const lastTurn = last === undefined ? undefined : rows.row('turns', last)
      return lastOf(timeOf(session.updated_at), timeOf(lastTurn?.timestamp))
    },
    *read(session, draft, rows) {
      const touched = toolsByTurn(session, rows)
      for (const key of turnsOf(session, rows, 'turn_index')) {
        draft.stands(key)
        const turn = rows.row('turns', key)
        if (turn !== undefined) readTurn(turn, touched.get(turn.turn_index) ?? [], draft)
        yield
      }
    },
  }
}

/** Whether the session also has an event log, in its folder beside the database. */
async function hasEvents(database: string, id: Cell): Promise<boolean> {
  if (typeof id !== 'string' || !/^[\w-]+$/.test(id)) return false
  try {
    return (await stat(join(dirname(database), 'session-state', id, 'events.jsonl'))).isFile()
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return false
  }
}

function turnsOf({ id }: Row, rows: Rows, order: string): readonly number[] {
  return typeof id === 'string' ? rows.keys('turns', ['session_id', id], [order, 'rowid']) : []
}

function toolsByTurn({ id }: Row, rows: Rows): ReadonlyMap<Cell, readonly Row[]> {
  const keys = typeof id === 'string' ? rows.keys('session_files', ['session_id', id], ['rowid']) : []
  const byTurn = new Map<Cell, Row[]>()
  for (const key of keys) {
    const row = rows.row('session_files', key)
    if (row === undefined) continue
    const turn = byTurn.get(row.turn_index) ?? []
    turn.push(row)
    byTurn.set(row.turn_index, turn)
  }
  return byTurn
}

function readTurn(turn: Row, tools: readonly Row[], draft: Draft): void {
  const time = timeOf(turn.timestamp)
  const asked = textIn(turn.user_message, draft)
  const answered = textIn(turn.assistant_response, draft)
  if (asked === undefined || answered === undefined) return
  draft.counted()
  draft.happened(time)
  draft.prompt(asked, time)
  for (const { tool_name: name, file_path: path, first_seen_at: seen } of tools)
    draft.call({ name, input: { path }, at: timeOf(seen) ?? time })
  draft.answer(answered, time)
}
