import { type Command, Option, type OptionValues } from '@commander-js/extra-typings'
import { collect, minutes, positiveNumber, wholeNumber } from './arguments.js'

/** Groups of options. Each function adds its options under a help heading, then ends the group. */

/** Options that choose the config and override its values. */
export function fileOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  const configured = command
    .optionsGroup('Config:')
    .option('--config <file>', 'use this config file instead of the one in the project')
    .option('--set <section.key=value>', 'override one setting; may be repeated', collect)
    .addOption(
      new Option(
        '--cfg-options <section.key=value...>',
        'override settings by their Python SkillOpt names',
      ).hideHelp(),
    )
  // Not chained, because with one more option the inferred type would exceed what the compiler can serialize.
  configured.option('--trust', 'trust the code, hosts and outside files of the config, for this command')
  return configured.optionsGroup('')
}

/** Adds the options of `fileOptions`, and others for commands in which agents attempt tasks. */
export function configOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  return fileOptions(command)
    .optionsGroup('Config:')
    .option('--unsafe-no-sandbox', 'run model-written programs without a sandbox, with your full permissions')
    .optionsGroup('')
}

/** Options of every command that may spend money. */
export function spendingOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  return capOptions(command)
    .optionsGroup(limits)
    .option('--yes', 'do not ask before the first paid call')
    .optionsGroup('')
}

const limits = 'Limits:'

export function capOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  return command
    .optionsGroup(limits)
    .option('--max-calls <n>', 'hard cap on model calls', wholeNumber)
    .option('--max-tokens <n>', 'hard cap on tokens, input and output', wholeNumber)
    .option('--max-cost <dollars>', 'hard cap on cost, in US dollars', positiveNumber)
    .option('--max-time <minutes>', 'hard cap on time, in minutes; 90s and 2h work too', minutes)
    .optionsGroup('')
}

/** Options of all Sleep commands. Each command concerns one project. */
export function sleepOptions<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  return command
    .option('--project <folder>', 'the project folder (default: the current one)')
    .option('--json', 'print the result as JSON')
}

export const presetText = 'a set of settings: default, paper, reference or thrifty'
export const projectText = 'folder with a skillopt.yaml (default: the current one)'
export const runText = 'run directory or name in runs/ (default: the newest training run)'
