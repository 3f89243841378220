import { describe, expect, it } from 'vitest'
import type { Transcript, TranscriptEntry } from '../../core/transcript/transcript.js'
import { wasReworked } from '../model/session-request.js'
import { requestsOf, withoutCopies } from './requests.js'

function session(entries: readonly (string | TranscriptEntry)[], id = 'one'): Transcript {
  return {
    source: 'claude-code',
    id,
    file: `${id}.jsonl`,
    project: '/home/ada/shop',
    branch: undefined,
    startedAt: 0,
    endedAt: undefined,
    entries: entries.map((entry, at) =>
      typeof entry === 'string' ? { kind: 'prompt', text: entry, at } : entry,
    ),
    skills: ['pdf'],
  }
}

const answer = (text: string): TranscriptEntry => ({ kind: 'answer', text })
const kinds = (transcript: Transcript) =>
  requestsOf(transcript).map(({ text, evidence }) => [text, evidence.map(({ kind }) => kind)])

describe('requestsOf', () => {
  it('splits a session into requests with their evidence', () => {
    const failed: TranscriptEntry = { kind: 'tool', name: 'bash', failed: true }
    const found = requestsOf(
      session([
        'fix the test in src/a.ts',
        failed,
        { kind: 'tool', name: 'bash' },
        answer('Almost.'),
        answer('Done.'),
        'now write the changelog',
        answer('Written.'),
      ]),
    )
    expect(found).toMatchObject([
      {
        text: 'fix the test in src/a.ts',
        session: 'claude-code:one',
        before: [],
        answer: 'Done.',
        tools: [{ name: 'bash', calls: 2, failures: 1 }],
        skills: ['pdf'],
        at: 0,
      },
      {
        text: 'now write the changelog',
        before: ['fix the test in src/a.ts'],
        answer: 'Written.',
        tools: [],
        at: 5,
      },
    ])
    expect(new Set(found.map(({ id }) => id)).size).toBe(2)
  })

  it('keeps the beginning and the end of long texts', () => {
    const long = `fix ${'very '.repeat(4_000)}much`
    const [, request] = requestsOf(session([long, answer(long), `now ${long}`, answer(long)]))
    expect(request?.text.length).toBeLessThanOrEqual(4_000)
    expect(request?.answer?.length).toBeLessThanOrEqual(1_500)
    expect(request?.before[0]?.length).toBeLessThanOrEqual(600)
    expect(request?.text).toMatch(/^now fix very .*characters left out here.*much$/s)
  })

  it('records corrections as evidence about the previous request', () => {
    const [request, ...others] = requestsOf(
      session([
        'fix the test in src/a.ts',
        answer('Done.'),
        'no, the other test',
        answer('Sorry.'),
        'undo that',
      ]),
    )
    expect(others).toEqual([])
    expect(request?.evidence).toEqual([
      { kind: 'correction', text: 'no, the other test', at: 2 },
      { kind: 'undo', text: 'undo that', at: 4 },
    ])
    // The last answer was taken back, so it is no example of a good one.
    expect(request?.answer).toBeUndefined()
    expect(request !== undefined && wasReworked(request)).toBe(true)
  })

  it('treats the first prompt as a request, whatever its words', () => {
    expect(kinds(session(['no, this cannot be right: the tests are red']))).toEqual([
      ['no, this cannot be right: the tests are red', []],
    ])
  })

  it('detects a repeated request, but not one with another file', () => {
    expect(
      kinds(
        session(['fix the test in src/a.ts', 'please fix the test in src/a.ts', 'fix the test in src/b.ts']),
      ),
    ).toEqual([
      ['fix the test in src/a.ts', ['asked-again']],
      ['fix the test in src/b.ts', []],
    ])
  })

  it('separates praise from a request that follows it', () => {
    const found = requestsOf(session(['fix the failing test', 'Thanks! Now write the changelog']))
    expect(found.map(({ text }) => text)).toEqual(['fix the failing test', 'Now write the changelog'])
    expect(found[0]?.evidence).toMatchObject([{ kind: 'praise' }])
    expect(found.some(wasReworked)).toBe(false)
  })

  it('ignores commands, answers to the agent and injected text', () => {
    expect(
      kinds(
        session([
          '<system-reminder>x</system-reminder>',
          '/clear',
          'fix the failing test',
          answer('Shall I delete the old one?'),
          'no, keep the old one',
          'yes',
          'fix it',
        ]),
      ),
    ).toEqual([['fix the failing test', []]])
  })

  it('detects that a person stopped it', () => {
    const [request] = requestsOf(session(['fix the failing test', { kind: 'broken-off', text: 'stopped' }]))
    expect(request !== undefined && wasReworked(request)).toBe(true)
  })

  it('finds nothing in an empty session', () => {
    expect(requestsOf(session([]))).toEqual([])
    expect(requestsOf(session([answer('Hello.')]))).toEqual([])
  })
})

describe('withoutCopies', () => {
  it('counts a request copied by a continued session once', () => {
    const first = requestsOf(session(['fix the failing test', 'write the changelog'], 'one'))
    const resumed = requestsOf(
      session(['fix the failing test', 'write the changelog', 'release it, please'], 'two'),
    )
    expect(withoutCopies([...first, ...resumed]).map(({ session: from, text }) => [from, text])).toEqual([
      ['claude-code:one', 'fix the failing test'],
      ['claude-code:one', 'write the changelog'],
      ['claude-code:two', 'release it, please'],
    ])
  })

  it('keeps requests without a time', () => {
    const [request] = requestsOf(session([{ kind: 'prompt', text: 'fix the failing test' }]))
    expect(request === undefined ? [] : withoutCopies([request, request])).toHaveLength(2)
  })
})
