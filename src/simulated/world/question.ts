import type { ConventionId } from './conventions.js'

/** The kinds of question that the desk gets, with the numbers from the text. */
export type Question =
  | { readonly kind: 'chargeable-weight'; readonly parcel: Parcel }
  | { readonly kind: 'parcel-price'; readonly parcel: Parcel; readonly ratePerKilogram: number }
  | {
      readonly kind: 'contract-price'
      readonly weight: number
      readonly ratePerKilogram: number
      readonly discountPercent: number
      readonly fuelPercent: number
    }
  | { readonly kind: 'remote-price'; readonly weight: number; readonly ratePerKilogram: number }
  | { readonly kind: 'insurance'; readonly declaredValue: number }
  | { readonly kind: 'delivery-date'; readonly date: string; readonly time: string; readonly days: number }

export type QuestionKind = Question['kind']

export interface Parcel {
  /** Length in centimetres, as for `width` and `height`. */
  readonly length: number
  readonly width: number
  readonly height: number
  /** Actual weight in kilograms. */
  readonly weight: number
}

/** The conventions that can change the answer to each kind of question. */
export const conventionsOf: Readonly<Record<QuestionKind, readonly ConventionId[]>> = {
  'chargeable-weight': ['volumetric-divisor', 'weight-rounding'],
  'parcel-price': ['volumetric-divisor', 'weight-rounding', 'money-rounding', 'money-format'],
  'contract-price': ['fuel-base', 'money-rounding', 'money-format'],
  'remote-price': ['remote-surcharge', 'money-rounding', 'money-format'],
  insurance: ['insurance-rate', 'money-rounding', 'money-format'],
  'delivery-date': ['booking-cutoff', 'first-day', 'saturday'],
}

const number = String.raw`(\d+(?:\.\d+)?)`
const dimensionsPattern = new RegExp(String.raw`${number}\s*x\s*${number}\s*x\s*${number}\s*cm`, 'i')
const scalesPattern = new RegExp(
  String.raw`(?:weigh(?:s|ing)?|scales? (?:show|say)s?|weight on the scales(?: is)?)\s*${number}\s*kg`,
  'i',
)
const chargeablePattern = new RegExp(String.raw`chargeable weight (?:of|is|:)\s*${number}\s*kg`, 'i')
const ratePattern = new RegExp(String.raw`${number}\s*EUR\s*(?:per|a)\s*kg`, 'i')
const discountPattern = new RegExp(String.raw`${number}\s*% (?:account |contract )?discount`, 'i')
const fuelPattern = new RegExp(String.raw`fuel surcharge (?:of|is|stands at|at)\s*${number}\s*%`, 'i')
const valuePattern = new RegExp(String.raw`declared (?:value (?:of|is)|at)\s*${number}\s*EUR`, 'i')
const bookedPattern = /book\w*\b[^?]*?(\d{4}-\d{2}-\d{2})[^?]*?\b(\d{1,2}:\d{2})/i
const daysPattern = /(\d+)[- ]business[- ]days?/i

/** Parses a question from a message. `undefined` if the message is about something else. */
export function readQuestion(text: string): Question | undefined {
  const booked = bookedPattern.exec(text)
  const days = numbersIn(daysPattern, text)?.[0]
  const isDate = booked?.[1] !== undefined && !Number.isNaN(Date.parse(`${booked[1]}T00:00:00Z`))
  if (isDate && booked[1] !== undefined && booked[2] !== undefined && days !== undefined && days <= 60) {
    return { kind: 'delivery-date', date: booked[1], time: booked[2], days }
  }
  const declaredValue = numbersIn(valuePattern, text)?.[0]
  if (declaredValue !== undefined) return { kind: 'insurance', declaredValue }
  const ratePerKilogram = numbersIn(ratePattern, text)?.[0]
  const parcel = readParcel(text)
  if (parcel !== undefined) {
    return ratePerKilogram === undefined
      ? { kind: 'chargeable-weight', parcel }
      : { kind: 'parcel-price', parcel, ratePerKilogram }
  }
  const weight = numbersIn(chargeablePattern, text)?.[0]
  if (weight === undefined || ratePerKilogram === undefined) return undefined
  const fuelPercent = numbersIn(fuelPattern, text)?.[0]
  if (fuelPercent !== undefined) {
    const discountPercent = numbersIn(discountPattern, text)?.[0] ?? 0
    return { kind: 'contract-price', weight, ratePerKilogram, discountPercent, fuelPercent }
  }
  return /\bremote\b/i.test(text) ? { kind: 'remote-price', weight, ratePerKilogram } : undefined
}

function readParcel(text: string): Parcel | undefined {
  const dimensions = numbersIn(dimensionsPattern, text)
  const weight = numbersIn(scalesPattern, text)?.[0]
  const [length, width, height] = dimensions ?? []
  if (length === undefined || width === undefined || height === undefined || weight === undefined)
    return undefined
  return { length, width, height, weight }
}

function numbersIn(pattern: RegExp, text: string): number[] | undefined {
  return pattern.exec(text)?.slice(1).map(Number)
}
