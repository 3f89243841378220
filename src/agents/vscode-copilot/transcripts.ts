import { basename, dirname, extname, join } from 'node:path'
import type { TranscriptUser } from '../../core/transcript/transcript.js'
import { systemCode } from '../shared/transcripts/files.js'
import { agentFolder } from '../shared/transcripts/homes.js'
import { readLines, tooLong } from '../shared/transcripts/lines.js'
import { recordBeside } from '../shared/transcripts/sidecar.js'
import { createSource } from '../shared/transcripts/source.js'
import { createDocumentReader, createLogReader } from './chat.js'
import { createEventReader } from './events.js'

const longestLine = 64 * 1024 * 1024

/** Older versions write a session as one document, newer ones as a log of changes. */
const isDocument = (file: string) => extname(file) === '.json'
/** Copilot's extension writes events to its own folder. */
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
    // Folders of other extensions have a dot in their names. They can be large, as can copies of edited
    // files.
    return name === ofExtension || !/\.|^chatEditingSessions$/.test(name)
  },
  listIn: file => (isDocument(file) ? 'requests' : undefined),
  // The log is rewritten from time to time, with the whole session in its first line.
  longestLine,
  async open(draft) {
    const { file } = draft
    const folder = join(dirname(file), isEvents(file) ? '../..' : '..')
    draft.at((await recordBeside(join(folder, 'workspace.json')))?.folder)
    const others = otherForms(file, folder)
    for (const other of others)
      if (!draft.isLeftOut && (await holdsRequest(other, draft.query.signal)))
        draft.leaveOut(
          'copy',
          `the same session is in ${basename(dirname(other))}/${basename(other)}, which is read`,
        )
    if (isEvents(file)) return createEventReader(draft)
    return isDocument(file) ? createDocumentReader(draft) : createLogReader(draft)
  },
})

/** Other files of the same session that may contain more detail, about growing answers or tool results. */
function otherForms(file: string, folder: string): readonly string[] {
  if (isDocument(file)) return [`${file}l`]
  const name = basename(file, '.jsonl')
  return isEvents(file) ? ['.jsonl', '.json'].map(end => join(folder, 'chatSessions', `${name}${end}`)) : []
}

/** Some versions only write the beginning of a session there. */
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
