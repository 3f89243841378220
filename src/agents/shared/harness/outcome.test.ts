import { describe, expect, it } from 'vitest'
import type { AgentReading } from '../output/reading.js'
import { outcomeOf } from './outcome.js'

const agent = { title: 'Codex', login: 'Run `codex login`.' }
const end = {
  exitCode: 0,
  signal: undefined,
  timedOut: false,
  exceededOutput: false,
  stoppedByReader: false,
  truncated: false,
  stderr: '\u001b[31mReconnecting\u001b[0m\n  3 of 5\n',
}
const around = { end, seconds: 90, isTaskLimit: false, tools: undefined, secrets: ['the-key'] } as const
const seen = {
  messages: [{ role: 'assistant', text: 'Well.' }],
  usage: { input: 5 },
  cost: 0.5,
  skipped: 1,
} as const
const answered: AgentReading = { ...seen, answer: '4', stop: 'answered' }
const failing = (kind: 'login' | 'server', message = 'it broke'): AgentReading => ({
  ...seen,
  failure: { kind, message, retryable: kind === 'server' },
})
const silent: AgentReading = { ...failing('server'), messages: [] }

describe('an agent that answered', () => {
  it('has said how it went', () => {
    expect(outcomeOf(agent, answered, around)).toEqual({ status: 'ended', ...answered, calls: [] })
  })

  it.each([
    ['answered', 'limit', 'turn-limit'],
    ['refusal', 'limit', 'refusal'],
    ['answered', 'done', 'answered'],
    ['answered', 'under-way', 'answered'],
  ] as const)('%s, when the turns with its world are %s, as %s', (stop, turns, wanted) => {
    const calls = [{ tool: 'reply', arguments: '{}' }]
    const tools = { turns: () => turns, calls: () => calls }
    expect(outcomeOf(agent, { ...answered, stop }, { ...around, tools })).toMatchObject({
      stop: wanted,
      calls,
    })
  })
})

describe('an agent that failed', () => {
  it('is quoted, with what it did and used, and without keys', () => {
    expect(outcomeOf(agent, failing('server', 'no the-key, no sk-abcdefgh'), around)).toMatchObject({
      status: 'failed',
      ...seen,
      failure: {
        kind: 'server',
        message: 'Codex: no [redacted], no [redacted]',
        retryable: true,
        mayHaveCost: true,
        hint: undefined,
      },
    })
  })

  it('has used what it told of, where its server refused to do anything', () => {
    const spent = { usage: { input: 5 }, cost: 0.5 }
    expect(outcomeOf(agent, failing('login'), around)).toMatchObject({ failure: { spent } })
    expect(outcomeOf(agent, failing('server'), around)).toMatchObject({ failure: { spent: undefined } })
  })

  it('for lack of a login gets a hint on how to log in', () => {
    expect(outcomeOf(agent, failing('login'), around)).toMatchObject({
      failure: { hint: 'Run `codex login`.' },
    })
  })

  it('before it began has cost nothing', () => {
    expect(outcomeOf(agent, silent, around)).toMatchObject({ failure: { mayHaveCost: false } })
  })
})

describe('an agent that was ended', () => {
  const late = { ...around, end: { ...end, timedOut: true, exitCode: undefined } }
  const loud = { ...around, end: { ...end, exceededOutput: true, exitCode: undefined } }

  it('by our own clock is an external failure', () => {
    expect(outcomeOf(agent, failing('server'), late)).toMatchObject({
      status: 'failed',
      messages: seen.messages,
      failure: {
        kind: 'timeout',
        retryable: true,
        message: 'Codex did not finish within 90 s. It said: Reconnecting 3 of 5',
      },
    })
    const quiet = { ...late, end: { ...late.end, stderr: '' } }
    expect(outcomeOf(agent, silent, quiet)).toMatchObject({
      failure: { message: 'Codex did not finish within 90 s. It printed no error.' },
    })
  })

  it('by the limit of the task is scored by what it did until then, if it had begun', () => {
    const cut = { status: 'ended', ...seen, answer: 'Well.', calls: [], stop: 'time-limit' }
    expect(outcomeOf(agent, failing('server'), { ...late, isTaskLimit: true })).toEqual(cut)
    expect(outcomeOf(agent, silent, { ...late, isTaskLimit: true })).toMatchObject({
      failure: { kind: 'timeout' },
    })
  })

  it('for too much output is scored too, if it had begun', () => {
    expect(outcomeOf(agent, failing('server'), loud)).toMatchObject({ status: 'ended', stop: 'output-limit' })
    expect(outcomeOf(agent, silent, loud)).toMatchObject({ status: 'failed', failure: { kind: 'server' } })
  })
})
