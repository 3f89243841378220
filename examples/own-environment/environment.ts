import { defineEnvironment } from 'skillopt'
import { z } from 'zod'

/** Tasks that are made by code and scored by code: the chargeable weight of parcels. */
interface Parcel {
  readonly id: string
  readonly type: string
  readonly sides: readonly [number, number, number]
  readonly kilograms: number
  readonly expected: number
}

export default defineEnvironment({
  id: 'chargeable-weight',
  options: z.object({
    tasksPerSplit: z.int().positive().default(30),
    divisor: z.number().positive().default(4000),
  }),
  tasks: (split, { options }) =>
    Array.from({ length: options.tasksPerSplit }, (_, index) => parcel(split, index, options.divisor)),
  instructions: 'Put your final answer between <answer> and </answer>.',
  prompt: ({ sides, kilograms }) =>
    `A parcel measures ${sides.join(' x ')} cm and weighs ${kilograms.toFixed(1)} kg. What is its chargeable weight?`,
  score({ expected }, answer) {
    const written = /<answer>\s*(.*?)\s*<\/answer>/i.exec(answer)?.[1] ?? ''
    const right = Number.parseFloat(written) === expected
    const withUnit = /^[\d.]+ kg$/.test(written)
    return {
      hard: right && withUnit ? 1 : 0,
      soft: (right ? 0.8 : 0) + (withUnit ? 0.2 : 0),
      // The optimizer learns from this sentence: it says what was expected.
      feedback: `Expected "${expected} kg"; got "${written}".`,
    }
  },
})

/** The same parcel for the same split and index, every time: a run can only be resumed if its tasks stay. */
function parcel(split: string, index: number, divisor: number): Parcel {
  const number = { train: 1, val: 2, test: 3 }[split] ?? 0
  const draw = (which: number, from: number, to: number) => {
    const noise = Math.sin(number * 1000 + index * 10 + which) * 10_000
    return Math.floor(from + (noise - Math.floor(noise)) * (to - from))
  }
  const sides = [draw(1, 20, 50), draw(2, 20, 50), draw(3, 20, 50)] as const
  const kilograms = draw(4, 10, 200) / 10
  const volumetric = (sides[0] * sides[1] * sides[2]) / divisor
  return {
    id: `${split}-${index + 1}`,
    type: volumetric > kilograms ? 'bulky' : 'heavy',
    sides,
    kilograms,
    expected: Math.ceil(Math.max(volumetric, kilograms) * 2) / 2,
  }
}
