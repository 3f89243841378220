import type { ConventionId } from '../world/conventions.js'
import type { ProposedEdit } from './placing.js'

/** The cause that an edit addresses. A prompt that asks for several remedies wants it with each edit. */
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

/** Number of additional tries to find remedies, because some tries repeat an earlier remedy. */
const furtherDraws = 3

export interface RemedyOptions {
  /** Number of remedies that the prompt asks for; `undefined` if it asks for one edit per cause. */
  readonly alternatives: number | undefined
  readonly cause: Cause
  isPending(content: string): boolean
  /** Proposes the next edit for the cause; `undefined` if there is none. */
  propose(index: number): ProposedEdit | undefined
}

/** Finds different remedies for one cause, except those on trial. Each is as good as a single one. */
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
