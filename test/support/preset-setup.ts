import { type PresetName, presets } from '../../src/core/config/presets.js'
import { createView, foldEvent, type RunView } from '../../src/core/view/fold.js'
import { createGate as guarded } from '../../src/trainer/gates/guarded.js'
import { createGate as strictly } from '../../src/trainer/gates/strict.js'
import type { Setup } from '../../src/trainer/loops/setup.js'
import type { probe } from '../../src/trainer/loops/step-probe.js'
import { train } from '../../src/trainer/loops/steps.js'
import { worldRun, worldSetup } from '../world.js'

const prices = { target: { input: 1, output: 4 }, optimizer: { input: 5, output: 20 } }

/** A simulated world under a preset, as in a project: the preset's settings over the defaults. */
export async function presetSetup(preset: PresetName, worldSeed: number): Promise<Setup> {
  const { train, reflect = {}, ...rest } = presets[preset]
  const sizes = { train: 120, val: 60, test: 120 }
  const config = { ...rest, reflect, train: { ...train, seed: worldSeed } }
  const setup = await worldSetup({ sizes, worldSeed, config })
  const gates = { strict: strictly, guarded }
  const { target, optimizer } = setup.models
  return {
    ...setup,
    gate: gates[setup.config.evaluation.gate as keyof typeof gates],
    models: {
      target: { ...target, price: prices.target },
      optimizer: { ...optimizer, price: prices.optimizer },
    },
  }
}

export async function made(setup: Setup, work: typeof train | typeof probe = train): Promise<RunView> {
  const { run, events } = worldRun(setup)
  await work(run, setup)
  const view = events.reduce(foldEvent, createView())
  const { train: trained, val, test } = setup.tasks
  return {
    ...view,
    kind: work === train ? 'train' : 'probe',
    tasks: { train: trained.length, val: val.length, test: test.length },
  }
}

export const alike = { target: true, optimizer: true, reflection: true, gate: true, plan: true }
export const offBy = (guess: number, real: number) => Math.abs(guess / real - 1)
