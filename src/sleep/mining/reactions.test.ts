import { describe, expect, it } from 'vitest'
import { reactionTo } from './reactions.js'

describe('reactionTo', () => {
  it.each([
    'No, use tabs.',
    'nope, other file',
    "that's wrong",
    'That is still not what I asked for',
    'ok, but you forgot the tests',
    'You broke the build!',
    'Thanks. But it does not work.',
    'I meant the other one',
    'Why did you delete the comments?',
    'Nein, das andere.',
    'das ist leider falsch',
    'Du hast die Tests vergessen',
    'Das funktioniert immer noch nicht',
    "Non, ce n'est pas ça",
    'tu as oublié les tests',
    'eso no es lo que quiero',
    'te olvidaste de los tests',
  ])('hears a correction: %s', text => {
    expect(reactionTo(text, false).reaction).toBe('correction')
  })

  it.each([
    'undo that',
    'Please revert your changes',
    'no, roll back.',
    'Mach das bitte wieder rückgängig',
    'annule tout',
    'deshaz eso',
  ])('hears that it is to be taken back: %s', text => {
    expect(reactionTo(text, false).reaction).toBe('undo')
  })

  it.each([
    'try again',
    'Still failing with the same message',
    'same error again',
    'noch einmal bitte',
    'immer noch nicht',
    'sigue fallando',
    'toujours pas',
  ])('hears that it is to be done again: %s', text => {
    expect(reactionTo(text, false).reaction).toBe('again')
  })

  it.each([
    'No tests run on the server, add a job for them',
    'The total in the report is wrong, it should be 12',
    'the word incorrect is misspelled in src/a.ts',
    'Correct the spelling in README.md',
    'The article says 1914, which is wrong; make it 1918',
    'Reply to the customer who wrote "no, that is wrong"',
    'make sure that this never happens again',
    'the undo button should be grey',
    'Revert commit 3f2a9c1 on the release branch',
    'Note the deadline in the plan',
    'Great circle distance between two points, write a function',
    '> that is wrong\nwrite an answer to this comment',
    'Wrong passwords should lock the account',
    'Nonstop flights only, filter the list',
  ])('hears nothing about the work before: %s', text => {
    expect(reactionTo(text, false)).toEqual({ reaction: undefined, rest: text })
  })

  it('treats a "no" after a question as an answer', () => {
    expect(reactionTo('no, leave it', true).reaction).toBe('go-on')
    expect(reactionTo("no, that's wrong", true).reaction).toBe('correction')
  })

  it.each(['yes', 'OK.', 'go ahead', 'mach weiter', '2', "d'accord", 'vale'])('goes on: %s', text => {
    expect(reactionTo(text, false).reaction).toBe('go-on')
  })

  it('keeps a request that follows praise', () => {
    expect(reactionTo('Thanks! Now write the changelog.', false)).toEqual({
      reaction: 'praise',
      rest: 'Now write the changelog.',
    })
    expect(reactionTo('perfekt', false)).toEqual({ reaction: 'praise', rest: '' })
  })
})
