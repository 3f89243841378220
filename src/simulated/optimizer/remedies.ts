import type { ConventionId } from '../world/conventions.js'
import type { ProposedEdit } from './placing.js'

/** What an edit is for, in the words that the prompt asks for where remedies are raced. */
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

/** Draws beyond the wanted number, since some come out as one that is there already. */
const furtherDraws = 3

export interface RemedyOptions {
  /** Remedies that are wanted; `undefined` where the prompt asks for one edit per cause. */
  readonly alternatives: number | undefined
  readonly cause: Cause
  isPending(content: string): boolean
  /** The next idea for the cause, or none. */
  propose(index: number): ProposedEdit | undefined
}

/** Different remedies for one cause, without those on trial. Each is as good or bad as a single proposal would be. */
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
