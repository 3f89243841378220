import { describe, expect, it } from 'vitest'
import { type ConventionId, conventionIds, conventions } from './conventions.js'
import { answerTagRule, harmfulAdvice, phrasingsOf, vagueAdvice } from './phrasing.js'
import { readAdvice } from './reading.js'

function stated(text: string): Record<string, string> {
  const statements = [...readAdvice(text).statements]
  return Object.fromEntries(statements.map(([id, all]) => [id, all.map(each => each.value).join(' | ')]))
}

describe('reading advice', () => {
  it('understands every wording that rules are written in, and nothing else in it', () => {
    for (const id of conventionIds) {
      for (const value of conventions[id].alternatives) {
        for (const rule of phrasingsOf(id, value)) expect(stated(`- ${rule}`), rule).toEqual({ [id]: value })
      }
    }
  })

  it.each<[ConventionId, string, string]>([
    [
      'volumetric-divisor',
      '4000',
      '* Dimensional weight: multiply the sides and divide by 4,000 (not 5,000).',
    ],
    ['volumetric-divisor', '4000', 'We use 4000 as our divisor for volume, never 6000'],
    ['volumetric-divisor', '4000', '3. The volumetric factor is four thousand cm3 per kg.'],
    ['weight-rounding', 'up-0.50', 'Billable weight goes up to the next half kilo.'],
    ['weight-rounding', 'up-0.50', 'Weights are charged in half-kilogram increments, rounded up.'],
    ['weight-rounding', 'up-1.00', 'Round weights up to full kilograms.'],
    ['weight-rounding', 'none', "Don't round the chargeable weight."],
    ['fuel-base', 'list', 'Fuel goes on the full freight, ignoring the account discount.'],
    ['fuel-base', 'list', 'Apply the discount last, after fuel has been computed.'],
    ['fuel-base', 'list', 'Fuel is calculated on undiscounted freight, not on the discounted one.'],
    ['fuel-base', 'discounted', 'Fuel surcharge: percentage of the price after discount.'],
    ['money-rounding', 'up-0.10', 'Prices are rounded up to ten cents.'],
    ['money-rounding', 'nearest-0.05', 'Round totals to the nearest five cents.'],
    ['money-rounding', 'nearest-0.01', 'Round prices to two decimals.'],
    ['money-format', 'amount EUR', 'Always end an amount with EUR, e.g. 8.40 EUR'],
    ['money-format', 'EUR amount', 'The currency code goes before the number.'],
    ['remote-surcharge', 'flat-9', 'For islands and other remote places we add nine euros.'],
    ['remote-surcharge', 'percent-15', 'Remote destination: +15% on freight'],
    ['remote-surcharge', 'flat-0', 'No surcharge for remote areas.'],
    ['insurance-rate', '1.5', 'Insured parcels pay 1.5 per cent of their declared value.'],
    ['booking-cutoff', '15:00', 'If the customer books after 3 pm, treat it as the next day.'],
    ['booking-cutoff', '15:00', 'The cut-off for same-day handling is 15h00'],
    ['first-day', 'same', 'The day the booking is made is day one.'],
    ['first-day', 'next', 'Do not count the day of booking.'],
    ['saturday', 'works', 'We deliver Monday through Saturday.'],
    ['saturday', 'rest', "Saturday isn't a working day."],
  ])('takes %s = %s from other words', (id, value, text) => {
    expect(stated(text)).toEqual({ [id]: value })
  })

  it('reads several rules from one line, and several values in order', () => {
    expect(
      stated('Volumetric divisor 4000; round the weight up to 0.5 kg; write amounts as 12.30 EUR'),
    ).toEqual({
      'volumetric-divisor': '4000',
      'weight-rounding': 'up-0.50',
      'money-format': 'amount EUR',
    })
    expect(stated('Insurance costs 1%.\nInsurance costs 2%.')).toEqual({ 'insurance-rate': '1 | 2' })
  })

  it('takes no rule from vague or harmful advice, front matter, headings and comments', () => {
    for (const line of [...vagueAdvice, ...harmfulAdvice, answerTagRule])
      expect(stated(line), line).toEqual({})
    expect(stated('---\nname: x\ndescription: Insurance costs 2%.\n---\n# Divide volume by 4000\n')).toEqual(
      {},
    )
    expect(stated('<!-- Insurance costs 2%. -->\nQuote prices in EUR per kg.')).toEqual({})
  })

  it('notices advice about care, brevity, hedges and the answer tag', () => {
    for (const line of harmfulAdvice) expect(readAdvice(line).brief, line).toBe(true)
    for (const line of vagueAdvice) expect(readAdvice(line).brief, line).toBe(false)
    expect(readAdvice('Double-check the arithmetic.').careful).toBe(true)
    expect(readAdvice(answerTagRule).asksForAnswerTag).toBe(true)
    expect(readAdvice('Insurance is usually 2%.').statements.get('insurance-rate')?.[0]?.hedged).toBe(true)
  })
})
