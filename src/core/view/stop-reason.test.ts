import { expect, it } from 'vitest'
import { allEpochs, earlyEnd } from './stop-reason.js'

it('is early only with a reason other than all epochs', () => {
  expect(earlyEnd({ because: 'every train task was solved' })).toBe('every train task was solved')
  expect(earlyEnd({ because: allEpochs })).toBeUndefined()
  expect(earlyEnd({ because: undefined })).toBeUndefined()
})

it('has the same words for the end of a whole training in every log', () => {
  expect(allEpochs).toBe('all epochs')
})
