import { expect, it } from 'vitest'
import { Conversation } from './conversation.js'

const look = { id: 'a', name: 'look', arguments: '{}' }
const read = { id: 'b', name: 'read', arguments: '{}' }

it('joins pieces of one utterance and keeps others apart', () => {
  const conversation = new Conversation()
  conversation.addText('The ', '1')
  conversation.addText('lamp.', '1')
  conversation.addText('Another.', '2')
  conversation.addText('Alone.')
  conversation.addText('Alone too.')
  expect(conversation.messages.map(message => message.text)).toEqual([
    'The lamp.',
    'Another.',
    'Alone.',
    'Alone too.',
  ])
})

it('attaches calls to the text before them, and each only once', () => {
  const conversation = new Conversation()
  conversation.addText('I look.')
  conversation.addCall(look)
  conversation.addCall(read)
  conversation.addCall(look)
  conversation.addResult('a', 'a lamp')
  conversation.addCall({ ...look, id: 'c' })
  expect(conversation.messages).toEqual([
    { role: 'assistant', text: 'I look.', toolCalls: [look, read] },
    { role: 'tool', text: 'a lamp', toolCallId: 'a' },
    { role: 'assistant', text: '', toolCalls: [{ ...look, id: 'c' }] },
  ])
})

it('does not join an utterance over a result', () => {
  const conversation = new Conversation()
  conversation.addText('one', '1')
  conversation.addResult('a', 'x')
  conversation.addText('two', '1')
  expect(conversation.messages.map(message => message.role)).toEqual(['assistant', 'tool', 'assistant'])
})
