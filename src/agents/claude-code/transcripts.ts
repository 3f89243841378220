import { basename, join } from 'node:path'
import { withoutBlocks } from '../../core/text/blocks.js'
import type { Draft } from '../shared/transcripts/draft.js'
import { agentFolder } from '../shared/transcripts/paths.js'
import { createSource, type RecordReader } from '../shared/transcripts/source.js'
import { timeOf } from '../shared/transcripts/times.js'
import { asRecord, asText, at, type JsonRecord, recordsIn, textIn } from '../shared/transcripts/values.js'

export const source = createSource({
  id: 'claude-code',
  title: 'Claude Code',
  places: user => [join(agentFolder(user, ['CLAUDE_CONFIG_DIR'], '.claude'), 'projects')],
  kindOf: path => {
    if (!path.endsWith('.jsonl')) return undefined
    const isOfSubAgent = path.includes('/subagents/') || basename(path).startsWith('agent-')
    return isOfSubAgent ? 'sub-agent' : 'session'
  },
  open: createReader,
})

/** Record types that carry no prompt, tool call or result. */
const passed = new Set([
  'queue-operation',
  'attachment',
  'last-prompt',
  'mode',
  'summary',
  'system',
  'progress',
  'tag',
  'file-history-snapshot',
  'custom-title',
  'ai-title',
  'permission-mode',
  'agent-name',
  'pr-link',
  'atis-latch',
  'api-request-shape',
  'api-request-blob',
  'api-request',
  'cost-state',
  'tools-used',
])

/** Tags around text that the program adds to the user's own text. */
const notTyped = [
  'system-reminder',
  'ide_opened_file',
  'ide_selection',
  'ide_diagnostics',
  'task-notification',
  'local-command-stdout',
  'local-command-stderr',
  'local-command-caveat',
  'command-message',
  'bash-input',
  'bash-stdout',
  'bash-stderr',
  'user-prompt-submit-hook',
]
const command = /<command-name>([^<]*)<\/command-name>\s*(?:<command-args>([\s\S]*?)<\/command-args>)?/
const skillFolder = /^Base directory for this skill: (.+)$/m
const interruption = '[Request interrupted by user'

function createReader(draft: Draft): RecordReader {
  let bareCommand: string | undefined

  const readUser = (record: JsonRecord, time: number | undefined) => {
    const content = at(record, 'message', 'content')
    for (const block of recordsIn(content)) {
      if (block.type !== 'tool_result') continue
      draft.addResult(block.tool_use_id, { output: textIn(block.content), failed: block.is_error === true })
    }
    const text = textIn(content)
    if (record.isMeta === true) readMeta(text, time)
    else if (record.isCompactSummary !== true && record.isVisibleInTranscriptOnly !== true)
      readWords(text, time)
  }
  /**
   * Reads a meta record. The text of a skill is in the record after the command or tool call that invoked it.
   */
  const readMeta = (text: string, time: number | undefined) => {
    const folder = skillFolder.exec(text)?.[1]
    if (folder === undefined) return
    draft.addSkill(folder.split(/[\\/]/).at(-1))
    if (bareCommand !== undefined) draft.addPrompt(bareCommand, time)
    bareCommand = undefined
  }
  const readWords = (text: string, time: number | undefined) => {
    if (text.startsWith(interruption)) return draft.brokenOff(text, time)
    const typed = withoutBlocks(text, notTyped)
    const [, written, given = ''] = command.exec(typed) ?? []
    if (written === undefined) return draft.addPrompt(typed, time)
    const name = written.trim()
    // Most commands without arguments are built in, such as /clear. If the command invokes a skill, the next
    // record contains the skill's text.
    if (given.trim() === '') bareCommand = name
    else draft.addPrompt(`${name} ${given}`, time)
  }
  const readAssistant = (record: JsonRecord, time: number | undefined) => {
    const message = asRecord(record.message)
    if (record.isApiErrorMessage === true) return draft.brokenOff(textIn(message?.content), time)
    // The program itself writes such messages in the model's name.
    if (message?.model === '<synthetic>') return
    draft.addSkill(record.attributionSkill)
    if (typeof message?.content === 'string') draft.addAnswer(message.content, time)
    for (const block of recordsIn(message?.content)) {
      if (block.type === 'text') draft.addAnswer(asText(block.text) ?? '', time)
      else if (block.type === 'tool_use')
        draft.addCall({ id: block.id, name: block.name, input: block.input, setFolder: time })
    }
  }
  return {
    read(record) {
      const type = asText(record.type) ?? ''
      if (record.isSidechain === true || typeof record.agentId === 'string') return void draft.addSideRecord()
      const isOfPersons = type === 'user' || type === 'assistant'
      if (!isOfPersons && !passed.has(type)) return type
      const time = timeOf(record.timestamp)
      draft.name(record.sessionId)
      draft.at(record.cwd)
      draft.setBranch(record.gitBranch)
      draft.addTime(time)
      if (type === 'user') readUser(record, time)
      if (type === 'assistant') readAssistant(record, time)
      return undefined
    },
  }
}
