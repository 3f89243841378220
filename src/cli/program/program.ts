import { Argument, Command } from '@commander-js/extra-typings'
import { version } from '../../system/version.js'
import type { Io } from '../terminal/io.js'
import { example } from './arguments.js'
import { createDataCommand } from './data-program.js'
import { addEval } from './eval-program.js'
import { createModelsCommand } from './models-program.js'
import { createSleepCommand } from './sleep-program.js'
import { addStartCommands } from './start-program.js'
import { createTasksCommand } from './tasks-program.js'
import { addRunCommands, addTrain } from './training-program.js'
import { addUseCommands } from './use-program.js'

/** Each command's code is loaded on demand, so that `--help` does not wait for provider libraries. */
export function createProgram(io: Io, done: (code: number) => void) {
  const program = new Command('skillopt')
    .description(
      'Trains agent skills (Markdown documents) like neural networks, without touching model weights.',
    )
    .usage('<command> [options]')
    .version(version, '-V, --version', 'print the version')
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => write(withNewName(text)) })
    // Only the names: each command's own help has its arguments and options.
    .configureHelp({ subcommandTerm: command => command.name() })
    .addHelpText(
      'after',
      example(
        'skillopt quickstart                  watch a training run, without a key',
        'skillopt init my-skill               create your own project',
        'skillopt train my-skill --max-cost 5',
        'skillopt show                        what happened in the newest run, and why',
      ),
    )

  program.commandsGroup('Start:')
  addStartCommands(program, io, done)
  program.commandsGroup('Train and evaluate:')
  addTrain(program, io, done)
  addEval(program, io, done)
  addRunCommands(program, io, done)
  program.commandsGroup('Use:')
  addUseCommands(program, io, done)
  program.commandsGroup('Sleep:')
  program.addCommand(createSleepCommand(io, done))
  program.commandsGroup('More:').helpCommand('help [command]', 'show help for a command')
  program.addCommand(createTasksCommand(io, done))
  program.addCommand(createDataCommand(io, done))
  program.addCommand(createModelsCommand(io, done))

  program
    .command('completion')
    .summary('print a completion script for your shell')
    .description('Prints a completion script for your shell.')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', example('skillopt completion bash >> ~/.bashrc'))
    .action(async shell =>
      done((await import('../commands/project/completion.js')).printCompletion(io, shell)),
    )

  program
    .command('completion-words', { hidden: true })
    .argument('[word...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async words =>
      done(await (await import('../commands/project/completion.js')).printWords(io, program, words)),
    )

  return program
}

/** Commands of other tools and of earlier versions, by what does the same here. */
const otherNames: Readonly<Record<string, string>> = {
  baseline: 'eval --baselines',
  cache: 'data cache',
  diff: 'show --diff',
  evaluate: 'eval',
  'gate-check': 'doctor --gate',
  import: 'data import',
  'judge-check': 'doctor --judge',
  transfer: 'eval --on',
}

function withNewName(error: string): string {
  const [first, name = ''] = /^error: unknown command '(.+)'$/m.exec(error) ?? []
  const known = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined
  return first === undefined || known === undefined ? error : `${first}\n(Did you mean skillopt ${known}?)\n`
}
