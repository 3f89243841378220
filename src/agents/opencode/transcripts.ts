import { readdir, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { HarvestQuery, TranscriptSource, TranscriptUser } from '../../core/transcript/transcript.js'
import { type DatabaseFormat, readDatabase, recordIn } from '../shared/transcripts/database/read.js'
import type { Row, Rows } from '../shared/transcripts/database/sqlite.js'
import type { Draft } from '../shared/transcripts/draft.js'
import { systemCode } from '../shared/transcripts/files.js'
import { readLine } from '../shared/transcripts/json-lines.js'
import { agentFolder } from '../shared/transcripts/paths.js'
import { createFileSource } from '../shared/transcripts/source.js'
import { lastOf, timeOf } from '../shared/transcripts/times.js'
import { asText, at, type JsonRecord } from '../shared/transcripts/values.js'

const format: DatabaseFormat = {
  id: 'opencode',
  required: {
    session: ['id', 'parent_id', 'directory', 'time_created', 'time_updated'],
    message: ['id', 'session_id', 'time_created', 'time_updated', 'data'],
    part: ['id', 'message_id', 'time_created', 'data'],
  },
  optional: { session: ['revert'] },
  sessions: { table: 'session', order: ['time_updated DESC', 'id'] },
  begin(session, draft) {
    draft.name(session.id)
    if (session.parent_id !== undefined) draft.exclude('sub-agent', 'it was begun by another session')
    draft.at(session.directory)
    draft.addTime(timeOf(session.time_created))
  },
  changedAt(session, rows) {
    // The session's own timestamp may be older than its last message.
    const last = messagesOf(session, rows).at(-1)
    const message = last === undefined ? undefined : rows.row('message', last)
    return lastOf(timeOf(session.time_updated), timeOf(message?.time_updated))
  },
  *read(session, draft, rows) {
    for (const key of messagesOf(session, rows)) {
      draft.atRecord(key)
      const row = rows.row('message', key)
      const message = row === undefined ? undefined : recordIn(row.data, draft)
      if (row === undefined || message === undefined) yield
      else yield* readMessage(row, message, { draft, rows })
    }
    // Messages that the user reverted are deleted when the session continues; until then they are only
    // marked.
    const { revert } = session
    const taken = typeof revert === 'string' ? readLine(revert).record?.messageID : undefined
    if (typeof taken === 'string') draft.dropFrom(taken)
  },
}

const files = createFileSource(
  {
    id: format.id,
    title: 'OpenCode',
    places,
    // Each pre-release channel has its own database.
    kindOf: path => (/^opencode(?:-[\w.-]+)?\.db$/.test(path) ? 'database' : undefined),
    enters: () => false,
  },
  (file, query) => readDatabase(format, file, query),
)

export const source: TranscriptSource = {
  ...files,
  async files(query) {
    await skipOlderFormat(query)
    return (await files.files?.(query)) ?? []
  },
  async *read(query) {
    await skipOlderFormat(query)
    yield* files.read(query)
  },
}

function places(user: TranscriptUser): readonly string[] {
  const { env, platform } = user
  const folder = join(agentFolder(user, ['XDG_DATA_HOME'], '.local', 'share'), 'opencode')
  const database = env.OPENCODE_DB ?? ''
  if (database === ':memory:') return []
  if (database !== '') return [isAbsolute(database) ? database : join(folder, database)]
  const further = platform === 'win32' ? [env.LOCALAPPDATA ?? '', env.APPDATA ?? ''] : []
  return [folder, ...further.filter(each => each !== '').map(each => join(each, 'opencode'))]
}

/**
 * Reports sessions of versions before 1.2, which wrote files instead of a database. Newer versions import
 * them on their first start.
 */
async function skipOlderFormat({ places: given, user, skip }: HarvestQuery): Promise<void> {
  for (const place of given ?? places(user)) {
    const older = join(place, 'storage', 'session')
    const names = await namesIn(place)
    if (names.some(name => name.endsWith('.db')) || !(await isThere(older))) continue
    const detail =
      'it is in an older form, which is not read; OpenCode 1.2 or newer takes it over when it starts'
    skip({ source: format.id, file: older, reason: 'unreadable', count: 1, detail })
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    // The search for sessions reports the error.
    return []
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return false
  }
}

function messagesOf({ id }: Row, rows: Rows): readonly number[] {
  return typeof id === 'string' ? rows.keys('message', ['session_id', id], ['time_created', 'id']) : []
}

const passedParts = new Set([
  'reasoning',
  'file',
  'step-start',
  'step-finish',
  'patch',
  'snapshot',
  'agent',
  'subtask',
  'retry',
  'compaction',
])

function* readMessage(
  row: Row,
  message: JsonRecord,
  { draft, rows }: { draft: Draft; rows: Rows },
): Iterable<unknown> {
  const role = asText(message.role) ?? ''
  if (typeof row.id !== 'string' || (role !== 'user' && role !== 'assistant'))
    return yield draft.countUnknown(`message of ${role}`)
  const time = timeOf(at(message, 'time', 'created')) ?? timeOf(row.time_created)
  draft.startGroup(row.id)
  draft.addTime(time)
  draft.addTime(timeOf(at(message, 'time', 'completed')))
  yield draft.countRecord()
  for (const key of rows.keys('part', ['message_id', row.id], ['id'])) {
    draft.atRecord(key)
    const { data, time_created: written } = rows.row('part', key) ?? {}
    const part = recordIn(data, draft)
    if (part !== undefined) {
      const text = spokenIn(part)
      const partTime = timeOf(at(part, 'time', 'start')) ?? timeOf(written) ?? time
      if (role === 'user') readWords(text, draft, partTime)
      // A summary shortens the session for the model and was not shown to a person, so it is no answer.
      else if (message.summary !== true) draft.addAnswer(text, partTime)
      if (part.type === 'tool') readTool(part, draft, partTime)
      count(part, draft)
    }
    yield
  }
  readError(message, draft, time)
}

function spokenIn({ type, text, synthetic, ignored }: JsonRecord): string {
  return type === 'text' && synthetic !== true && ignored !== true ? (asText(text) ?? '') : ''
}

/** Matches a prompt that invoked a skill by name: the skill's text, followed by the arguments. */
const calledSkill = /^[\s\S]*?\n\nBase directory for this skill: (.+)\nRelative paths .*\n*([\s\S]*)$/

function readWords(text: string, draft: Draft, time: number | undefined): void {
  const [, folder, given = text] = calledSkill.exec(text) ?? []
  const skill = folder?.split(/[\\/]/).at(-1)
  draft.addSkill(skill)
  draft.addPrompt(`${skill === undefined ? '' : `/${skill} `}${unquoted(given)}`, time)
}

/** Removes the shell quoting with which prompts from the command line are stored. */
function unquoted(text: string): string {
  const inner = text.slice(1, -1)
  const isQuoted = text.length > 1 && text === `"${inner}"` && !/(?<!\\)"|\\$/.test(inner)
  return isQuoted ? inner.replaceAll('\\"', '"') : text
}

function readTool({ callID, tool, state }: JsonRecord, draft: Draft, time: number | undefined): void {
  draft.addCall({
    id: callID,
    name: tool,
    input: at(state, 'input'),
    setFolder: timeOf(at(state, 'time', 'start')) ?? time,
  })
  const exitCode = at(state, 'metadata', 'exit')
  draft.addResult(callID, {
    output: asText(at(state, 'output')) ?? asText(at(state, 'error')),
    failed: at(state, 'status') === 'error' || (typeof exitCode === 'number' && exitCode !== 0),
  })
}

function count({ type }: JsonRecord, draft: Draft): void {
  const kind = asText(type) ?? ''
  if (kind === 'text' || kind === 'tool' || passedParts.has(kind)) draft.countRecord()
  else draft.countUnknown(kind)
}

function readError({ error }: JsonRecord, draft: Draft, time: number | undefined): void {
  draft.brokenOff(asText(at(error, 'data', 'message')) ?? asText(at(error, 'name')) ?? '', time)
}
