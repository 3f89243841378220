import type { Context, ErrorHandler, NotFoundHandler } from 'hono'
import { InputError, SkillOptError } from '../../core/errors/errors.js'
import type { DashboardProblem } from '../contract/session.js'
import { isApi } from './guard.js'
import { NotFoundError } from './not-found.js'
import { refusalPage } from './pages.js'
import { Refusal } from './refusal.js'

type Status = Refusal['status'] | 400 | 409 | 500

/** Reports errors as a page to people and as JSON to our own pages. `unexpected` receives bugs. */
export function tellProblem(unexpected: (error: unknown) => void): ErrorHandler {
  return (error, c) => {
    const status = statusOf(error)
    if (status === 500) unexpected(error)
    return answer(c, status === 500 ? broken : problemOf(error), status)
  }
}

export const tellNothingThere: NotFoundHandler = c =>
  answer(c, { error: `There is nothing at ${c.req.path}.`, hint: 'Start at the list of runs.' }, 404)

const broken: DashboardProblem = {
  error: 'Something went wrong in the dashboard that should not.',
  hint: 'The terminal in which `skillopt view` runs says what. Reload the page to try again.',
}

function statusOf(error: Error): Status {
  if (error instanceof Refusal) return error.status
  if (error instanceof NotFoundError) return 404
  if (error instanceof InputError) return 400
  // External failures, such as a full disk, get 409: the request itself was valid.
  return error instanceof SkillOptError ? 409 : 500
}

function problemOf(error: Error & { readonly hint?: string | undefined }): DashboardProblem {
  return { error: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }
}

function answer(c: Context, problem: DashboardProblem, status: Status) {
  return isApi(c.req.path) ? c.json(problem, status) : refusalPage(c, problem, status)
}
