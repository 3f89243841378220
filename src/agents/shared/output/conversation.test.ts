import { expect, it } from 'vitest'
import { Conversation } from './conversation.js'

const look = { id: 'a', name: 'look', arguments: '{}' }
const read = { id: 'b', name: 'read', arguments: '{}' }

it('joins pieces of one utterance and keeps others apart', () => {
  const conversation = new Conversation()
  conversation.said('The ', '1')
  conversation.said('lamp.', '1')
  conversation.said('Another.', '2')
  conversation.said('Alone.')
  conversation.said('Alone too.')
  expect(conversation.messages.map(message => message.text)).toEqual([
    'The lamp.',
    'Another.',
    'Alone.',
    'Alone too.',
  ])
})

it('attaches calls to the text before them, and each only once', () => {
  const conversation = new Conversation()
  conversation.said('I look.')
  conversation.called(look)
  conversation.called(read)
  conversation.called(look)
  conversation.returned('a', 'a lamp')
  conversation.called({ ...look, id: 'c' })
  expect(conversation.messages).toEqual([
    { role: 'assistant', text: 'I look.', toolCalls: [look, read] },
    { role: 'tool', text: 'a lamp', toolCallId: 'a' },
    { role: 'assistant', text: '', toolCalls: [{ ...look, id: 'c' }] },
  ])
})

it('does not join an utterance over a result', () => {
  const conversation = new Conversation()
  conversation.said('one', '1')
  conversation.returned('a', 'x')
  conversation.said('two', '1')
  expect(conversation.messages.map(message => message.role)).toEqual(['assistant', 'tool', 'assistant'])
})
