import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type DatabaseFormat, readDatabase, textIn } from '../shared/transcripts/database/read.js'
import type { Cell, Row, Rows } from '../shared/transcripts/database/sqlite.js'
import type { Draft } from '../shared/transcripts/draft.js'
import { systemCode } from '../shared/transcripts/files.js'
import { agentFolder } from '../shared/transcripts/paths.js'
import { createFileSource, type RecordReader, readSession } from '../shared/transcripts/source.js'
import { lastOf, timeOf } from '../shared/transcripts/times.js'
import { asRecord, asText, at, type JsonRecord, recordsIn } from '../shared/transcripts/values.js'

const id = 'copilot'

/**
 * Sessions of Copilot CLI. Each session has an event log, and a database summarises all sessions. Sessions of
 * older versions exist only in the database.
 */
export const source = createFileSource(
  {
    id,
    title: 'GitHub Copilot CLI',
    places: user => {
      const home = agentFolder(user, ['COPILOT_HOME'], '.copilot')
      return [join(home, 'session-state'), join(home, 'session-store.db')]
    },
    kindOf: path => {
      const name = basename(path)
      return name === 'events.jsonl' ? 'session' : name === 'session-store.db' ? 'database' : undefined
    },
  },
  (file, query) =>
    file.path.endsWith('.db')
      ? readDatabase(copilotStore(id, file.path), file, query)
      : readSession({ id, open: createReader }, file, query),
)

const passed = new Set([
  'session.shutdown',
  'session.usage_record',
  'session.model_change',
  'session.info',
  'session.warning',
  'session.compaction_start',
  'session.compaction_complete',
  'session.truncation',
  'session.handoff',
  'assistant.turn_start',
  'assistant.turn_end',
  'assistant.reasoning',
  'assistant.usage',
  'tool.execution_start',
  'tool.user_requested',
  'system.message',
  'skill.context_delivered_ref',
  'hook.start',
  'hook.end',
  'subagent.started',
  'subagent.completed',
  'subagent.failed',
])

function createReader(draft: Draft): RecordReader {
  const begin = (data: JsonRecord) => {
    draft.name(data.sessionId)
    draft.at(at(data, 'context', 'cwd'))
    draft.setBranch(at(data, 'context', 'branch'))
    draft.addTime(timeOf(data.startTime))
  }
  const readAssistant = (data: JsonRecord, time: number | undefined) => {
    draft.addAnswer(asText(data.content) ?? '', time)
    for (const { toolCallId, name, arguments: input } of recordsIn(data.toolRequests))
      draft.addCall({ id: toolCallId, name, input, setFolder: time })
  }
  const readResult = (data: JsonRecord) => {
    const code = at(data, 'shellExecution', 'exitCode')
    const isFailed = data.success === false || (typeof code === 'number' && code !== 0)
    const output = asText(at(data, 'result', 'content')) ?? asText(at(data, 'error', 'message'))
    draft.addResult(data.toolCallId, { output, failed: isFailed })
  }
  const readEvent = (type: string, data: JsonRecord, time: number | undefined): boolean => {
    if (type === 'session.start' || type === 'session.resume') begin(data)
    else if (type === 'user.message') {
      // The program sets `source` when it writes a message in the user's name.
      if ((data.source ?? 'user') === 'user') draft.addPrompt(asText(data.content) ?? '', time)
    } else if (type === 'assistant.message') readAssistant(data, time)
    else if (type === 'tool.execution_complete') readResult(data)
    else if (type === 'skill.invoked') draft.addSkill(data.name)
    else if (type === 'session.error') draft.brokenOff(asText(data.message) ?? 'The model failed.', time)
    else if (type === 'abort') draft.brokenOff(asText(data.reason) ?? 'aborted', time)
    else return passed.has(type)
    return true
  }
  return {
    read(record) {
      const data = asRecord(record.data) ?? {}
      if (typeof record.agentId === 'string' || typeof data.parentToolCallId === 'string')
        return void draft.addSideRecord()
      const type = asText(record.type) ?? ''
      const time = timeOf(record.timestamp)
      draft.addTime(time)
      return readEvent(type, data, time) ? undefined : type
    },
  }
}

/**
 * Format of Copilot CLI's session database, which holds prompts, answers, and the files that tools touched.
 */
function copilotStore(source: string, path: string): DatabaseFormat {
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
      if (await hasEvents(path, session.id)) draft.exclude('copy', 'its events tell more, and are read')
      draft.at(session.cwd)
      draft.setBranch(session.branch)
      draft.addTime(timeOf(session.created_at))
    },
    changedAt(session, rows) {
      // The session's own timestamp may be older than its last turn.
      const [last] = turnsOf(session, rows, 'turn_index DESC')
      const lastTurn = last === undefined ? undefined : rows.row('turns', last)
      return lastOf(timeOf(session.updated_at), timeOf(lastTurn?.timestamp))
    },
    *read(session, draft, rows) {
      const touched = toolsByTurn(session, rows)
      for (const key of turnsOf(session, rows, 'turn_index')) {
        draft.atRecord(key)
        const turn = rows.row('turns', key)
        if (turn !== undefined) readTurn(turn, touched.get(turn.turn_index) ?? [], draft)
        yield
      }
    },
  }
}

/** Whether the session also has an event log, in a folder beside the database. */
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
  draft.countRecord()
  draft.addTime(time)
  draft.addPrompt(asked, time)
  for (const { tool_name: name, file_path: path, first_seen_at: seen } of tools)
    draft.addCall({ name, input: { path }, setFolder: timeOf(seen) ?? time })
  draft.addAnswer(answered, time)
}
