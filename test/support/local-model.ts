import { existsSync } from 'node:fs'
import { localModelNamed } from '../../src/models/local/known.js'
import { isFetched } from '../../src/models/local/weights.js'

const smallest = localModelNamed('smollm2-135m')

/** The real model of tests: the smallest that can be fetched. */
export const localTestModel = `local/${smallest.name}`

const engine = new URL('../../node_modules/node-llama-cpp/package.json', import.meta.url)

/** Why tests with real weights cannot run here; undefined if they can. */
async function missing(): Promise<string | undefined> {
  if (!existsSync(engine)) return 'node-llama-cpp is not installed (scripts/install-local-model.mjs)'
  if (!(await isFetched(smallest, process.env)))
    return `the weights are missing (skillopt models fetch ${smallest.name})`
  return undefined
}

const reason = await missing()

/** In CI these tests must run. Elsewhere they are skipped, and the reason is printed. */
export const skipsLocalModel = reason !== undefined && process.env.CI === undefined
if (skipsLocalModel) process.stderr.write(`\nNOT TESTED on a real model: ${reason}.\n\n`)
