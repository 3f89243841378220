import { expect, it } from 'vitest'
import type { Session } from '../../core/ports/environment.js'
import type { ModelRequest } from '../../core/ports/model.js'
import { createHarness } from './chat.js'

// Covers only what is specific to this harness; test/conformance/harness.ts covers the common contract.

function sessionOf(fields: Partial<Session>): Session {
  return {
    instructions: '',
    prompt: 'Q',
    skillAt: 'system',
    tools: [],
    turnLimit: 1,
    close: async () => undefined,
    ...fields,
  }
}

async function firstRequest(session: Session, skill: string): Promise<ModelRequest | undefined> {
  const requests: ModelRequest[] = []
  const call = async (request: ModelRequest) => {
    requests.push(request)
    return { text: 'A', stop: 'stop' as const, usage: {} }
  }
  await createHarness().run(
    { session, skill, call, reopen: async () => session },
    new AbortController().signal,
  )
  return requests[0]
}

it('says what it can do', () => {
  expect(createHarness()).toMatchObject({
    id: 'chat',
    supports: ['chat', 'tools', 'turns', 'images', 'documents'],
  })
})

it('has no system message if there is nothing to say in it', async () => {
  expect((await firstRequest(sessionOf({}), ' \n'))?.messages).toEqual([{ role: 'user', text: 'Q' }])
})

it('separates the parts by blank lines, and sends no empty list of tools', async () => {
  const request = await firstRequest(sessionOf({ instructions: 'Rules.' }), 'Do it.')
  expect(request).toEqual({
    messages: [
      { role: 'system', text: 'Rules.\n\n## Skill\n\nDo it.' },
      { role: 'user', text: 'Q' },
    ],
  })
  const atUser = await firstRequest(sessionOf({ instructions: 'Rules.', skillAt: 'user' }), 'Do it.')
  expect(atUser?.messages).toEqual([
    { role: 'system', text: 'Rules.' },
    { role: 'user', text: '## Skill\n\nDo it.\n\nQ' },
  ])
})

it('keeps no words of a prompt that did not fit', async () => {
  const call = async () => ({ text: '', stop: 'context-overflow' as const, usage: {} })
  const trajectory = await createHarness().run(
    { session: sessionOf({}), skill: '', call, reopen: async () => sessionOf({}) },
    new AbortController().signal,
  )
  expect(trajectory).toEqual({
    messages: [{ role: 'user', text: 'Q' }],
    answer: '',
    stop: 'context-overflow',
  })
})
