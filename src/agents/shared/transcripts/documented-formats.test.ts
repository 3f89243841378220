import { utimes } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { asLines, readFiles } from '../../../../test/support/read-source.js'
import { source as cursor } from '../../cursor/transcripts.js'
import { source as devin } from '../../devin/transcripts.js'

/** Cases that the hand-written recordings do not cover, for agents that could not be run. */

describe('Cursor', () => {
  const session = 'home-dev-my-proj/agent-transcripts/s/s.jsonl'
  const user = (text: unknown) => ({ role: 'user', message: { content: [{ type: 'text', text }] } })
  const assistant = (...content: readonly unknown[]) => ({ role: 'assistant', message: { content } })
  const used = (input: unknown) => assistant({ type: 'tool_use', name: 'Read', input })
  const readIt = (...records: readonly unknown[]) => readFiles(cursor, { [session]: asLines(...records) })

  it('takes from a message what a person typed', async () => {
    const { said } = await readIt(
      user('<user_query>Before</user_query>\n<user_query>\nThe last\n</user_query>\n[Image]'),
      user('<dynamic_tools><tool>x</tool></dynamic_tools>'),
      user('Without anything around'),
      user('<div> looks wrong'),
      { role: 'user', message: { content: 'A text' } },
      assistant({ type: 'thinking', thinking: 'Hm' }, { type: 'text', text: 'Yes\n\n[REDACTED]' }),
      { role: 'assistant', message: { content: 'No' } },
    )
    expect(said).toEqual([
      '> The last',
      '> Without anything around',
      '> <div> looks wrong',
      '> A text',
      '< Yes',
      '< No',
    ])
  })

  it.each([
    ['Friday, Sep 4, 2026, 2:21 AM (UTC+8)', '2026-09-03T18:21:00.000Z'],
    ['Wednesday, Jun 3, 2026, 7:30 PM (UTC-7)', '2026-06-04T02:30:00.000Z'],
    ['Wednesday, Jun 3, 2026, 12:05 PM (UTC+5:30)', '2026-06-03T06:35:00.000Z'],
    ['Wednesday, Jun 3, 2026, 12:05 AM (UTC)', '2026-06-03T00:05:00.000Z'],
    ['Wednesday, Jun 3, 2026, 12:05 AM', undefined],
    ['now', undefined],
  ])('reads the time %s', async (written, time) => {
    const { transcripts } = await readIt(
      user(`<timestamp>${written}</timestamp>\n<user_query>\nMine\n</user_query>`),
    )
    const at = transcripts[0]?.entries[0]?.at
    expect(at === undefined ? undefined : new Date(at).toISOString()).toBe(time)
  })

  it('goes by when the file was written to', async () => {
    const [wroteAt, text] = [Date.UTC(2026, 10, 16, 12), asLines(user('Mine'))]
    const since = (after: number) =>
      readFiles(cursor, { [session]: text }, { after }, home =>
        utimes(`${home}/${session}`, wroteAt / 1000, wroteAt / 1000),
      )
    const { transcripts } = await since(wroteAt - 1)
    expect(transcripts.map(({ startedAt, endedAt }) => [startedAt, endedAt])).toEqual([[wroteAt, wroteAt]])
    expect((await since(wroteAt)).skipped).toEqual(['too-old 1 it was not written to since'])
  })

  it('knows the project by a path whose beginning its folder is named after', async () => {
    const at = async (...inputs: readonly unknown[]) =>
      (await readIt(user('Mine'), ...inputs.map(used))).transcripts[0]?.project
    expect(await at({ path: '/etc/hosts' }, { path: '/home/dev/my-proj/src/a.ts' })).toBe('/home/dev/my-proj')
    expect(await at({ working_directory: '/home/dev/my_proj' })).toBe('/home/dev/my_proj')
    expect(await at({ path: '/home/dev/my' }, { path: 'home/dev/my-proj' }, 'x', null)).toBeUndefined()
  })

  it('leaves sub-agents out, says what it does not read, and looks at nothing else', async () => {
    const text = asLines(user('Mine'))
    const { said, skipped } = await readFiles(cursor, {
      [session]: text,
      'p/agent-transcripts/t.jsonl': text,
      'p/agent-transcripts/s/subagents/u.jsonl': text,
      'p/agent-transcripts/old.txt': 'user:\nMine',
      'p/terminals/1.jsonl': text,
      'p/mcp-cache.json': '{}',
    })
    expect(said).toEqual(['> Mine', '> Mine'])
    expect([...skipped].sort()).toEqual([
      'sub-agent 1 by its name, it is a sub-agent’s',
      'unreadable 1 it is in an older form, which is not read',
    ])
  })
})

describe('Devin', () => {
  const step = (source: string, message: unknown, fields = {}) => ({ step_id: 1, source, message, ...fields })
  const readIt = (steps: readonly unknown[], files = {}) =>
    readFiles(devin, { 't/a-b.json': JSON.stringify({ schema_version: 'ATIF-v1.7', steps }), ...files })

  it('looks where each system has it', () => {
    const places = (platform: NodeJS.Platform, env = {}) => devin.places({ home: '/home/dev', platform, env })
    expect(places('win32', { APPDATA: '/data' })).toEqual(['/data/devin/cli/transcripts'])
    expect(places('darwin')).toEqual(['/home/dev/.local/share/devin/cli/transcripts'])
  })

  it('names a session that does not say its name after its file', async () => {
    expect((await readIt([step('user', 'Mine')])).transcripts.map(({ id }) => id)).toEqual(['a-b'])
  })

  it('reads the format of older versions, and leaves out repetitions', async () => {
    const { said, skipped } = await readIt([
      step('', 'Mine', { metadata: { is_user_input: true, created_at: '2026-11-16T11:00:00Z' } }),
      { step_id: 2, role: 'assistant', message: 'Yes' },
      step('user', 'Again', { is_copied_context: true }),
      step('system', 'Be good'),
      step('observer', 'I see'),
      step('agent', '', { metadata: { finish_reason: 'cancelled' } }),
    ])
    expect(said).toEqual(['> Mine', '< Yes', 'x cancelled'])
    expect(skipped).toEqual(['record 1 records of the unknown kind "step of observer"'])
  })

  it('assigns a result to the only call', async () => {
    const call = { tool_call_id: 'c', function_name: 'exec', arguments: {} }
    const results = [{ content: [{ type: 'text', text: 'Out' }], extra: { is_error: true } }]
    const { transcripts } = await readIt([
      step('user', 'Mine'),
      step('agent', '', { tool_calls: [call], observation: { results } }),
      step('agent', '', { tool_calls: [call, { ...call, tool_call_id: 'd' }], observation: { results } }),
    ])
    expect(transcripts[0]?.entries.slice(1)).toEqual([
      { kind: 'tool', name: 'exec', input: '{}', output: 'Out', failed: true },
      { kind: 'tool', name: 'exec', input: '{}' },
      { kind: 'tool', name: 'exec', input: '{}' },
    ])
  })

  it('takes a session whose folder cannot be looked up, and says why it cannot', async () => {
    const { transcripts, skipped } = await readIt([step('user', 'Mine')], { 'sessions.db': 'no database' })
    expect(transcripts.map(({ project }) => project)).toEqual([undefined])
    expect(skipped).toEqual([
      'record 1 folders, which the database of sessions tells: it is not a SQLite database',
    ])
  })
})
