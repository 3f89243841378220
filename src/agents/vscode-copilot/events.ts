import type { Draft } from '../shared/transcripts/draft.js'
import type { RecordReader } from '../shared/transcripts/source.js'
import { timeOf } from '../shared/transcripts/times.js'
import { asRecord, asText, at, type JsonRecord } from '../shared/transcripts/values.js'

const passed = new Set([
  'assistant.turn_start',
  'assistant.turn_end',
  'assistant.reasoning',
  'assistant.usage',
  'system.message',
  'session.info',
  'session.warning',
  'session.shutdown',
  'session.model_change',
  'hook.start',
  'hook.end',
])

const endOfTool = 'tool.execution_complete'

/** Reads a session from the events that Copilot's extension writes beside VS Code's own sessions. */
export function createEventReader(draft: Draft): RecordReader {
  /** A sub-agent's records are unmarked, between the start and the end of the tool call that started it. */
  let subAgent: unknown
  let events = 0

  const begin = (data: JsonRecord) => {
    draft.name(data.sessionId)
    draft.at(at(data, 'context', 'cwd'))
    draft.happened(timeOf(data.startTime))
  }
  const call = (
    { toolCallId: id, toolName: name, arguments: input }: JsonRecord,
    time: number | undefined,
  ) => {
    draft.call({ id, name, input, at: time })
    if (/subagent/i.test(asText(name) ?? '')) subAgent = id
  }
  const readEvent = (type: string, data: JsonRecord, time: number | undefined): boolean => {
    if (type === 'session.start' || type === 'session.resume') begin(data)
    else if (type === 'user.message') draft.prompt(asText(data.content) ?? '', time)
    else if (type === 'assistant.message') draft.answer(asText(data.content) ?? '', time)
    else if (type === 'tool.execution_start') call(data, time)
    else if (type === endOfTool)
      draft.result(data.toolCallId, {
        output: asText(at(data, 'result', 'content')) ?? asText(at(data, 'error', 'message')),
        failed: data.success === false,
      })
    else if (type === 'session.error') draft.brokenOff(asText(data.message) ?? 'The model failed.', time)
    else if (type === 'abort') draft.brokenOff(asText(data.reason) ?? 'aborted', time)
    else return passed.has(type)
    return true
  }
  return {
    read(record) {
      const type = asText(record.type) ?? ''
      const data = asRecord(record.data) ?? {}
      const time = timeOf(record.timestamp)
      // A new user message ends the sub-agent as well.
      const isBack = type === 'user.message' || (type === endOfTool && data.toolCallId === subAgent)
      if (isBack) subAgent = undefined
      if (subAgent !== undefined) return void draft.aside()
      draft.happened(time)
      // An answer is written repeatedly while it grows.
      events += 1
      draft.group(asText(data.messageId) ?? `event ${events}`)
      return readEvent(type, data, time) ? undefined : type
    },
  }
}
