import type { Dice } from '../random.js'
import type { QuestionKind } from './question.js'

/** Templates for the desk's questions, in several wordings and with random numbers. */

const towns = [
  'Aldermoor',
  'Brackwell',
  'Castlereed',
  'Dunmere',
  'Eastholm',
  'Farrowby',
  'Grenville',
  'Hollis Bay',
] as const
const customers = [
  'Ames & Co',
  'Birchline',
  'Corvid Tools',
  'Delphine',
  'Ostrava Glass',
  'Pemberton',
] as const
const remotePlaces = ['Skerry Isle', 'Upper Tarn', 'the Lorne Islands', 'Farrow Point'] as const
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

export function writeQuestion(kind: QuestionKind, dice: Dice): string {
  return writers[kind](dice)
}

const writers: Readonly<Record<QuestionKind, (dice: Dice) => string>> = {
  'chargeable-weight': dice => {
    const { size, weight } = drawParcel(dice)
    return dice.pick([
      `A parcel measures ${size} cm and weighs ${weight} kg. What is its chargeable weight?`,
      `${dice.pick(customers)} sends a box of ${size} cm; the scales show ${weight} kg. Which weight do we charge?`,
      `Find the chargeable weight of a carton of ${size} cm weighing ${weight} kg.`,
    ] as const)
  },
  'parcel-price': dice => {
    const { size, weight } = drawParcel(dice)
    const rate = drawRate(dice)
    return dice.pick([
      `A parcel of ${size} cm weighing ${weight} kg goes to ${dice.pick(towns)} at ${rate} EUR per kg. What is the price?`,
      `Quote a box for ${dice.pick(customers)}: ${size} cm, weight on the scales ${weight} kg, ${rate} EUR per kg.`,
      `What do we charge for a carton of ${size} cm that weighs ${weight} kg, at ${rate} EUR per kg?`,
    ] as const)
  },
  'contract-price': dice => {
    const weight = drawChargeable(dice)
    const rate = drawRate(dice)
    const fuel = 8 + dice.integer(14)
    // For customers without a discount, the order of the steps makes no difference.
    const discounted = dice.chance(0.7)
    const terms = discounted ? `has a ${5 * (1 + dice.integer(5))}% discount` : 'has no account terms'
    return dice.pick([
      `${dice.pick(customers)} ${terms}. A parcel with a chargeable weight of ${weight} kg travels at ${rate} EUR per kg, and the fuel surcharge is ${fuel}%. What is the price?`,
      `The chargeable weight is ${weight} kg and the rate ${rate} EUR per kg. The customer ${terms}; the fuel surcharge stands at ${fuel}%. What do we quote?`,
    ] as const)
  },
  'remote-price': dice => {
    const weight = drawChargeable(dice)
    const rate = drawRate(dice)
    const place = dice.pick(remotePlaces)
    return dice.pick([
      `A parcel with a chargeable weight of ${weight} kg goes to ${place}, a remote area, at ${rate} EUR per kg. What is the price?`,
      `What does ${dice.pick(customers)} pay for a chargeable weight of ${weight} kg to ${place} (remote) at ${rate} EUR per kg?`,
    ] as const)
  },
  insurance: dice => {
    const value = dice.chance(0.5) ? 20 * (5 + dice.integer(90)) : 100 + dice.integer(1900)
    return dice.pick([
      `A shipment to ${dice.pick(towns)} has a declared value of ${value} EUR. What does insuring it cost?`,
      `${dice.pick(customers)} wants cover for goods declared at ${value} EUR. What do we charge for it?`,
      `The declared value is ${value} EUR. What is the insurance premium?`,
    ] as const)
  },
  'delivery-date': dice => {
    const day = new Date(Date.UTC(2026, 0, 5 + dice.integer(350)))
    while (day.getUTCDay() === 0 || day.getUTCDay() === 6) day.setUTCDate(day.getUTCDate() + 1)
    const date = `${weekdays[day.getUTCDay()]} ${day.toISOString().slice(0, 10)}`
    const time = `${9 + dice.integer(9)}:${String(5 + 5 * dice.integer(10)).padStart(2, '0')}`
    const days = 1 + dice.integer(4)
    return dice.pick([
      `A parcel to ${dice.pick(towns)} is booked on ${date} at ${time} with a ${days}-business-day service. On which date does it arrive?`,
      `${dice.pick(customers)} made a booking on ${date} at ${time}. Transit takes ${days} business days. What is the delivery date?`,
    ] as const)
  },
}

function drawParcel(dice: Dice): { size: string; weight: string } {
  const sides = [20 + dice.integer(50), 15 + dice.integer(40), 10 + dice.integer(35)] as const
  const volumetric = (sides[0] * sides[1] * sides[2]) / 5000
  // Dense parcels are charged by their actual weight, bulky ones by volume. Both kinds occur.
  const dense = dice.chance(0.5)
  const weight = dense ? volumetric * (1.4 + dice.next()) : volumetric * (0.3 + 0.5 * dice.next())
  const tenths = Math.max(3, Math.round(weight * 10))
  return { size: sides.join(' x '), weight: (tenths / 10).toFixed(1) }
}

function drawRate(dice: Dice): string {
  return (1 + dice.integer(60) / 20).toFixed(2)
}

function drawChargeable(dice: Dice): string {
  return (1 + dice.integer(48) / 2).toFixed(1)
}
