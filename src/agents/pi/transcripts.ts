import { join } from 'node:path'
import { createBranches } from '../shared/transcripts/branches.js'
import type { Draft } from '../shared/transcripts/draft.js'
import { agentFolder } from '../shared/transcripts/paths.js'
import { createSource, type RecordReader } from '../shared/transcripts/source.js'
import { timeOf } from '../shared/transcripts/times.js'
import { asRecord, asText, type JsonRecord, recordsIn, textIn } from '../shared/transcripts/values.js'

export const source = createSource({
  id: 'pi',
  title: 'pi',
  places: user => {
    const { PI_CODING_AGENT_SESSION_DIR: sessions = '' } = user.env
    if (sessions !== '') return [agentFolder(user, ['PI_CODING_AGENT_SESSION_DIR'])]
    return [join(agentFolder(user, ['PI_CODING_AGENT_DIR'], '.pi', 'agent'), 'sessions')]
  },
  kindOf: path => (path.endsWith('.jsonl') ? 'session' : undefined),
  open: createReader,
})

const passedRecords = new Set([
  'model_change',
  'thinking_level_change',
  'compaction',
  'branch_summary',
  'label',
  'session_info',
  'custom',
  'custom_message',
])
const passedRoles = new Set(['bashExecution', 'custom', 'hookMessage', 'branchSummary', 'compactionSummary'])

/** Matches a prompt that invoked a skill; the skill's text stands in place of its name. */
const calledSkill = /^<skill name="([^"]+)"[^>]*>\n[\s\S]*?\n<\/skill>(?:\n\n([\s\S]+))?$/

function createReader(draft: Draft): RecordReader {
  const branches = createBranches(draft)

  const readUser = (text: string, time: number | undefined) => {
    const [, skill, given = ''] = calledSkill.exec(text) ?? []
    draft.addSkill(skill)
    draft.addPrompt(skill === undefined ? text : `/skill:${skill} ${given}`, time)
  }
  const readAssistant = ({ content, stopReason, errorMessage }: JsonRecord, time: number | undefined) => {
    for (const block of recordsIn(content)) {
      if (block.type === 'text') draft.addAnswer(asText(block.text) ?? '', time)
      else if (block.type === 'toolCall')
        draft.addCall({ id: block.id, name: block.name, input: block.arguments, setFolder: time })
    }
    if (stopReason === 'error' || stopReason === 'aborted')
      draft.brokenOff(asText(errorMessage) ?? stopReason, time)
  }
  const readMessage = (message: JsonRecord, time: number | undefined): string | undefined => {
    const role = asText(message.role) ?? ''
    if (role === 'user') readUser(textIn(message.content), time)
    else if (role === 'assistant') readAssistant(message, time)
    else if (role === 'toolResult')
      draft.addResult(message.toolCallId, {
        output: textIn(message.content),
        failed: message.isError === true,
      })
    else if (!passedRoles.has(role)) return `message of ${role}`
    return undefined
  }
  return {
    read(record) {
      const type = asText(record.type) ?? ''
      const time = timeOf(record.timestamp)
      draft.addTime(time)
      if (type === 'session') {
        draft.name(record.id)
        draft.at(record.cwd)
        return undefined
      }
      branches.enter(record.id, record.parentId)
      const message = asRecord(record.message)
      if (type === 'message' && message !== undefined) return readMessage(message, time)
      return passedRecords.has(type) ? undefined : type
    },
    finish: () => branches.finish(),
  }
}
