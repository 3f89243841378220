/**
 * Training from a program: trains the skill of ../own-environment and scores what came out. The models there are
 * simulated, so it needs no key and costs nothing.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { evaluate, train } from 'skillopt'

const project = fileURLToPath(new URL('../own-environment', import.meta.url))

const result = await train({
  project,
  fresh: true,
  // Any option of the config, by its path. Flags win over the file.
  flags: { 'train.epochs': 2, 'limits.maxCalls': 2000 },
  // The same events that the run's log holds.
  onEvent: event => {
    if (event.type !== 'gate.decided') return
    const { step, action, score } = event.body
    console.log(`step ${step}: ${action.replaceAll('_', ' ')} at ${percent(score)}`)
  },
})
// A pause, a cap and a stop are outcomes and not exceptions: the next call with the same settings goes on.
if (result.outcome !== 'finished') throw result.error ?? new Error(`The training ended: ${result.outcome}.`)

for (const name of ['SKILL.md', 'best_skill.md']) {
  const skill = join(name === 'SKILL.md' ? project : result.directory, name)
  const { splits } = await evaluate({ project, skill, split: 'test' })
  for (const { score, interval, scored } of splits) {
    const range = `${percent(interval.low)} to ${percent(interval.high)}`
    console.log(`${name}: ${percent(score)} on ${scored} test tasks (95% interval ${range})`)
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`
}
