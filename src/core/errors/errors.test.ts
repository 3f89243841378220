import { describe, expect, it } from 'vitest'
import {
  CapReachedError,
  InputError,
  InterruptedError,
  messageOf,
  PausedError,
  type SkillOptError,
  stopsRun,
  WorldFailure,
} from './errors.js'

const lost = () => new WorldFailure('transport', 'connection lost', { retryable: true })

describe('errors', () => {
  it.each<[SkillOptError, string, string, number]>([
    [new InputError('no such file'), 'InputError', 'bad-input', 2],
    [lost(), 'WorldFailure', 'world-failure', 3],
    [new PausedError('key refused'), 'PausedError', 'paused', 3],
    [new CapReachedError('maxCost', 'enough'), 'CapReachedError', 'cap-reached', 4],
    [new InterruptedError('stopped'), 'InterruptedError', 'interrupted', 130],
  ])('%s has the name, the code and the exit code that scripts rely on', (error, name, code, exitCode) => {
    expect(error).toMatchObject({ name, code, exitCode })
  })

  it('carry hint and cause, and no empty cause', () => {
    const cause = new Error('why')
    expect(new PausedError('waits', { hint: 'do this', cause })).toMatchObject({ hint: 'do this', cause })
    expect(new PausedError('waits').hint).toBeUndefined()
    expect('cause' in new PausedError('waits')).toBe(false)
  })

  it('of a failed call carry advice and whether it may have cost something', () => {
    expect(lost()).toMatchObject({ kind: 'transport', retryable: true, mayHaveCost: false })
    const limited = new WorldFailure('rate-limit', 'slow down', {
      retryable: true,
      retryAfterMs: 1500,
      mayHaveCost: true,
      hint: 'wait',
    })
    expect(limited).toMatchObject({ retryAfterMs: 1500, mayHaveCost: true, hint: 'wait' })
  })

  it('name the cap that was reached, and what to do', () => {
    expect(new CapReachedError('maxTokens', 'enough', { hint: 'raise it' })).toMatchObject({
      cap: 'maxTokens',
      message: 'enough',
      hint: 'raise it',
    })
  })
})

describe('endsTheRun', () => {
  it('is true of a pause, a cap and an interruption, and of nothing else', () => {
    for (const error of [new PausedError(''), new CapReachedError('maxTime', ''), new InterruptedError('')])
      expect(stopsRun(error)).toBe(true)
    for (const error of [lost(), new InputError(''), new Error(''), undefined])
      expect(stopsRun(error)).toBe(false)
  })
})

describe('messageOf', () => {
  it('is the message of an error, and the text of anything else that was thrown', () => {
    expect(messageOf(new TypeError('not a function'))).toBe('not a function')
    expect(messageOf('a string')).toBe('a string')
    expect(messageOf(undefined)).toBe('undefined')
  })
})
