import type { ConventionId } from '../world/conventions.js'
import type { ProposedEdit } from './placing.js'

/** The cause that an edit addresses, in the form the prompt requires when it asks for several remedies. */
export interface Cause {
  readonly cause: string
  readonly applies_to: string
}

export const anyTask = (cause: string): Cause => ({ cause, applies_to: 'all tasks' })

export function causeOf(id: ConventionId): Cause {
  return { cause: id.replaceAll('-', ' '), applies_to: subjects[id] }
}

const subjects: Readonly<Record<ConventionId, string>> = {
  'volumetric-divisor': 'questions with measures in cm',
  'weight-rounding': 'questions with measures in cm',
  'money-rounding': 'questions for a price in EUR',
  'money-format': 'questions for a price in EUR',
  'fuel-base': 'questions with a fuel surcharge',
  'remote-surcharge': 'questions about a remote destination',
  'insurance-rate': 'questions about insurance of a declared value',
  'booking-cutoff': 'bookings with business days',
  'first-day': 'bookings with business days',
  saturday: 'bookings with business days',
}

/** Extra draws beyond the wanted number, because some repeat an earlier remedy. */
const furtherDraws = 3

export interface RemedyOptions {
  /** Number of remedies wanted; `undefined` if the prompt asks for one edit per cause. */
  readonly alternatives: number | undefined
  readonly cause: Cause
  isPending(content: string): boolean
  /** The next proposal for the cause, if there is one. */
  propose(index: number): ProposedEdit | undefined
}

/** Distinct remedies for one cause, excluding those on trial. Each has the quality of a single proposal. */
export function remediesFor({ alternatives, cause, isPending, propose }: RemedyOptions): ProposedEdit[] {
  if (alternatives === undefined) {
    const edit = propose(0)
    return edit === undefined ? [] : [edit]
  }
  const found = new Map<string, ProposedEdit>()
  for (let index = 0; index < alternatives + furtherDraws && found.size < alternatives; index++) {
    const edit = propose(index)
    if (edit === undefined || isPending(edit.content ?? edit.target ?? '')) continue
    const key = edit.content ?? `delete ${edit.target}`
    if (!found.has(key)) found.set(key, { ...edit, ...cause })
  }
  return [...found.values()]
}
