import { join } from 'node:path'
import { createBranches } from '../shared/transcripts/branches.js'
import type { Draft } from '../shared/transcripts/draft.js'
import { agentFolder } from '../shared/transcripts/paths.js'
import { createSource, type RecordReader } from '../shared/transcripts/source.js'
import { timeOf } from '../shared/transcripts/times.js'
import {
  asRecord,
  asText,
  at,
  isFailedCommand,
  type JsonRecord,
  recordsIn,
  textIn,
} from '../shared/transcripts/values.js'

export const source = createSource({
  id: 'qwen-code',
  title: 'Qwen Code',
  places: user => [join(agentFolder(user, ['QWEN_RUNTIME_DIR', 'QWEN_HOME'], '.qwen'), 'projects')],
  kindOf: path => (path.endsWith('.jsonl') ? 'session' : undefined),
  open: createReader,
})

/** Matches a prompt that invoked a skill: the skill's text, then the command as the last paragraph. */
const calledSkill = /\n\n(\/([\w:.-]+)(?: .*)?)$/

function createReader(draft: Draft): RecordReader {
  const branches = createBranches(draft)

  const readUser = (record: JsonRecord, time: number | undefined) => {
    // Newer versions mark text that the program writes in the user's name.
    if ((record.provenance ?? 'real_user') !== 'real_user' || record.subtype !== undefined) return
    const text = textIn(at(record, 'message', 'parts'))
    const [, typed = text, skill] = calledSkill.exec(text) ?? []
    draft.addSkill(skill)
    draft.addPrompt(typed, time)
  }
  const readAssistant = (record: JsonRecord, time: number | undefined) => {
    const parts = at(record, 'message', 'parts')
    draft.addAnswer(textIn(parts), time)
    for (const part of recordsIn(parts)) {
      const call = asRecord(part.functionCall)
      if (call !== undefined)
        draft.addCall({ id: call.id, name: call.name, input: call.args, setFolder: time })
    }
  }
  const readResults = (record: JsonRecord) => {
    const isFailed = at(record, 'toolCallResult', 'status') === 'error'
    for (const part of recordsIn(at(record, 'message', 'parts'))) {
      const { id, name, response } = asRecord(part.functionResponse) ?? {}
      const output = asText(at(response, 'output')) ?? asText(at(response, 'error'))
      draft.addResult(id, { output, failed: isFailed || isFailedCommand(name, output) })
    }
  }
  const readSystem = ({ systemPayload }: JsonRecord, time: number | undefined) => {
    const event = asRecord(at(systemPayload, 'uiEvent'))
    if (event?.['event.name'] === 'qwen-code.api_error')
      draft.brokenOff(asText(event.error_message) ?? 'The model failed.', time)
  }
  return {
    read(record) {
      if (record.isSidechain === true || typeof record.agentId === 'string') return void draft.addSideRecord()
      const type = asText(record.type) ?? ''
      const time = timeOf(record.timestamp)
      draft.name(record.sessionId)
      draft.at(record.cwd)
      draft.setBranch(record.gitBranch)
      draft.addTime(time)
      branches.enter(record.uuid, record.parentUuid)
      if (type === 'user') readUser(record, time)
      else if (type === 'assistant') readAssistant(record, time)
      else if (type === 'tool_result') readResults(record)
      else if (type === 'system') readSystem(record, time)
      else return type
      return undefined
    },
    finish: () => branches.finish(),
  }
}
