import { expect, it } from 'vitest'
import { ErrorBoundary } from './error-boundary.js'

/** As React does: it adds what the method returns to the state. */
const afterMove = (place: string, state: ErrorBoundary['state']) => ({
  ...state,
  ...ErrorBoundary.getDerivedStateFromProps({ place, children: null }, state),
})

it('keeps an error on its page and drops it on the next', () => {
  const { error } = ErrorBoundary.getDerivedStateFromError(new Error('broken'))
  const failed = { place: '/a', error }
  expect(afterMove('/a', failed)).toEqual(failed)
  expect(afterMove('/b', failed)).toEqual({ place: '/b', error: undefined })
})
