import type { Command, OptionValues } from '@commander-js/extra-typings'
import { collect, minutes, positiveNumber, wholeNumber } from './arguments.js'

/** Which config, and what to change in it. */
export function fileOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  // Outside of the chain: one more option in its type is more than the compiler can write down.
  command.option('--trust', 'trust what the config names (code, hosts, files elsewhere) for this command')
  return command
    .option('--config <file>', 'a config file, ours or one of the Python package')
    .option('--cfg-options <section.key=value...>', 'override values of the config file, in its own words')
    .option('--set <section.key=value>', 'override a value of our config; may be repeated', collect)
}

/** As above, for commands in which agents try tasks. */
export function configOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  return fileOptions(command)
    .option(
      '--unsafe-no-sandbox',
      'run programs that models wrote without any protection: they may do whatever you may',
    )
    .option(
      '--harness-inherit',
      'let your own set-up of the agent (instructions, skills, servers, hooks) have its part in every attempt',
    )
}

/** For every command that may spend money. */
export function spendingOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  return capOptions(command).option('--yes', 'do not ask before the first paid call')
}

export function capOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  return command
    .option('--max-calls <n>', 'hard cap on model calls', wholeNumber)
    .option('--max-tokens <n>', 'hard cap on tokens, in and out', wholeNumber)
    .option('--max-cost <dollars>', 'hard cap on cost in US dollars', positiveNumber)
    .option('--max-time <minutes>', 'hard cap on time in minutes; 90s and 2h work too', minutes)
}

/** For everything that Sleep does: it is about one project. */
export function sleepOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  return command
    .option('--project <folder>', 'the folder in which you worked (default: the current one)')
    .option('--json', 'print the result as JSON')
}
