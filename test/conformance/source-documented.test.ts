import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'libsql'
import { describe, it } from 'vitest'
import { source as cursor } from '../../src/agents/cursor/transcripts.js'
import { source as devin } from '../../src/agents/devin/transcripts.js'
import { source as vscodeCopilot } from '../../src/agents/vscode-copilot/transcripts.js'
import { sourceChecksOf } from './source.js'
import { type Form, jsonDocument, jsonLines, smallAndStrange } from './source-forms.js'
import { operationLog } from './source-log-form.js'
import { put, recordings, type SourceUnderTest } from './source-reading.js'
import { under } from './source-under.js'

/** Sources whose program could not be run: their test data follows the documented format. */

const tooLong = `{"x":"${'y'.repeat(20_000_000)}"}`
const streamedDocument = (list: string) => ({
  ...jsonDocument(list),
  isStreamed: true,
  strange: [...smallAndStrange, tooLong],
})

const vscodePlace = '.config/Code/User/workspaceStorage'
const vscodeWindow = '6d0f9a3c21e84b7f95d1c0aa7e2b4f18'
const vscodeFields = {
  variable: ['VSCODE_PORTABLE', 'user-data/User/workspaceStorage'],
  subAgents: 1,
  structure: ['extensionId', 'sessionId'],
  // It records no tool outputs.
  hasOutputs: false,
  async tellProject(home, folder) {
    const uri = folder.startsWith('/') ? `file://${folder}` : folder
    await put(
      home,
      `${vscodePlace}/${vscodeWindow}/workspace.json`,
      Buffer.from(JSON.stringify({ folder: uri })),
    )
  },
} satisfies Partial<SourceUnderTest>
const olderSession = `${vscodeWindow}/chatSessions/b1d7c3aa-0b7f-4a3c-8a56-6f0f8f1d2c03.json`

const beforeRequest = '<timestamp>Sunday, Nov 15, 2026, 7:00 PM (UTC+1)</timestamp>\\n<user_query>\\n'
const afterRequest = '\\n</user_query>'
/** Cursor wraps what the person typed in further text; the checks concern the typed text. */
const cursorLines: Form = {
  ...jsonLines,
  linesOf: async content =>
    jsonLines.linesOf(
      Buffer.from(content.toString().replaceAll(beforeRequest, '').replaceAll(afterRequest, '')),
    ),
  fileOf: lines =>
    jsonLines.fileOf(
      lines.map(line =>
        line.startsWith('{"role":"user"')
          ? line.replace(/"text":"((?:[^"\\]|\\.)*)"/, `"text":"${beforeRequest}$1${afterRequest}"`)
          : line,
      ),
    ),
}

const cursorPlace = '.cursor/projects'
const cursorFields = under(
  cursor,
  cursorPlace,
  'home-dev-proj/agent-transcripts/4113a71f-9c58-4a0c-b6a4-7b1f0f5d6c11/4113a71f-9c58-4a0c-b6a4-7b1f0f5d6c11.jsonl',
  {
    variable: ['CURSOR_DATA_DIR', 'projects'],
    subAgents: 1,
    form: cursorLines,
    hasTimes: false,
    hasOutputs: false,
    async tellProject(home, folder) {
      const trusted = JSON.stringify({ workspacePath: folder })
      await put(home, `${cursorPlace}/home-dev-proj/.workspace-trusted`, Buffer.from(trusted))
    },
  },
)
const cursorSource: SourceUnderTest = {
  ...cursorFields,
  // A session's end is the file's modification time, which is the time of the checkout.
  sessions: cursorFields.sessions.map(session => {
    const file = join(
      recordings,
      cursorPlace,
      `home-dev-proj/agent-transcripts/${session.id}/${session.id}.jsonl`,
    )
    return { ...session, endedAt: new Date(Math.floor(statSync(file).mtimeMs)).toISOString() }
  }),
}

const devinPlace = '.local/share/devin/cli/transcripts'

const sources: readonly (readonly [string, SourceUnderTest])[] = [
  [
    'a log of changes',
    under(
      vscodeCopilot,
      vscodePlace,
      `${vscodeWindow}/chatSessions/3b7e1f1b-52c0-4d0e-9a64-0d7d6f0c1a01.jsonl`,
      { ...vscodeFields, form: operationLog('requests') },
    ),
  ],
  [
    'a document',
    under(vscodeCopilot, vscodePlace, olderSession, {
      ...vscodeFields,
      form: streamedDocument('requests'),
      output: { file: `${vscodePlace}/${olderSession}`, text: 'notes.txt' },
    }),
  ],
  [
    'events',
    under(
      vscodeCopilot,
      vscodePlace,
      `${vscodeWindow}/GitHub.copilot-chat/transcripts/f5b0e1d3-72a6-4d2c-a4ce-3b8c6e9f4a05.jsonl`,
      vscodeFields,
    ),
  ],
  ['lines', cursorSource],
  [
    'a document',
    under(devin, devinPlace, 'almond-cylinder.json', {
      variable: ['XDG_DATA_HOME', 'devin/cli/transcripts'],
      subAgents: 0,
      form: streamedDocument('steps'),
      structure: ['session_id', 'tool_call_id', 'source_call_id'],
      async tellProject(home, folder) {
        const database = new Database(join(home, dirname(devinPlace), 'sessions.db'))
        database.exec('CREATE TABLE sessions (id TEXT PRIMARY KEY, working_directory TEXT)')
        database.prepare('INSERT INTO sessions VALUES (?, ?)').run(['almond-cylinder', folder])
        database.close()
      },
    }),
  ],
]

for (const [form, each] of sources) {
  describe(`${each.source.title}, ${form}`, () => {
    it.each(sourceChecksOf(each))('$name', check => check.run(each), 60_000)
  })
}
