/**
 * The conventions of a parcel company's quoting desk, as someone who knows the trade but not this house
 * would list them: the subject, the plausible values, and the default when nothing is stated. The values
 * that this house uses are not in this file.
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

/** A value for each convention, as text: `4000`, `up-0.50`, `flat-9`, `15:00`. */
export type Assignment = Readonly<Record<ConventionId, string>>

export interface Convention {
  /** Sorted, so that the order reveals nothing. */
  readonly alternatives: readonly [string, string, ...string[]]
  /** The default of an uninstructed agent; several values if it varies. */
  readonly usual: readonly [string, ...string[]]
}

export const conventions: Readonly<Record<ConventionId, Convention>> = {
  /** Cubic centimetres per kilogram of volumetric weight. */
  'volumetric-divisor': { alternatives: ['4000', '4500', '5000', '6000'], usual: ['5000'] },
  /** Direction and step in kilograms, applied to the chargeable weight. */
  'weight-rounding': { alternatives: ['nearest-0.50', 'none', 'up-0.50', 'up-1.00'], usual: ['up-1.00'] },
  /** Whether the fuel surcharge is a share of the freight before or after the account discount. */
  'fuel-base': { alternatives: ['discounted', 'list'], usual: ['discounted'] },
  /** Direction and step in euros, applied to the final amount. */
  'money-rounding': {
    alternatives: ['nearest-0.01', 'nearest-0.05', 'nearest-0.10', 'up-0.10', 'up-0.50'],
    usual: ['nearest-0.01'],
  },
  'money-format': {
    alternatives: ['EUR amount', 'amount', 'amount EUR', '€amount'],
    usual: ['amount EUR', 'amount EUR', 'amount EUR', 'EUR amount', '€amount'],
  },
  /** A flat sum in euros, or a percentage of the freight. */
  'remote-surcharge': {
    alternatives: ['flat-6', 'flat-9', 'percent-10', 'percent-15'],
    usual: ['percent-10', 'flat-6', 'percent-15'],
  },
  /** Percent of the declared value. */
  'insurance-rate': { alternatives: ['1', '1.5', '2', '2.5'], usual: ['1', '1.5', '2'] },
  /** Bookings later than this are treated as made on the next business day. */
  'booking-cutoff': { alternatives: ['14:00', '15:00', '16:00', '17:00'], usual: ['17:00'] },
  /** Whether the day of booking is itself day 1 of the transit time, or the next business day is. */
  'first-day': { alternatives: ['next', 'same'], usual: ['next'] },
  /** Whether Saturday is a business day. */
  saturday: { alternatives: ['rest', 'works'], usual: ['rest'] },
}
