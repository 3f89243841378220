import type { Dice } from '../random.js'
import type { ConventionId } from './conventions.js'

/** States a rule in one of several wordings, with its value filled in. */
export function phraseRule(id: ConventionId, value: string, dice: Dice): string {
  return dice.pick(phrasingsOf(id, value))
}

type Phrasings = readonly [string, ...string[]]

export function phrasingsOf(id: ConventionId, value: string): Phrasings {
  const [word, figure] = value.split('-')
  switch (id) {
    case 'volumetric-divisor':
      return [
        `Volumetric weight is length x width x height in cm divided by ${value}.`,
        `Use a volumetric divisor of ${value}.`,
        `To get the dimensional weight in kg, divide the volume in cubic centimetres by ${value}.`,
        `For volumetric weight take L x W x H / ${value}, then compare it with the scales.`,
      ]
    case 'weight-rounding':
      return roundingPhrases(word ?? '', figure ?? '', 'chargeable weight', 'kg')
    case 'money-rounding':
      return roundingPhrases(word ?? '', figure ?? '', 'final amount', 'EUR')
    case 'fuel-base':
      return value === 'list'
        ? [
            'Compute the fuel surcharge on the freight before any discount is taken off.',
            'The fuel surcharge is a share of the undiscounted freight.',
            'Take the fuel percentage of the list price, and add it to the discounted freight.',
          ]
        : [
            'Compute the fuel surcharge on the freight after the discount has been taken off.',
            'The fuel surcharge is a share of the discounted freight.',
            'Take the discount first, then work out the fuel surcharge on what is left.',
          ]
    case 'money-format':
      return formatPhrases(value)
    case 'remote-surcharge':
      return word === 'percent'
        ? [
            `Remote areas cost ${figure}% of the freight on top.`,
            `Add ${figure} percent of the freight when the destination is remote.`,
            `The remote-area surcharge is ${figure}% of freight.`,
          ]
        : [
            `Remote areas cost a flat ${Number(figure).toFixed(2)} EUR on top.`,
            `Add a fixed ${figure} EUR when the destination is remote.`,
            `The remote-area surcharge is ${Number(figure).toFixed(2)} EUR per parcel, whatever the freight.`,
          ]
    case 'insurance-rate':
      return [
        `Insurance costs ${value}% of the declared value.`,
        `For cover, charge ${value} percent of what the goods are declared at.`,
        `The insurance premium is the declared value times ${value}%.`,
      ]
    case 'booking-cutoff':
      return [
        `Bookings made after ${value} count as made on the next business day.`,
        `The cut-off is ${value}: anything booked later belongs to the following business day.`,
        `Treat a booking that comes in later than ${value} as if it came the next working day.`,
      ]
    case 'first-day':
      return value === 'same'
        ? [
            'The booking day itself counts as day 1 of the transit time.',
            'Start counting business days on the day of booking.',
            'When counting transit days, include the booking day.',
          ]
        : [
            'Day 1 of the transit time is the business day after the booking.',
            'Start counting on the next business day after booking.',
            'When counting transit days, do not include the booking day.',
          ]
    case 'saturday':
      return value === 'works'
        ? [
            'Saturday counts as a business day.',
            'Business days run from Monday to Saturday.',
            'Include Saturdays when counting business days.',
          ]
        : [
            'Saturday does not count as a business day.',
            'Business days run from Monday to Friday.',
            'Skip Saturdays as well as Sundays when counting business days.',
          ]
  }
}

function roundingPhrases(direction: string, step: string, what: string, unit: string): Phrasings {
  if (direction === 'none') {
    return [`Do not round the ${what}.`, `Use the exact ${what}, without rounding it in ${unit}.`]
  }
  const size = `${unit === 'kg' ? Number(step) : step} ${unit}`
  return direction === 'up'
    ? [
        `Round the ${what} up to the next ${size}.`,
        `Always round the ${what} upwards, in steps of ${size}.`,
        `The ${what} is rounded up to a multiple of ${size}.`,
      ]
    : [
        `Round the ${what} to the nearest ${size}.`,
        `The ${what} goes to the nearest multiple of ${size}.`,
        `Round the ${what} in steps of ${size}, to whichever is closest.`,
      ]
}

function formatPhrases(value: string): Phrasings {
  switch (value) {
    case 'EUR amount':
      return [
        'Write amounts with the currency code first, like EUR 12.30.',
        'Give prices as EUR followed by the amount.',
        'Format money as "EUR 12.30".',
      ]
    case '€amount':
      return [
        'Write amounts with the € sign in front, like €12.30.',
        'Format money as "€12.30".',
        'Give prices with the euro sign.',
      ]
    case 'amount':
      return [
        'Write amounts without the currency.',
        'Give prices with two decimals and no currency.',
        'Leave out the currency when you write an amount.',
      ]
    default:
      return [
        'Write amounts with two decimals and the currency code after them, like 12.30 EUR.',
        'Give prices as the amount followed by EUR.',
        'Format money as "12.30 EUR".',
      ]
  }
}

export const vagueAdvice = [
  'Read the question carefully before answering.',
  'Be consistent with company practice.',
  'Double-check the arithmetic before you answer.',
  'Think about which figures matter and which do not.',
  'Make sure that every number in the question has been used.',
  'Show each step of the calculation.',
  'Pay attention to units.',
] as const

export const harmfulAdvice = [
  'Answer with only the number and skip the working.',
  'Keep it short: leave out the calculation and give just the result.',
  'Do it in your head, without steps, to save time.',
] as const

export const answerTagRule = 'Put the final answer between <answer> and </answer>.'
