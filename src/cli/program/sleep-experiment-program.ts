import { Command, Option } from '@commander-js/extra-typings'
import type { Io } from '../terminal/io.js'
import { example, wholeNumber } from './arguments.js'

export function createExperimentCommand(io: Io, done: (code: number) => void) {
  return (
    new Command('experiment')
      .summary('whole nights on simulated models, with sessions that are made up: no key, no cost')
      .description(
        'Shows that nights work: a made-up person’s sessions, or a set of skills that lack something, and simulated models. Nothing of yours is read or changed.',
      )
      .option('--persona <name>', 'a made-up person: researcher, programmer, analyst; or all')
      .option('--set <name>', 'a set of skills in place of a persona: gbrain')
      .option('--skill <name>', 'one skill of the set (default: all)')
      .option('--transfer', 'try what was learned with one simulated target with the others')
      .option('--nights <n>', 'how many nights, one after the other', wholeNumber)
      .option('--seed <n>', 'of everything that is drawn (default: 3 for personas, 1 for a set)', wholeNumber)
      .option('--without-gate', 'take whatever is proposed, to see what the gate is for')
      // What `sleep run` calls it.
      .addOption(new Option('--no-gate').hideHelp())
      .option('--compare-gate', 'with the gate and without it, side by side; for personas')
      .option('--assert-improves', 'end with exit code 1 unless the score has risen beyond chance')
      .option('--keep <folder>', 'leave transcripts, nights and documents in this empty folder')
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
