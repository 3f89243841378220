import { parseArgs } from 'node:util'
import { saveResult } from './table.js'
import { compareVariants, comparisonTable, type Variant } from './worlds/compare.js'
import { reportedWorlds, worldSpec } from './worlds/spec.js'

/**
 * Ablation for training by trials: switches each mechanism off in turn, and each default-off mechanism on:
 * `trials-ablation [--seeds 10] [--first-seed 1] [--worlds a,b] [--only memory,schedule]`.
 */

const variants: readonly Variant[] = [
  { name: 'no alternatives', settings: { trials: { alternatives: 1 } } },
  {
    name: 'no shared evidence: one edit or cause at a time',
    settings: { trials: { slots: 1 } },
    constants: { globalPerSlot: 1 },
  },
  { name: 'no knowledge of concerned tasks', constants: { globalShare: 0 } },
  { name: 'no checkpoints', settings: { trials: { checkpoint: 1000 } } },
  { name: 'no pruning', constants: { ship: 0, globalShip: 0 } },
  { name: 'no exploration', settings: { trials: { explore: 0 } } },
  { name: 'no probation of accepted edits', settings: { trials: { confirm: 0.5 } } },
  { name: 'no memory of dropped edits', settings: { reflect: { rejectedEdits: false } } },
  { name: 'no controls', constants: { controls: 0 } },
  { name: 'no second chances for doubtful edits', constants: { refuted: 0.7 } },
  { name: 'slow update on', settings: { optimizer: { slowUpdate: { enabled: true } } } },
  { name: 'meta skill on', settings: { optimizer: { metaSkill: true } } },
  {
    name: 'meta skill on, half of the vague proposals avoided by it',
    settings: { optimizer: { metaSkill: true } },
    change: { heedsNotes: 0.5 },
  },
  { name: 'linear schedule, 4 to 2', settings: { optimizer: { schedule: 'linear' } } },
  { name: 'cosine schedule, 4 to 2', settings: { optimizer: { schedule: 'cosine' } } },
  {
    name: 'cosine schedule, 8 to 2',
    settings: { optimizer: { schedule: 'cosine', learningRate: 8 } },
  },
  { name: 'edit budget 2', settings: { optimizer: { learningRate: 2 } } },
  { name: 'edit budget 8', settings: { optimizer: { learningRate: 8 } } },
]

const text = { type: 'string' } as const
const { values: given } = parseArgs({
  options: { seeds: text, 'first-seed': text, worlds: text, only: text },
})
const seeds = Number(given.seeds ?? 10)
const firstSeed = Number(given['first-seed'] ?? 1)
if (!Number.isInteger(seeds) || seeds < 1) throw new Error('--seeds takes a whole number ≥ 1.')
const worlds = given.worlds?.split(',').map(worldSpec) ?? reportedWorlds

const wanted = (given.only ?? '').split(',')
const chosen = variants.filter(({ name }) => wanted.some(part => name.includes(part)))
if (chosen.length === 0) throw new Error(`No variant has "${given.only}" in its name.`)
const rows = await compareVariants({
  worlds: worlds.map(({ name }) => name),
  seeds,
  firstSeed,
  variants: chosen,
})
console.log(`True end scores in points, mean over ${worlds.length} worlds with ${seeds} seeds each.\n`)
console.log(comparisonTable(rows))
saveResult('trials-ablation', { seeds, rows })
