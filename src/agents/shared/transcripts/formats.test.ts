import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { timeLimit } from '../../../../test/support/time-limit.js'
import type { Skipped, Transcript, TranscriptSource } from '../../../core/transcript/transcript.js'
import { source as claudeCode } from '../../claude-code/transcripts.js'
import { source as codex } from '../../codex/transcripts.js'
import { source as copilot } from '../../copilot/transcripts.js'
import { source as gemini } from '../../gemini/transcripts.js'
import { source as pi } from '../../pi/transcripts.js'
import { source as qwenCode } from '../../qwen-code/transcripts.js'

/** Cases that the recordings do not cover: older versions, and things that users do but a script does not. */

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'formats-'))
})
afterEach(() => rm(home, { recursive: true }))

async function read(source: TranscriptSource, name: string, records: readonly unknown[]) {
  const file = join(home, name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, records.map(record => JSON.stringify(record)).join('\n'))
  const transcripts: Transcript[] = []
  const skipped: Skipped[] = []
  for await (const transcript of source.read({
    user: { home, env: {}, platform: 'linux' },
    places: [home],
    isWanted: () => true,
    redact: text => text,
    skip: each => void skipped.push(each),
    signal: new AbortController().signal,
  }))
    transcripts.push(transcript)
  const said = transcripts.flatMap(({ entries }) =>
    entries.map(entry => (entry.kind === 'tool' ? `tool ${entry.name}` : `${entry.kind} ${entry.text}`)),
  )
  return { said, reasons: skipped.map(({ reason }) => reason), transcript: transcripts[0] }
}

describe('Claude Code', () => {
  const user = (content: unknown, fields = {}) => ({ type: 'user', message: { content }, ...fields })
  const readIt = (...records: unknown[]) => read(claudeCode, 'p/session.jsonl', records)

  it('takes from a message what a person typed', async () => {
    const { said } = await readIt(
      user('<system-reminder>Be good.</system-reminder>Fix it\n<ide_opened_file>a.ts</ide_opened_file>'),
      user('<local-command-stdout>text</local-command-stdout>'),
      user([{ type: 'text', text: 'See this' }, { type: 'image' }]),
      user('A summary of all', { isCompactSummary: true }),
      user('Caveat: nothing', { isMeta: true }),
      user('[Request interrupted by user for tool use]'),
    )
    expect(said).toEqual([
      'prompt Fix it',
      'prompt See this',
      'broken-off [Request interrupted by user for tool use]',
    ])
  })

  it('treats a command as a request if it has arguments or is a skill', async () => {
    const bare = (name: string) =>
      user(`<command-name>/${name}</command-name>\n<command-args></command-args>`)
    const { said, transcript } = await readIt(
      bare('clear'),
      user('<command-name>/review</command-name>\n<command-args>the last commit</command-args>'),
      bare('tidy'),
      user([{ type: 'text', text: 'Base directory for this skill: /p/.claude/skills/tidy\n\nTidy.' }], {
        isMeta: true,
      }),
    )
    expect(said).toEqual(['prompt /review the last commit', 'prompt /tidy'])
    expect(transcript?.skills).toEqual(['tidy'])
  })

  it('leaves side chains out, and a session of nothing else', async () => {
    const side = user('For the sub-agent', { isSidechain: true })
    expect((await readIt(user('Mine'), side)).said).toEqual(['prompt Mine'])
    expect((await readIt(side)).reasons).toEqual(['sub-agent'])
  })
})

describe('texts that are all beginnings', () => {
  const long = 200_000

  it('take no time', async () => {
    const began = performance.now()
    const texts = ['<command-name>'.padEnd(long), '<bash-input>'.repeat(long)]
    await read(
      claudeCode,
      'p/session.jsonl',
      texts.map(content => ({ type: 'user', message: { content } })),
    )
    const workspace = `<session_context>**Workspace Directories:**${'\n'.repeat(long)}`
    await read(gemini, 'p/chats/session-1.jsonl', [
      { sessionId: 's', kind: 'main' },
      { id: '1', type: 'user', content: [{ text: workspace }] },
    ])
    expect(performance.now() - began).toBeLessThan(timeLimit(5000))
  })
})

describe('Codex', () => {
  const item = (payload: unknown) => ({ type: 'response_item', payload })
  const event = (payload: unknown) => ({ type: 'event_msg', payload })
  const words = (role: string, text: string) => item({ type: 'message', role, content: [{ text }] })
  const readIt = (...records: unknown[]) => read(codex, 'rollout-1.jsonl', records)

  it('reads versions that do not mark who wrote a message', async () => {
    const { said } = await readIt(
      words('user', '<environment_context>x</environment_context>'),
      words('user', '# AGENTS.md instructions for /p'),
      words('user', 'Fix it'),
      event({ type: 'user_message', message: 'Fix it' }),
      event({ type: 'user_message', message: 'Rules', kind: 'user_instructions' }),
      event({ type: 'agent_message', message: 'Done' }),
      words('assistant', 'Done'),
    )
    expect(said).toEqual(['prompt Fix it', 'answer Done'])
  })

  it('keeps what was asked twice', async () => {
    const again = [words('user', 'Go on'), event({ type: 'user_message', message: 'Go on' })]
    expect((await readIt(...again, ...again)).said).toEqual(['prompt Go on', 'prompt Go on'])
  })

  it('recognises failed commands, interruptions and threads that are not a person’s', async () => {
    const { said, transcript } = await readIt(
      event({ type: 'user_message', message: 'Run it' }),
      item({ type: 'local_shell_call', call_id: 'c', action: { command: ['false'] } }),
      item({ type: 'function_call_output', call_id: 'c', output: 'Exit code: 1\nWall time: 0 s' }),
      event({ type: 'turn_aborted', reason: 'interrupted' }),
    )
    expect(said).toEqual(['prompt Run it', 'tool shell', 'broken-off interrupted'])
    expect(transcript?.entries[1]).toMatchObject({ failed: true })
    const meta = { type: 'session_meta', payload: { id: 'x', thread_source: 'memory' } }
    expect((await readIt(meta, words('user', 'Remember'))).reasons).toEqual(['sub-agent'])
  })
})

describe('Gemini CLI', () => {
  const user = (id: string, text: string) => ({ id, type: 'user', content: [{ text }] })
  const readIt = (...records: unknown[]) =>
    read(gemini, 'p/chats/session-1.jsonl', [{ sessionId: 's', kind: 'main' }, ...records])

  it('takes the last of what is written again, and keeps what is only forgotten', async () => {
    const { said } = await readIt(
      user('a', 'One'),
      { id: 'b', type: 'gemini', content: '' },
      { id: 'b', type: 'gemini', content: 'Yes', toolCalls: [{ id: 't', name: 'ls' }] },
      { $set: { messages: [{ id: 'b', type: 'gemini', content: 'Yes' }, user('c', 'Two')] } },
    )
    expect(said).toEqual(['prompt One', 'answer Yes', 'tool ls', 'prompt Two'])
  })

  it('leaves out what a person went back from', async () => {
    const { said } = await readIt(
      user('a', 'One'),
      user('b', 'Wrong'),
      { $rewindTo: 'b' },
      user('c', 'Right'),
    )
    expect(said).toEqual(['prompt One', 'prompt Right'])
  })

  it('says that it does not read the older form', async () => {
    expect((await read(gemini, 'p/chats/session-1.json', [{}])).reasons).toEqual(['unreadable'])
  })
})

describe('pi', () => {
  const message = (id: string, parentId: string | null, text: string) => ({
    type: 'message',
    id,
    parentId,
    message: { role: 'user', content: text },
  })
  const readIt = (...records: unknown[]) =>
    read(pi, 's.jsonl', [{ type: 'session', id: 's', cwd: '/p' }, ...records])

  it('keeps the branch to the last entry', async () => {
    const { said } = await readIt(
      message('a', null, 'One'),
      message('b', 'a', 'Wrong'),
      message('c', 'b', 'Worse'),
      message('d', 'a', 'Right'),
    )
    expect(said).toEqual(['prompt One', 'prompt Right'])
  })

  it('continues if an entry is lost, and reads sessions without a tree', async () => {
    const { said } = await readIt(message('a', null, 'One'), message('c', 'lost', 'Two'))
    expect(said).toEqual(['prompt One', 'prompt Two'])
    const linear = { type: 'message', message: { role: 'user', content: 'Old' } }
    expect((await readIt(linear, linear)).said).toEqual(['prompt Old', 'prompt Old'])
  })

  it('ends where entries are each other’s parents', async () => {
    const { said } = await readIt(
      message('a', 'b', 'One'),
      message('b', 'a', 'Two'),
      message('a', 'b', 'Three'),
    )
    expect(said).toEqual(['prompt Three', 'prompt Two'])
  })
})

describe('Qwen Code', () => {
  it('leaves out what was not typed, and what a person went back from', async () => {
    const user = (uuid: string, parentUuid: string | null, text: string, fields = {}) => ({
      type: 'user',
      uuid,
      parentUuid,
      message: { parts: [{ text }] },
      ...fields,
    })
    const { said } = await read(qwenCode, 's.jsonl', [
      user('a', null, 'One', { provenance: 'real_user' }),
      user('b', 'a', 'Time is up', { subtype: 'notification' }),
      user('c', 'b', 'Hook', { provenance: 'system' }),
      user('d', 'c', 'Wrong'),
      user('e', 'c', 'Look at\n\n/etc/hosts please'),
    ])
    expect(said).toEqual(['prompt One', 'prompt Look at\n\n/etc/hosts please'])
  })
})

describe('GitHub Copilot CLI', () => {
  it('leaves out what sub-agents and the program say', async () => {
    const user = (content: string, data = {}, fields = {}) => ({
      type: 'user.message',
      data: { content, ...data },
      ...fields,
    })
    const { said } = await read(copilot, 's/events.jsonl', [
      user('Mine'),
      user('For the sub-agent', {}, { agentId: 'x' }),
      user('From a skill', { source: 'skill-notes' }),
      { type: 'abort', data: { reason: 'user initiated' } },
    ])
    expect(said).toEqual(['prompt Mine', 'broken-off user initiated'])
  })
})
