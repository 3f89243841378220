import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { InputError } from '../../core/errors/errors.js'
import { readMessage } from '../../core/task/messages.js'
import type { StoredMessage } from '../../core/task/task.js'
import { readRun } from '../../store/read-run.js'
import { type GbrainResult, runGbrain } from './index.js'

interface Asked {
  readonly role: string
  readonly system: string
  readonly user: string
}

/** Every request that a model received in a run. */
async function requestsIn(directory: string): Promise<Asked[]> {
  const run = await readRun(directory)
  const requests: Asked[] = []
  for await (const { type, body } of run.events()) {
    if (type !== 'call.finished') continue
    const messages = await Promise.all(
      body.messages.map(stored => readMessage(stored as StoredMessage, run.get)),
    )
    const said = (isWanted: (role: string) => boolean) =>
      messages
        .filter(({ role }) => isWanted(role))
        .map(({ text }) => text)
        .join('\n')
    requests.push({
      role: body.role,
      system: said(role => role === 'system'),
      user: said(role => role !== 'system'),
    })
  }
  return requests
}

describe('a skill of the set, taught by nights', () => {
  let keep = ''
  let result: GbrainResult | undefined
  beforeAll(async () => {
    keep = await mkdtemp(join(tmpdir(), 'gbrain-night-'))
    const options = { skill: 'brief-writer', nights: 2, seed: 2, gate: true, keep: join(keep, 'kept') }
    result = (await runGbrain(options))[0]
  })
  afterAll(() => rm(keep, { recursive: true }))

  it('rises on what the set holds out, by what it was taught', () => {
    expect(result?.nights.map(night => night.result.outcome)).toContain('proposed')
    expect(result?.measured).toMatchObject({ tasks: 6, attempts: 24, before: { mean: 0 } })
    expect(result?.measured.difference.low).toBeGreaterThan(0)
    expect(result?.learned).toMatch(/Key Risks/)
    expect(result?.nights[0]?.document).toContain('# Brief Writer')
  })

  it('shows no model a check: the target sees the request, and the optimizer what the scorer says', async () => {
    const [night] = result?.nights ?? []
    const run = night?.result.targets[0]?.run ?? ''
    const requests = await requestsIn(join(night?.result.night?.folder ?? '', run))
    const of = (role: string) => requests.filter(asked => asked.role === role)
    expect(of('target').length).toBeGreaterThan(20)
    expect(of('optimizer').length).toBeGreaterThan(0)
    for (const { system, user } of of('target')) {
      expect(user).toMatch(/^Write a brief on /)
      expect(user).not.toMatch(/Key Risks|onfidence/)
      expect(system).not.toMatch(/\[Cc\]|section_present|regex/)
    }
    for (const { user } of of('optimizer')) {
      expect(user).not.toMatch(/section_present|"op":"regex"|"checks"|hd-0/)
      const scorersWords = user.split('\n').filter(line => line.includes('[Cc]onfidence'))
      for (const line of scorersWords) expect(line).toMatch(/^\d of 2 checks passed\. /)
    }
    const heldOut = ['technical cofounder', 'near its customers', 'legacy API', 'GraphQL']
    const learning = of('optimizer').map(({ user }) => user)
    expect(heldOut.filter(topic => learning.some(text => text.includes(topic)))).toEqual([])
  })
})

it('lists the skills if an unknown one is named', async () => {
  const refused = await runGbrain({ skill: 'brief-witer', nights: 1, seed: 1, gate: true }).catch(
    (error: unknown) => error,
  )
  expect(refused).toBeInstanceOf(InputError)
  expect(refused).toMatchObject({
    message: 'The set gbrain has no skill called brief-witer.',
    hint: 'Did you mean brief-writer? It has brief-writer, thorough-analyst, advisor, quick-answerer.',
  })
})
