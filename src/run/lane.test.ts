import { describe, expect, it } from 'vitest'
import { WorldFailure } from '../core/errors/errors.js'
import type { Model } from '../core/ports/model.js'
import { brokenProvider, Lane } from './lane.js'

const agent = { title: 'Codex', version: '1.0.0', ownTokens: 0, isBounded: true, warnings: [] }

function pauseBy(failure: WorldFailure, traits: Partial<Model> = {}) {
  const model: Model = {
    id: 'codex/gpt-5.2',
    parameters: {},
    maxOutputTokens: 10,
    price: undefined,
    generate: () => Promise.reject(failure),
    ...traits,
  }
  const lane = new Lane('target', { model, concurrency: 1, retries: 0, timeoutMs: 1000 })
  return brokenProvider(lane, failure, { tries: 1, final: true, firstFailureAt: 0 })
}

describe('the advice when an account has reached its limit', () => {
  const quota = new WorldFailure('quota', "Codex: You've hit your usage limit.", { retryable: false })

  it('is to pay, for the account of a provider', () => {
    expect(pauseBy(quota)?.hint).toMatch(
      /^Raise the quota or top up the account, then rerun the same command/,
    )
  })

  it('is to wait, for the subscription of an agent', () => {
    const paused = pauseBy(quota, { agent })
    expect(paused?.message).toBe(
      "Calls to the target model codex/gpt-5.2 cannot succeed: Codex: You've hit your usage limit.",
    )
    expect(paused?.hint).toMatch(/^Wait until the limit resets, or raise it.*, then rerun the same command/)
  })

  it('is the same as for a model, if an agent fails for any other reason', () => {
    const missing = new WorldFailure('not-found', 'no such model', { retryable: false })
    expect(pauseBy(missing, { agent })?.hint).toBe(pauseBy(missing)?.hint)
  })

  it('is what the failure itself says, if it does', () => {
    const failure = new WorldFailure('login', 'who?', { retryable: false, hint: 'Run `codex login`.' })
    expect(pauseBy(failure, { agent })?.hint).toBe('Run `codex login`.')
  })
})
