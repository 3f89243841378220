import { parseArgs } from 'node:util'
import { configSchema } from '../src/core/config/config.js'
import { constants } from '../src/trainer/loops/trials/constants.js'
import { saveResult } from './table.js'
import { compareVariants, comparisonTable, type Variant } from './worlds/compare.js'
import { developmentWorlds, worldSpec } from './worlds/spec.js'

/**
 * Halves and doubles every number of the config section `trials` and every other constant of the method:
 * `sensitivity [--seeds 10] [--worlds a,b]`. A result that depends on one of them would not generalise to
 * other tasks. Runs on the development worlds.
 */

const { values: given } = parseArgs({ options: { seeds: { type: 'string' }, worlds: { type: 'string' } } })
const seeds = Number(given.seeds ?? 10)
if (!Number.isInteger(seeds) || seeds < 1) throw new Error('--seeds takes a whole number ≥ 1.')
const worlds = given.worlds?.split(',').map(worldSpec) ?? developmentWorlds

const { trials } = configSchema.parse({
  environment: { use: 'world' },
  models: { target: 'simulated/target', optimizer: 'simulated/optimizer' },
})

type Constant = keyof typeof trials

/** Probabilities near 1, whose distance from 1 is halved and doubled. */
const fromOne: readonly string[] = ['accept', 'confirm'] satisfies Constant[]

function variantOf(name: Constant, factor: number): Variant[] {
  const value = trials[name]
  if (typeof value !== 'number') return []
  const scaled = fromOne.includes(name) ? 1 - (1 - value) * factor : value * factor
  // Rounds away floating-point noise: twice 0.07 is 0.14, not 0.14000000000000001.
  const whole = Number.isInteger(value) ? Math.max(1, Math.round(scaled)) : Number(scaled.toPrecision(6))
  const changed = configSchema.shape.trials.safeParse({ [name]: whole })
  if (!changed.success || whole === value) {
    console.log(`Left out, since the config refuses it: ${name} ${whole}`)
    return []
  }
  return [{ name: `${name} ${value} → ${whole}`, settings: { trials: { [name]: whole } } }]
}

const shares: readonly string[] = [
  'globalStart',
  'globalFrom',
  'globalTo',
  'globalShare',
  'takeBack',
  'ship',
  'dropElsewhere',
  'acceptElsewhere',
  'promising',
  'elsewhere',
  'sameEdit',
  'sameCause',
] satisfies (keyof typeof constants)[]

function constantVariant(name: keyof typeof constants, factor: number): Variant[] {
  const value = constants[name]
  // Half and double of zero are zero.
  if (value === 0) return []
  const scaled = value * factor
  // Doubling a probability above one half would exceed 1, so halve its distance from 1 instead.
  const changed = shares.includes(name) && scaled >= 1 ? 1 - (1 - value) / factor : scaled
  return [{ name: `${name} ${value} → ${Number(changed.toPrecision(3))}`, constants: { [name]: changed } }]
}

const variants = [
  ...(Object.keys(trials) as Constant[]).flatMap(name => [...variantOf(name, 0.5), ...variantOf(name, 2)]),
  ...(Object.keys(constants) as (keyof typeof constants)[]).flatMap(name => [
    ...constantVariant(name, 0.5),
    ...constantVariant(name, 2),
  ]),
]
const rows = await compareVariants({
  worlds: worlds.map(({ name }) => name),
  seeds,
  firstSeed: 101,
  variants,
})
console.log(`True end scores in points, mean over ${worlds.length} worlds with ${seeds} seeds each.\n`)
console.log(comparisonTable(rows))
saveResult('sensitivity', { seeds, rows })
