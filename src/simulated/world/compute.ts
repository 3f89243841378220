import type { Assignment } from './conventions.js'
import type { Parcel, Question } from './question.js'

export interface Solution {
  readonly answer: string
  /** The steps of the calculation, in the form in which an agent writes them down. */
  readonly working: readonly string[]
}

/** Computes the answer to a question with the given conventions. */
export function solve(question: Question, assignment: Assignment): Solution {
  const working: string[] = []
  switch (question.kind) {
    case 'chargeable-weight': {
      const weight = chargeableWeight(question.parcel, assignment, working)
      return { answer: `${plain(weight)} kg`, working }
    }
    case 'parcel-price': {
      const weight = chargeableWeight(question.parcel, assignment, working)
      const freight = freightOf(weight, question.ratePerKilogram, working)
      return { answer: moneyAnswer(freight, assignment, working), working }
    }
    case 'contract-price': {
      const freight = freightOf(question.weight, question.ratePerKilogram, working)
      const discounted = freight * (1 - question.discountPercent / 100)
      const base = assignment['fuel-base'] === 'list' ? freight : discounted
      const fuel = (base * question.fuelPercent) / 100
      working.push(
        `After ${question.discountPercent}% discount: ${plain(discounted)} EUR.`,
        `Fuel: ${question.fuelPercent}% of ${plain(base)} = ${plain(fuel)} EUR.`,
      )
      return { answer: moneyAnswer(discounted + fuel, assignment, working), working }
    }
    case 'remote-price': {
      const freight = freightOf(question.weight, question.ratePerKilogram, working)
      const [kind, figure] = split(assignment['remote-surcharge'])
      const surcharge = kind === 'percent' ? (freight * figure) / 100 : figure
      working.push(`Remote area: ${plain(surcharge)} EUR on top.`)
      return { answer: moneyAnswer(freight + surcharge, assignment, working), working }
    }
    case 'insurance': {
      const rate = Number(assignment['insurance-rate'])
      const premium = (question.declaredValue * rate) / 100
      working.push(`Cover: ${rate}% of ${plain(question.declaredValue)} = ${plain(premium)} EUR.`)
      return { answer: moneyAnswer(premium, assignment, working), working }
    }
    case 'delivery-date':
      return { answer: deliveryDate(question, assignment, working), working }
  }
}

function chargeableWeight(parcel: Parcel, assignment: Assignment, working: string[]): number {
  const divisor = Number(assignment['volumetric-divisor'])
  const volumetric = (parcel.length * parcel.width * parcel.height) / divisor
  const larger = Math.max(volumetric, parcel.weight)
  const rounded = round(larger, assignment['weight-rounding'])
  working.push(
    `Volumetric weight: ${parcel.length} x ${parcel.width} x ${parcel.height} / ${divisor} = ${plain(volumetric)} kg.`,
    `The larger of ${plain(volumetric)} kg and ${plain(parcel.weight)} kg counts: ${plain(rounded)} kg.`,
  )
  return rounded
}

function freightOf(weight: number, rate: number, working: string[]): number {
  working.push(`Freight: ${plain(weight)} kg x ${rate.toFixed(2)} EUR = ${plain(weight * rate)} EUR.`)
  return weight * rate
}

function moneyAnswer(amount: number, assignment: Assignment, working: string[]): string {
  const rounded = round(amount, assignment['money-rounding'])
  working.push(`Final amount: ${rounded.toFixed(2)} EUR.`)
  return formatMoney(rounded, assignment['money-format'])
}

export function formatMoney(amount: number, format: string): string {
  return format.replace('amount', amount.toFixed(2))
}

/** The format of an amount of money; undefined if the answer is none. */
export function formatOfMoney(answer: string): string | undefined {
  const trimmed = answer.trim()
  if (/^\d+(\.\d+)?$/.test(trimmed)) return 'amount'
  if (/^\d+(\.\d+)?\s*EUR$/.test(trimmed)) return 'amount EUR'
  if (/^EUR\s*\d+(\.\d+)?$/.test(trimmed)) return 'EUR amount'
  return /^€\s*\d+(\.\d+)?$/.test(trimmed) ? '€amount' : undefined
}

/**
 * Rounds by a rule such as `up-0.50`. Quotients are rounded to 6 decimals first, so that a floating-point
 * error does not turn 2.5 into 3.
 */
function round(value: number, rule: string): number {
  const [direction, step] = split(rule)
  if (direction === 'none' || !(step > 0)) return value
  const steps = Math.round((value / step) * 1e6) / 1e6
  const whole =
    direction === 'up' ? Math.ceil(steps) : direction === 'down' ? Math.floor(steps) : Math.round(steps)
  return whole * step
}

function split(rule: string): [string, number] {
  const [word, figure] = rule.split('-')
  return [word ?? '', Number(figure ?? 0)]
}

/** Formats a number with at most two decimals and without trailing zeros. */
function plain(value: number): string {
  return String(Math.round(value * 100) / 100)
}

function deliveryDate(
  question: Extract<Question, { kind: 'delivery-date' }>,
  assignment: Assignment,
  working: string[],
): string {
  const rests = (day: Date): boolean =>
    day.getUTCDay() === 0 || (day.getUTCDay() === 6 && assignment.saturday === 'rest')
  const advance = (day: Date): void => {
    do day.setUTCDate(day.getUTCDate() + 1)
    while (rests(day))
  }
  const day = new Date(`${question.date}T00:00:00Z`)
  if (rests(day) || minutesOf(question.time) > minutesOf(assignment['booking-cutoff'])) advance(day)
  working.push(`The booking counts as made on ${isoDate(day)}.`)
  const steps = assignment['first-day'] === 'same' ? question.days - 1 : question.days
  for (let step = 0; step < steps; step++) advance(day)
  working.push(`Business day ${question.days} is ${isoDate(day)}.`)
  return isoDate(day)
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}

function isoDate(day: Date): string {
  return day.toISOString().slice(0, 10)
}
