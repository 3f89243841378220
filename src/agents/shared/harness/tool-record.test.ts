import { describe, expect, it } from 'vitest'
import { fakeSession } from '../../../../test/support/fake-agent.js'
import type { Session } from '../../../core/ports/environment.js'
import { overhear } from './tool-record.js'

const { signal } = new AbortController()

describe('overhear', () => {
  it('gives turns and calls of tools as a conversation', async () => {
    const answers = ['You see a door.', 'done'] as const
    let turn = 0
    const look = {
      name: 'look',
      description: 'Looks.',
      parameters: {},
      call: async (given: string) => `nothing at ${given}`,
    }
    const { session, conversation } = overhear(
      fakeSession({ tools: [look], reply: async () => answers[turn++] ?? 'done' }),
    )
    expect(await session.reply?.('I look around.')).toBe('You see a door.')
    expect(await session.tools[0]?.call('{"at":"door"}', signal)).toBe('nothing at {"at":"door"}')
    expect(await session.reply?.('I leave.')).toBe('done')
    expect(conversation()).toEqual([
      { role: 'assistant', text: 'I look around.' },
      { role: 'user', text: 'You see a door.' },
      {
        role: 'assistant',
        text: '',
        toolCalls: [{ id: 'call-2', name: 'look', arguments: '{"at":"door"}' }],
      },
      { role: 'tool', text: 'nothing at {"at":"door"}', toolCallId: 'call-2' },
      { role: 'assistant', text: 'I leave.' },
    ])
  })

  it('leaves a session alone if the environment does not reply', () => {
    const session = fakeSession()
    const overheard = overhear(session)
    expect(overheard.session).toBe(session)
    expect(overheard.conversation()).toBeUndefined()
  })

  it('takes a session that is an object of a class', async () => {
    class Lamp implements Session {
      readonly skillAt = 'system'
      readonly tools = []
      readonly turnLimit = 3
      #isLit = false
      get instructions() {
        return this.#isLit ? 'The lamp is lit.' : 'The lamp is out.'
      }
      get prompt() {
        return 'Light it.'
      }
      async reply() {
        this.#isLit = true
        return 'done'
      }
      async close() {}
    }
    const { session, conversation } = overhear(new Lamp())
    expect(session).toMatchObject({ instructions: 'The lamp is out.', prompt: 'Light it.', turnLimit: 3 })
    await session.reply?.('I strike a match.')
    expect(session.instructions).toBe('The lamp is lit.')
    expect(conversation()).toEqual([{ role: 'assistant', text: 'I strike a match.' }])
  })
})
