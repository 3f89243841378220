import { existsSync } from 'node:fs'
import { quickstartFolder } from '../../../app/quickstart.js'
import { type Io, printLine } from '../../terminal/io.js'
import { train } from './train.js'

export async function quickstart(
  io: Io,
  flags: { json?: true | undefined; out?: string | undefined },
): Promise<number> {
  if (!existsSync(quickstartFolder))
    throw new Error(`The package is incomplete: ${quickstartFolder} is missing.`)
  if (flags.json !== true) {
    const { colors } = io
    printLine(io, `Training the bundled example with ${colors.bold('simulated')} models: no key, no cost.`)
  }
  const code = await train(io, quickstartFolder, { new: true, json: flags.json, out: flags.out })
  if (code === 0 && flags.json !== true) {
    printLine(io, '\nNext: `skillopt init my-skill` creates a project from your own skill and tasks,')
    printLine(io, '`skillopt doctor` checks it, `skillopt train` trains it.')
  }
  return code
}
