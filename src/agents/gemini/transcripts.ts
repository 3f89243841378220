import { basename, dirname, join } from 'node:path'
import type { Draft } from '../shared/transcripts/draft.js'
import { agentFolder } from '../shared/transcripts/paths.js'
import { readSidecarText } from '../shared/transcripts/sidecar.js'
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
  id: 'gemini',
  title: 'Gemini CLI',
  places: user => [join(agentFolder(user, ['GEMINI_CLI_HOME']), '.gemini', 'tmp')],
  kindOf: path => {
    const name = basename(path)
    if (/^session-.*\.json$/.test(name)) return 'older-form'
    return name.endsWith('.jsonl') && (name.startsWith('session-') || path.includes('chats/'))
      ? 'session'
      : undefined
  },
  async open(draft) {
    // Older versions do not write this file; the session's header may name the folder instead.
    draft.at((await readSidecarText(join(dirname(draft.file), '..', '.project_root')))?.trim())
    return createReader(draft)
  },
})

const passed = new Set(['info', 'warning'])
const notTyped = /^\s*<(?:session_context|state_snapshot)>/
const workspace = /\*\*Workspace Directories:\*\*[^\S\n]*\n\s*- (.+)/

function createReader(draft: Draft): RecordReader {
  let hasBegun = false
  const read = new Set<string>()

  const begin = (header: JsonRecord) => {
    // The header is written again whenever the session is resumed.
    if (hasBegun) return
    hasBegun = true
    if ((header.kind ?? 'main') !== 'main')
      draft.exclude('sub-agent', 'its first record says that it is a sub-agent’s')
    draft.name(header.sessionId)
    draft.at(Array.isArray(header.directories) ? header.directories[0] : undefined)
    draft.addTime(timeOf(header.startTime))
  }
  const readModel = (message: JsonRecord, time: number | undefined) => {
    draft.addAnswer(textIn(message.content), time)
    for (const call of recordsIn(message.toolCalls)) {
      const { id, name, args: input, status } = call
      draft.addCall({ id, name, input, setFolder: timeOf(call.timestamp) ?? time })
      const output = outputOf(call)
      const isFailed = status === 'error' || status === 'cancelled' || isFailedCommand(name, output)
      draft.addResult(id, { output, failed: isFailed })
    }
  }
  const readUser = (text: string, time: number | undefined) => {
    if (notTyped.test(text)) draft.at(workspace.exec(text)?.[1]?.trim())
    else draft.addPrompt(text, time)
  }
  /** Reads a message. One with a known id replaces the earlier one. */
  const readMessage = (message: JsonRecord): string | undefined => {
    const time = timeOf(message.timestamp)
    const type = asText(message.type) ?? ''
    const id = asText(message.id) ?? ''
    read.add(id)
    draft.startGroup(id)
    draft.addTime(time)
    if (type === 'user') readUser(textIn(message.content), time)
    else if (type === 'gemini') readModel(message, time)
    else if (type === 'error') draft.brokenOff(textIn(message.content), time)
    else if (!passed.has(type)) return type
    return undefined
  }
  return {
    read(record) {
      const set = asRecord(record.$set)
      if (typeof record.$rewindTo === 'string') draft.dropFrom(record.$rewindTo)
      else if (typeof record.id === 'string') return readMessage(record)
      else if (set !== undefined) {
        // When a session is resumed or compressed, the model's context is written again without tool calls,
        // and the rest is dropped from it. Only messages with a new id are read, so the user's earlier
        // prompts are kept.
        const added = recordsIn(set.messages).filter(({ id }) => typeof id === 'string' && !read.has(id))
        const unknown = added.flatMap(message => readMessage(message) ?? [])
        draft.addTime(timeOf(set.lastUpdated))
        return unknown[0]
      } else if (typeof record.sessionId === 'string') begin(record)
      else return asText(record.type) ?? 'without a name'
      return undefined
    },
  }
}

function outputOf({ result }: JsonRecord): string | undefined {
  const response = recordsIn(result).map(part => at(part, 'functionResponse', 'response'))[0]
  return asText(at(response, 'output')) ?? asText(at(response, 'error'))
}
