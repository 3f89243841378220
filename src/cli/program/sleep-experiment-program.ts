import { Command, Option } from '@commander-js/extra-typings'
import type { Io } from '../terminal/io.js'
import { example, wholeNumber } from './arguments.js'

export function createExperimentCommand(io: Io, done: (code: number) => void) {
  return (
    new Command('experiment')
      .summary('run whole nights on simulated sessions and models: no key, no cost')
      .description(
        'Runs whole nights on the sessions of a simulated person, or on a set of deficient skills, with simulated models. Your own files are neither read nor changed.',
      )
      .option('--persona <name>', 'the simulated person: researcher, programmer, analyst or all')
      .option('--set <name>', 'a set of skills instead of a persona: gbrain')
      .option('--skill <name>', 'one skill of the set (default: all)')
      .option('--transfer', 'try skills learned with one simulated target on the others')
      .option('--nights <n>', 'number of nights', wholeNumber)
      .option('--seed <n>', 'random seed (default: 3 for personas, 1 for a set)', wholeNumber)
      .option('--without-gate', 'accept every proposal, to see what the gate prevents')
      // `sleep run` calls this option `--no-gate`, so the name is accepted here too.
      .addOption(new Option('--no-gate').hideHelp())
      .option('--compare-gate', 'run with and without the gate, side by side; for personas')
      .option('--assert-improves', 'exit with code 1 unless the score improves beyond chance')
      .option('--keep <folder>', 'keep transcripts, nights and documents in this empty folder')
      .option('--json', 'print the result as JSON')
      .addHelpText(
        'after',
        example(
          'skillopt sleep experiment --persona researcher --assert-improves',
          'skillopt sleep experiment --persona programmer --compare-gate',
          'skillopt sleep experiment --set gbrain --skill brief-writer',
        ),
      )
      .action(async ({ gate, ...flags }) => {
        const { sleepExperiment } = await import('../commands/sleep/experiment.js')
        done(await sleepExperiment(io, gate ? flags : { ...flags, withoutGate: true }))
      })
  )
}
