import { basename, join } from 'node:path'
import { readDatabase } from '../shared/transcripts/database/read.js'
import type { Draft } from '../shared/transcripts/draft.js'
import { agentFolder } from '../shared/transcripts/homes.js'
import { createFileSource, type RecordReader, readSession } from '../shared/transcripts/source.js'
import { timeOf } from '../shared/transcripts/times.js'
import { asRecord, asText, at, type JsonRecord, recordsIn } from '../shared/transcripts/values.js'
import { copilotStore } from './store.js'

const id = 'copilot'

/**
 * Each session has an event log, and a database summarises all sessions. Sessions of older versions exist
 * only in the database.
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
    draft.onBranch(at(data, 'context', 'branch'))
    draft.happened(timeOf(data.startTime))
  }
  const readAssistant = (data: JsonRecord, time: number | undefined) => {
    draft.answer(asText(data.content) ?? '', time)
    for (const { toolCallId, name, arguments: input } of recordsIn(data.toolRequests))
      draft.call({ id: toolCallId, name, input, at: time })
  }
  const readResult = (data: JsonRecord) => {
    const code = at(data, 'shellExecution', 'exitCode')
    const isFailed = data.success === false || (typeof code === 'number' && code !== 0)
    const output = asText(at(data, 'result', 'content')) ?? asText(at(data, 'error', 'message'))
    draft.result(data.toolCallId, { output, failed: isFailed })
  }
  const readEvent = (type: string, data: JsonRecord, time: number | undefined): boolean => {
    if (type === 'session.start' || type === 'session.resume') begin(data)
    else if (type === 'user.message') {
      // The program sets `source` when it writes a message in the user's name.
      if ((data.source ?? 'user') === 'user') draft.prompt(asText(data.content) ?? '', time)
    } else if (type === 'assistant.message') readAssistant(data, time)
    else if (type === 'tool.execution_complete') readResult(data)
    else if (type === 'skill.invoked') draft.used(data.name)
    else if (type === 'session.error') draft.brokenOff(asText(data.message) ?? 'The model failed.', time)
    else if (type === 'abort') draft.brokenOff(asText(data.reason) ?? 'aborted', time)
    else return passed.has(type)
    return true
  }
  return {
    read(record) {
      const data = asRecord(record.data) ?? {}
      if (typeof record.agentId === 'string' || typeof data.parentToolCallId === 'string')
        return void draft.aside()
      const type = asText(record.type) ?? ''
      const time = timeOf(record.timestamp)
      draft.happened(time)
      return readEvent(type, data, time) ? undefined : type
    },
  }
}
