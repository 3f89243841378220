import { basename, join } from 'node:path'
import { contentHash } from '../../core/text/hash.js'
import type { Draft } from '../shared/transcripts/draft.js'
import { agentFolder } from '../shared/transcripts/paths.js'
import { createSource, type RecordReader } from '../shared/transcripts/source.js'
import { timeOf } from '../shared/transcripts/times.js'
import {
  asList,
  asRecord,
  asText,
  at,
  type JsonRecord,
  recordsIn,
  textIn,
} from '../shared/transcripts/values.js'

export const source = createSource({
  id: 'codex',
  title: 'Codex',
  places: user => {
    const home = agentFolder(user, ['CODEX_HOME'], '.codex')
    return [join(home, 'sessions'), join(home, 'archived_sessions')]
  },
  kindOf: path => (/^rollout-.*\.jsonl$/.test(basename(path)) ? 'session' : undefined),
  open: createReader,
})

const passedRecords = new Set(['turn_context', 'world_state', 'token_usage_record', 'compacted'])
const passedItems = new Set(['reasoning', 'web_search_call', 'ghost_snapshot', 'compaction'])
const passedEvents = new Set([
  'task_started',
  'turn_started',
  'token_count',
  'thread_settings_applied',
  'context_compacted',
  'agent_reasoning',
  'agent_reasoning_raw_content',
  'agent_reasoning_section_break',
  'entered_review_mode',
  'exited_review_mode',
  'thread_rolled_back',
  'thread_name_updated',
])

/** Prefixes of text that the program adds to user messages, for versions that do not mark it. */
const notTyped = /^\s*(?:<|# AGENTS\.md instructions)/
const skillName = /^<skill>\s*<name>([^<]*)<\/name>/
const exitCode = /^(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?(?:Process exited with code|Exit code:) (\d+)/

function createReader(draft: Draft): RecordReader {
  let hasBegun = false
  const once = createDeduplicator(draft)

  const begin = (meta: JsonRecord | undefined) => {
    // Later `session_meta` records belong to the session that this one was forked from.
    if (hasBegun || meta === undefined) return
    hasBegun = true
    if (asRecord(meta.source)?.subagent !== undefined || (meta.thread_source ?? 'user') !== 'user')
      draft.exclude('sub-agent', 'its first record says that it is a sub-agent’s')
    draft.name(meta.id)
    draft.setBranch(at(meta, 'git', 'branch'))
    draft.addTime(timeOf(meta.timestamp))
  }
  const readUser = (item: JsonRecord, time: number | undefined) => {
    const kinds = asList(at(item, 'internal_chat_message_metadata_passthrough', 'content_item_kinds'))
    const typed = recordsIn(item.content).flatMap((block, index) => {
      const text = asText(block.text) ?? ''
      draft.addSkill(skillName.exec(text)?.[1])
      return isTyped(kinds[index], text) ? [text] : []
    })
    once.prompt('item', typed.join('\n'), time)
  }
  const readItem = (item: JsonRecord, time: number | undefined): string | undefined => {
    const type = asText(item.type) ?? ''
    if (type === 'message' && item.role === 'user') readUser(item, time)
    else if (type === 'message' && item.role === 'assistant') once.answer('item', textIn(item.content), time)
    else if (type === 'function_call' || type === 'custom_tool_call')
      draft.addCall({
        id: item.call_id,
        name: item.name,
        input: item.arguments ?? item.input,
        setFolder: time,
      })
    else if (type === 'local_shell_call')
      draft.addCall({ id: item.call_id, name: 'shell', input: item.action, setFolder: time })
    else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      const output = textIn(at(item.output, 'content') ?? item.output)
      const code = exitCode.exec(output)?.[1]
      draft.addResult(item.call_id, { output, failed: code === undefined ? undefined : Number(code) !== 0 })
    } else if (type !== 'message' && !passedItems.has(type)) return `response_item ${type}`
    return undefined
  }
  const readCompleted = (item: JsonRecord | undefined, time: number | undefined) => {
    if (item?.type === 'UserMessage') once.prompt('event', textIn(item.content), time)
    else if (item?.type === 'AgentMessage') once.answer('event', textIn(item.content), time)
    else if (typeof item?.exit_code === 'number') draft.addResult(item.id, { failed: item.exit_code !== 0 })
  }
  const readEvent = (event: JsonRecord, time: number | undefined): string | undefined => {
    const type = asText(event.type) ?? ''
    const message = asText(event.message) ?? ''
    if (type === 'item_completed') readCompleted(asRecord(event.item), time)
    else if (type === 'user_message') {
      if ((event.kind ?? 'plain') === 'plain') once.prompt('event', message, time)
    } else if (type === 'agent_message') once.answer('event', message, time)
    else if (type === 'exec_command_end')
      draft.addResult(event.call_id, { failed: typeof event.exit_code === 'number' && event.exit_code !== 0 })
    else if (type === 'turn_aborted') draft.brokenOff(asText(event.reason) ?? 'aborted', time)
    else if (type === 'error') draft.brokenOff(message, time)
    else if (type === 'task_complete' || type === 'turn_complete')
      draft.brokenOff(asText(at(event, 'error', 'message')) ?? '', time)
    else if (!passedEvents.has(type)) return `event_msg ${type}`
    return undefined
  }
  return {
    read({ type, timestamp, payload }) {
      const time = timeOf(timestamp)
      const inner = asRecord(payload)
      draft.addTime(time)
      if (type === 'session_meta') begin(inner)
      if (type === 'session_meta' || type === 'turn_context') draft.at(inner?.cwd)
      if (type === 'session_meta') return undefined
      if (type === 'response_item' && inner !== undefined) return readItem(inner, time)
      if (type === 'event_msg' && inner !== undefined) return readEvent(inner, time)
      const kind = asText(type) ?? ''
      return passedRecords.has(kind) ? undefined : kind
    },
  }
}

function isTyped(kind: unknown, text: string): boolean {
  if (typeof kind === 'string' && kind !== 'unknown') return kind.startsWith('user.')
  return !notTyped.test(text)
}

/**
 * Counts each message once. The file contains it twice, in either order: as sent to the model and as shown to
 * the user. Some versions omit one form. A text is new if one form has it more often than the other.
 */
function createDeduplicator(draft: Draft) {
  const seen = { item: new Map<string, number>(), event: new Map<string, number>() }
  const count = (kind: 'prompt' | 'answer', by: keyof typeof seen, text: string): boolean => {
    // Texts are counted by their hash, because they may be long.
    const name = contentHash(`${kind} ${text}`)
    const times = (seen[by].get(name) ?? 0) + 1
    seen[by].set(name, times)
    return times > (seen[by === 'item' ? 'event' : 'item'].get(name) ?? 0)
  }
  return {
    prompt(by: keyof typeof seen, text: string, time: number | undefined): void {
      if (count('prompt', by, text)) draft.addPrompt(text, time)
    },
    answer(by: keyof typeof seen, text: string, time: number | undefined): void {
      if (count('answer', by, text)) draft.addAnswer(text, time)
    },
  }
}
