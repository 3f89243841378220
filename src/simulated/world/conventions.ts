/**
 * The conventions of a parcel company's quoting desk. Each has a subject, plausible values, and the default
 * if nothing is stated, as a person who knows the trade but not this company would list them. The values that
 * the company uses are not in this file.
 */

export const conventionIds = [
  'volumetric-divisor',
  'weight-rounding',
  'fuel-base',
  'money-rounding',
  'money-format',
  'remote-surcharge',
  'insurance-rate',
  'booking-cutoff',
  'first-day',
  'saturday',
] as const

export type ConventionId = (typeof conventionIds)[number]

/** A value for each convention, as text such as `4000`, `up-0.50`, `flat-9` or `15:00`. */
export type Assignment = Readonly<Record<ConventionId, string>>

export interface Convention {
  /** Plausible values, sorted so that their order reveals nothing. */
  readonly alternatives: readonly [string, string, ...string[]]
  /** The value that an agent uses without instructions. Several values mean that it varies. */
  readonly usual: readonly [string, ...string[]]
}

export const conventions: Readonly<Record<ConventionId, Convention>> = {
  /** Cubic centimetres that count as one kilogram of volumetric weight. */
  'volumetric-divisor': { alternatives: ['4000', '4500', '5000', '6000'], usual: ['5000'] },
  /** Direction and step in kilograms for rounding the chargeable weight. */
  'weight-rounding': { alternatives: ['nearest-0.50', 'none', 'up-0.50', 'up-1.00'], usual: ['up-1.00'] },
  /** Whether the fuel surcharge applies to the freight before the account discount (`list`) or after it. */
  'fuel-base': { alternatives: ['discounted', 'list'], usual: ['discounted'] },
  /** Direction and step in euros for rounding the final amount. */
  'money-rounding': {
    alternatives: ['nearest-0.01', 'nearest-0.05', 'nearest-0.10', 'up-0.10', 'up-0.50'],
    usual: ['nearest-0.01'],
  },
  'money-format': {
    alternatives: ['EUR amount', 'amount', 'amount EUR', '€amount'],
    usual: ['amount EUR', 'amount EUR', 'amount EUR', 'EUR amount', '€amount'],
  },
  /** Surcharge for remote addresses: a sum in euros, or a percentage of the freight. */
  'remote-surcharge': {
    alternatives: ['flat-6', 'flat-9', 'percent-10', 'percent-15'],
    usual: ['percent-10', 'flat-6', 'percent-15'],
  },
  /** Price of the insurance in percent of the declared value. */
  'insurance-rate': { alternatives: ['1', '1.5', '2', '2.5'], usual: ['1', '1.5', '2'] },
  /** Time after which a booking counts as made on the next business day. */
  'booking-cutoff': { alternatives: ['14:00', '15:00', '16:00', '17:00'], usual: ['17:00'] },
  /** Whether day 1 of the transit time is the day of booking (`same`) or the next business day. */
  'first-day': { alternatives: ['next', 'same'], usual: ['next'] },
  /** Whether Saturday is a business day. */
  saturday: { alternatives: ['rest', 'works'], usual: ['rest'] },
}
