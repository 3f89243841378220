import { readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'libsql'
import { describe, expect, it } from 'vitest'
import { source as claudeCode } from '../../src/agents/claude-code/transcripts.js'
import { source as codex } from '../../src/agents/codex/transcripts.js'
import { source as copilot } from '../../src/agents/copilot/transcripts.js'
import { source as gemini } from '../../src/agents/gemini/transcripts.js'
import { source as opencode } from '../../src/agents/opencode/transcripts.js'
import { source as pi } from '../../src/agents/pi/transcripts.js'
import { source as qwenCode } from '../../src/agents/qwen-code/transcripts.js'
import type {
  HarvestQuery,
  Skipped,
  Transcript,
  TranscriptSource,
} from '../../src/core/transcript/transcript.js'
import { sourceChecksOf } from './source.js'
import { copilotDatabase, opencodeDatabase } from './source-database.js'
import type { SourceUnderTest } from './source-reading.js'
import { under } from './source-under.js'

const piSessions = '.pi/agent/sessions'
const piSession = '--home-dev-proj--/2026-11-16T11-40-37-785Z_01a1e428-be19-7460-b244-36882a54a71d.jsonl'

const sources: readonly SourceUnderTest[] = [
  under(claudeCode, '.claude/projects', '-home-dev-proj/11111111-2222-4333-8444-777777777777.jsonl', {
    variable: ['CLAUDE_CONFIG_DIR', 'projects'],
    subAgents: 1,
  }),
  under(
    codex,
    '.codex/archived_sessions',
    'rollout-2026-11-15T18-52-19-01a1e08d-9d6c-7db2-94dc-e5949c2274be.jsonl',
    { variable: ['CODEX_HOME', 'archived_sessions'], subAgents: 1 },
  ),
  under(copilot, '.copilot/session-state', 'f62ac2f3-4359-45b1-bbb5-632e81e09339/events.jsonl', {
    variable: ['COPILOT_HOME', 'session-state'],
    subAgents: 0,
  }),
  under(copilot, '.copilot/session-store.db', '', {
    form: copilotDatabase,
    sample: '.copilot/session-store.db',
    variable: ['COPILOT_HOME', 'session-store.db'],
    subAgents: 0,
    output: { file: '.copilot/session-store.db', text: 'Done: 2' },
    structure: ['table', 'session_id', 'created_at', 'updated_at'],
  }),
  under(gemini, '.gemini/tmp', 'older/chats/session-2026-11-15T19-00-c686f54e.jsonl', {
    variable: ['GEMINI_CLI_HOME', '.gemini/tmp'],
    subAgents: 1,
    output: {
      file: '.gemini/tmp/older/chats/session-2026-11-15T19-00-c686f54e.jsonl',
      text: 'GM_BODY_MARKER_4444',
    },
  }),
  under(opencode, '.local/share/opencode', 'opencode.db', {
    form: opencodeDatabase,
    variable: ['XDG_DATA_HOME', 'opencode'],
    subAgents: 1,
    output: { file: '.local/share/opencode/opencode.db', text: 'one\\ntwo' },
    structure: ['table', 'session_id', 'message_id', 'project_id', 'parentID', 'callID'],
  }),
  under(qwenCode, '.qwen/projects', '-home-dev-proj/chats/02082210-92a7-4a28-8b60-4e6f888a5bef.jsonl', {
    variable: ['QWEN_HOME', 'projects'],
    subAgents: 0,
  }),
  under(
    pi,
    piSessions,
    '--home-dev-proj--/2026-11-15T19-02-16-115Z_01a1e096-b733-71c1-ac6b-2b37b5467e8d.jsonl',
    {
      variable: ['PI_CODING_AGENT_DIR', 'sessions'],
      subAgents: 0,
      output: { file: `${piSessions}/${piSession}`, text: '(no output)' },
    },
  ),
]

for (const each of sources) {
  describe(`${each.source.title} (${each.place})`, () => {
    it.each(sourceChecksOf(each))('$name', check => check.run(each), 60_000)
  })
}

type Read = TranscriptSource['read']
const good = sources[0] as SourceUnderTest
const asking =
  (change: (query: HarvestQuery) => Partial<HarvestQuery>): Read =>
  query =>
    good.source.read({ ...query, ...change(query) })
const giving = (change: (transcript: Transcript) => Transcript): Read =>
  async function* (query) {
    for await (const transcript of good.source.read(query)) yield change(transcript)
  }
/** Yields what a correct source skips. */
const taking = (reason: Skipped['reason']): Read =>
  async function* (query) {
    const files: string[] = []
    const skip = (skipped: Skipped) => {
      if (skipped.reason === reason) files.push(skipped.file)
      query.skip(skipped)
    }
    yield* good.source.read({ ...query, skip })
    for (const file of files) yield { ...nobody, file }
  }
const beforeReading = (touch: (file: string) => Promise<void>): Read =>
  async function* (query) {
    for await (const { file } of good.source.read({ ...query, redact: text => text, skip: () => {} }))
      await touch(file)
    yield* good.source.read(query)
  }
const givingUp: Read = async function* (query) {
  const damaged = new Set<string>()
  const skip = (skipped: Skipped) => {
    if (skipped.reason === 'record') damaged.add(skipped.file)
    query.skip(skipped)
  }
  for await (const transcript of good.source.read({ ...query, skip }))
    if (!damaged.has(transcript.file)) yield transcript
}
const nobody: Transcript = {
  source: 'claude-code',
  id: '',
  file: '',
  project: undefined,
  branch: undefined,
  startedAt: 0,
  endedAt: 0,
  entries: [],
  skills: [],
}

const kept: string[] = []
const broken: readonly (readonly [string, Read, string])[] = [
  [
    'loses the last that happened',
    giving(transcript => ({ ...transcript, entries: transcript.entries.slice(0, -1) })),
    'reads its recordings into requests, answers, tools, times and project',
  ],
  [
    'gives times in seconds',
    giving(transcript => ({ ...transcript, endedAt: (transcript.endedAt ?? 0) / 1000 })),
    'reads its recordings into requests, answers, tools, times and project',
  ],
  ['takes sub-agents for people', taking('sub-agent'), 'leaves sub-agents out, and says so'],
  [
    'keeps quiet about what it left out',
    asking(() => ({ skip: () => {} })),
    'leaves sub-agents out, and says so',
  ],
  [
    'looks at home only',
    ({ places: _places, ...query }) => good.source.read(query),
    'gives the session that was written to last first, and reads a place that is given, be it a file',
  ],
  [
    'throws at a torn end',
    beforeReading(async file => {
      for (const line of (await readFile(file, 'utf8')).split('\n')) if (line !== '') JSON.parse(line)
    }),
    'loses nothing but what is torn, wherever the file ends',
  ],
  [
    'gives up a session with a torn line',
    givingUp,
    'finds the record that follows upon half a line or upon zeros',
  ],
  [
    'does not count what it does not know',
    asking(query => ({ skip: each => (each.reason === 'record' ? undefined : query.skip(each)) })),
    'counts records that it does not know, lines that are too long, and goes on',
  ],
  [
    'gives up a session with a strange record',
    givingUp,
    'neither throws at thousands of fuzzed records nor loses the good ones between them',
  ],
  ['redacts nothing', asking(() => ({ redact: text => text })), 'redacts every text'],
  [
    'shortens first',
    asking(query => ({ redact: (text, place) => query.redact(text.slice(0, 1_000), place) })),
    'redacts before it shortens',
  ],
  [
    'says when it last looked',
    beforeReading(async file => utimes(file, new Date(), new Date())),
    'touches nothing',
  ],
  [
    'does not listen',
    asking(() => ({ signal: new AbortController().signal })),
    'stops at once when it is told to',
  ],
  [
    'reads files whole',
    beforeReading(async file => void kept.push(await readFile(file, 'latin1'))),
    'takes no more memory for a larger file',
  ],
  [
    'gives everything, however old',
    ({ after: _after, ...query }) => good.source.read(query),
    'compares times as times, in whatever zone they are written',
  ],
  [
    'takes no folder for the one that it is in',
    asking(({ isWanted }) => ({ isWanted: project => isWanted(project ?? '') })),
    'asks for the project as it is written, and knows an empty or relative one for none',
  ],
  [
    'takes our own sessions for people’s',
    taking('own'),
    'leaves out what was made in a folder of ours, wanted or not',
  ],
  [
    'gives sessions without a request',
    taking('no-request'),
    'says what holds no request, and what cannot be read',
  ],
]

const database = sources.find(({ form }) => form === opencodeDatabase) as SourceUnderTest
const opened: Sqlite.Database[] = []
const brokenDatabases: readonly (readonly [string, Read, string])[] = [
  [
    'throws at a database that is cut off',
    query =>
      database.source.read({
        ...query,
        skip(skipped) {
          if (skipped.reason === 'unreadable') throw new Error(skipped.detail)
        },
      }),
    'loses nothing but what is torn, wherever the file ends',
  ],
  [
    'keeps quiet about a database that is cut off',
    query => database.source.read({ ...query, skip: () => {} }),
    'loses nothing but what is torn, wherever the file ends',
  ],
  [
    'opens a database as its agent does',
    async function* (query) {
      const home = join(query.user.home, '.local/share/opencode/opencode.db')
      const connection = new Sqlite(home)
      opened.push(connection)
      connection.prepare('SELECT count(*) FROM session').get()
      yield* database.source.read(query)
    },
    'touches nothing',
  ],
]

describe('the suite itself', () => {
  it.each(brokenDatabases)(
    'fails a source that %s',
    async (_fault, read, promise) => {
      const check = sourceChecksOf(database).find(({ name }) => name === promise)
      await expect(check?.run({ ...database, source: { ...database.source, read } })).rejects.toThrow()
      for (const connection of opened.splice(0)) connection.close()
    },
    60_000,
  )

  it.each(broken)(
    'fails a source that %s',
    async (_fault, read, promise) => {
      const check = sourceChecksOf(good).find(({ name }) => name === promise)
      await expect(check?.run({ ...good, source: { ...good.source, read } })).rejects.toThrow()
    },
    60_000,
  )

  it('has a broken source for every promise about reading, but that recordings are known', () => {
    const shown = new Set(broken.map(([, , promise]) => promise))
    const others = sourceChecksOf(good)
      .map(({ name }) => name)
      .filter(name => !shown.has(name))
    expect(others).toEqual([
      'looks where its agent writes, and where its variable says',
      'knows every record of its recordings',
    ])
  })
})
