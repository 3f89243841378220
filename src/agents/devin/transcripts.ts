import { access } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { problemIn } from '../shared/transcripts/database/read.js'
import { type Cell, openDatabase } from '../shared/transcripts/database/sqlite.js'
import type { Draft } from '../shared/transcripts/draft.js'
import { systemCode } from '../shared/transcripts/files.js'
import { fieldOf } from '../shared/transcripts/json-items.js'
import { agentFolder } from '../shared/transcripts/paths.js'
import { createSource, type RecordReader } from '../shared/transcripts/source.js'
import { timeOf } from '../shared/transcripts/times.js'
import { asText, at, type JsonRecord, recordsIn, textIn } from '../shared/transcripts/values.js'

export const source = createSource({
  id: 'devin',
  title: 'Devin',
  places: user => {
    const data =
      user.platform === 'win32'
        ? agentFolder(user, ['APPDATA'], 'AppData', 'Roaming')
        : agentFolder(user, ['XDG_DATA_HOME'], '.local', 'share')
    return [join(data, 'devin', 'cli', 'transcripts')]
  },
  kindOf: path => (path.endsWith('.json') ? 'session' : undefined),
  listIn: () => 'steps',
  async open(draft) {
    const id = basename(draft.file, '.json')
    const { folder, problem } = await devinFolder(join(dirname(draft.file), '..', 'sessions.db'), id)
    draft.at(folder)
    if (problem !== undefined) draft.countLost(`folders, which the database of sessions tells: ${problem}`)
    return createReader(draft, id)
  },
})

/** Finish reasons of a step that did not succeed. */
const brokenOff = new Set(['error', 'cancelled', 'canceled', 'aborted', 'interrupted'])

function createReader(draft: Draft, id: string): RecordReader {
  const readAgent = (step: JsonRecord, time: number | undefined) => {
    draft.addAnswer(textIn(step.message), time)
    const calls = recordsIn(step.tool_calls)
    for (const { tool_call_id, function_name, arguments: input } of calls)
      draft.addCall({ id: tool_call_id, name: function_name, input, setFolder: time })
    for (const { source_call_id, content, extra } of recordsIn(at(step, 'observation', 'results'))) {
      const failed = at(extra, 'is_error') === true || at(extra, 'success') === false
      // If the step has one call only, a result without an id belongs to it.
      const call = source_call_id ?? (calls.length === 1 ? calls[0]?.tool_call_id : undefined)
      draft.addResult(call, { output: textIn(content), failed })
    }
    const how = asText(at(step, 'extra', 'finish_reason')) ?? asText(at(step, 'metadata', 'finish_reason'))
    if (how !== undefined && brokenOff.has(how)) draft.brokenOff(how, time)
  }
  const readStep = (step: JsonRecord): string | undefined => {
    // The step repeats earlier context for the model.
    if (step.is_copied_context === true) return undefined
    const time = timeOf(step.timestamp) ?? timeOf(at(step, 'metadata', 'created_at'))
    draft.addTime(time)
    // Older versions record the speaker in the step's metadata.
    if (step.source === 'user' || at(step, 'metadata', 'is_user_input') === true)
      draft.addPrompt(textIn(step.message), time)
    else if (step.source === 'agent' || step.role === 'assistant') readAgent(step, time)
    else if (step.source !== 'system')
      return asText(step.type) ?? `step of ${asText(step.source) ?? 'nobody'}`
    return undefined
  }
  return {
    read(record) {
      if (fieldOf(record) === undefined) return readStep(record)
      draft.name(record.session_id)
      return undefined
    },
    finish: () => draft.name(id),
  }
}

const shape = { required: { sessions: ['id', 'working_directory'] } }

/**
 * The working folder of a Devin session, which is only in the database beside the transcripts. The database
 * is read without its write-ahead log, as of the last checkpoint: with the log it would have to be copied,
 * and it can reach gigabytes.
 */
async function devinFolder(
  database: string,
  session: string,
): Promise<{ readonly folder?: Cell; readonly problem?: string }> {
  try {
    await access(database)
    const rows = await openDatabase({ url: `${pathToFileURL(database)}?immutable=1` }, shape)
    try {
      const [key] = rows.keys('sessions', ['id', session], ['rowid'])
      return { folder: key === undefined ? undefined : rows.row('sessions', key)?.working_directory }
    } finally {
      rows.close()
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return {}
    const problem = problemIn(error)
    if (problem === undefined) throw error
    return { problem }
  }
}
