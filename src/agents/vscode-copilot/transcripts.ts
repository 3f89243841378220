import { basename, dirname, extname, join } from 'node:path'
import type { TranscriptUser } from '../../core/transcript/transcript.js'
import type { Draft } from '../shared/transcripts/draft.js'
import { systemCode } from '../shared/transcripts/files.js'
import { readLines, tooLong } from '../shared/transcripts/lines.js'
import { agentFolder } from '../shared/transcripts/paths.js'
import { readSidecarRecord } from '../shared/transcripts/sidecar.js'
import { createSource, type RecordReader } from '../shared/transcripts/source.js'
import { timeOf } from '../shared/transcripts/times.js'
import { asRecord, asText, at, type JsonRecord } from '../shared/transcripts/values.js'
import { createDocumentReader, createLogReader } from './chat.js'

const longestLine = 64 * 1024 * 1024

/** Older versions write a session as one document, newer ones as a log of changes. */
const isDocument = (file: string) => extname(file) === '.json'
/** Folder in which Copilot's extension writes events. */
const ofExtension = 'GitHub.copilot-chat'
const isEvents = (file: string) => basename(dirname(dirname(file))) === ofExtension

const sessionName = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.jsonl?$/i
const amongSessions =
  /(?:^|\/)(?:(?:chatSessions|emptyWindowChatSessions)\/[^/]+\.jsonl?|GitHub\.copilot-chat\/transcripts\/[^/]+\.jsonl)$/

export const source = createSource({
  id: 'vscode-copilot',
  title: 'GitHub Copilot in VS Code',
  places: user =>
    userFolders(user).flatMap(folder => [
      join(folder, 'workspaceStorage'),
      join(folder, 'globalStorage', 'emptyWindowChatSessions'),
    ]),
  kindOf: path => (amongSessions.test(path) || sessionName.test(path) ? 'session' : undefined),
  enters: folder => {
    const name = basename(folder)
    if (basename(dirname(folder)) === ofExtension) return name === 'transcripts'
    // Skips folders of other extensions, which have a dot in their names, and copies of edited files. Both
    // can be large.
    return name === ofExtension || !/\.|^chatEditingSessions$/.test(name)
  },
  listIn: file => (isDocument(file) ? 'requests' : undefined),
  // VS Code rewrites the log from time to time, with the whole session in its first line.
  longestLine,
  async open(draft) {
    const { file } = draft
    const folder = join(dirname(file), isEvents(file) ? '../..' : '..')
    draft.at((await readSidecarRecord(join(folder, 'workspace.json')))?.folder)
    const others = otherForms(file, folder)
    for (const other of others)
      if (!draft.isExcluded && (await holdsRequest(other, draft.query.signal)))
        draft.exclude(
          'copy',
          `the same session is in ${basename(dirname(other))}/${basename(other)}, which is read`,
        )
    if (isEvents(file)) return createEventReader(draft)
    return isDocument(file) ? createDocumentReader(draft) : createLogReader(draft)
  },
})

/** Other files of the same session, which may contain more about growing answers or tool results. */
function otherForms(file: string, folder: string): readonly string[] {
  if (isDocument(file)) return [`${file}l`]
  const name = basename(file, '.jsonl')
  return isEvents(file) ? ['.jsonl', '.json'].map(end => join(folder, 'chatSessions', `${name}${end}`)) : []
}

/** Whether the file contains a request. In some versions this file holds only the beginning of a session. */
async function holdsRequest(file: string, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const lines of readLines(file, signal, longestLine))
      if (lines.some(line => line === tooLong || line.includes('"message"'))) return true
  } catch (error) {
    if (systemCode(error) === undefined) throw error
  }
  return false
}

/** User data folders of VS Code and its forks: local ones, and those for remote windows. */
function userFolders(user: TranscriptUser): readonly string[] {
  const { env, home } = user
  const portable = env.VSCODE_PORTABLE ?? ''
  return [
    ...(portable === '' ? [] : [join(portable, 'user-data', 'User')]),
    ...['Code', 'Code - Insiders', 'VSCodium'].map(name => join(dataFolder(user), name, 'User')),
    ...['.vscode-server', '.vscode-server-insiders', '.vscodium-server'].map(name =>
      join(home, name, 'data', 'User'),
    ),
  ]
}

function dataFolder(user: TranscriptUser): string {
  if (user.platform === 'win32') return agentFolder(user, ['APPDATA'], 'AppData', 'Roaming')
  if (user.platform === 'darwin') return join(user.home, 'Library', 'Application Support')
  return agentFolder(user, ['XDG_CONFIG_HOME'], '.config')
}

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
function createEventReader(draft: Draft): RecordReader {
  /**
   * Id of the tool call that started a sub-agent. The sub-agent's records are not marked; they lie between
   * the start and the end of this call.
   */
  let subAgent: unknown
  let events = 0

  const begin = (data: JsonRecord) => {
    draft.name(data.sessionId)
    draft.at(at(data, 'context', 'cwd'))
    draft.addTime(timeOf(data.startTime))
  }
  const call = (
    { toolCallId: id, toolName: name, arguments: input }: JsonRecord,
    time: number | undefined,
  ) => {
    draft.addCall({ id, name, input, setFolder: time })
    if (/subagent/i.test(asText(name) ?? '')) subAgent = id
  }
  const readEvent = (type: string, data: JsonRecord, time: number | undefined): boolean => {
    if (type === 'session.start' || type === 'session.resume') begin(data)
    else if (type === 'user.message') draft.addPrompt(asText(data.content) ?? '', time)
    else if (type === 'assistant.message') draft.addAnswer(asText(data.content) ?? '', time)
    else if (type === 'tool.execution_start') call(data, time)
    else if (type === endOfTool)
      draft.addResult(data.toolCallId, {
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
      if (subAgent !== undefined) return void draft.addSideRecord()
      draft.addTime(time)
      // An answer is written repeatedly while it grows.
      events += 1
      draft.startGroup(asText(data.messageId) ?? `event ${events}`)
      return readEvent(type, data, time) ? undefined : type
    },
  }
}
