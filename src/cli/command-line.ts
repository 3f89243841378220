import { Argument, Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { CommanderError } from 'commander'
import { withPythonHelp, withReferenceFlags } from '../compat/flags/flags.js'
import { exitCodes, messageOf, SkillOptError } from '../core/errors/errors.js'
import { clean } from '../core/text/format.js'
import { version } from '../system/version.js'
import { example } from './program/arguments.js'
import { createDataCommand } from './program/data-program.js'
import { addEval } from './program/eval-program.js'
import { createModelsCommand } from './program/models-program.js'
import { createSleepCommand } from './program/sleep-program.js'
import { addStartCommands } from './program/start-program.js'
import { createTasksCommand } from './program/tasks-program.js'
import { addRunCommands, addTrain } from './program/training-program.js'
import { addUseCommands } from './program/use-program.js'
import { keepHeapSmall } from './terminal/heap.js'
import { type Io, processIo } from './terminal/io.js'

/** Runs one command line and returns its exit code. All input and output goes through `io`. */
export async function runCommandLine(argv: readonly string[], io: Io): Promise<number> {
  let code: number = exitCodes.ok
  const program = createProgram(io, result => {
    code = result
  })
  const output = {
    writeOut: (text: string) => void io.stdout.write(text),
    writeErr: (text: string) => void io.stderr.write(text),
    getOutHelpWidth: () => io.stdout.columns ?? 80,
    getErrHelpWidth: () => io.stderr.columns ?? 80,
  }
  for (const command of withInner(program)) command.exitOverride().configureOutput(output)
  if (argv.length === 0) {
    program.outputHelp()
    return exitCodes.ok
  }
  try {
    const words = withPythonHelp(argv, program)
    await program.parseAsync(withReferenceFlags(words, program), { from: 'user' })
    return code
  } catch (error) {
    return sayError(io, error)
  }
}

function withInner(command: CommandUnknownOpts): CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(withInner)]
}

function sayError(io: Io, error: unknown): number {
  // Commander has already printed the error, but its exit codes differ from ours.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.badInput
  const debug = io.env.SKILLOPT_DEBUG === '1'
  const say = (text: string) => io.stderr.write(`${text}\n`)
  const stack = error instanceof Error && error.stack !== undefined ? error.stack : String(error)
  if (error instanceof SkillOptError) {
    say(`${io.colors.red('error:')} ${clean(error.message)}`)
    if (error.hint !== undefined) say(clean(error.hint))
    if (debug) say(stack)
    return error.exitCode
  }
  const problem = systemProblem(error)
  if (problem !== undefined) {
    say(`${io.colors.red('error:')} ${clean(problem)}`)
    say('Check the path and its permissions. Completed work of a run is kept.')
    if (debug) say(stack)
    return exitCodes.badInput
  }
  say(`${io.colors.red('unexpected error:')} ${clean(messageOf(error))}`)
  say(
    debug
      ? stack
      : 'This is a bug in skillopt or in your own environment code. Set SKILLOPT_DEBUG=1 to see where.',
  )
  say('Completed work is kept in the run directory.')
  return exitCodes.unexpected
}

/** Describes file-system errors, which any part of a command may throw; undefined for other errors. */
function systemProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, path } = error as NodeJS.ErrnoException
  const known = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'ENOSPC', 'EDQUOT', 'ENAMETOOLONG', 'ELOOP']
  if (code === undefined || path === undefined || !known.includes(code)) return undefined
  return `Cannot use ${path}: ${systemReasons[code] ?? messageOf(error)}.`
}

const systemReasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOTDIR: 'part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
}

/** Runs the command line with the arguments and streams of this process. */
export async function runProcess(): Promise<void> {
  // Delayed, because modules loaded at startup stay in memory; collecting garbage among them is wasted work.
  setTimeout(keepHeapSmall, 1000).unref()
  // The reader of a pipe may close it early, which is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.ok)
    throw error
  })
  process.exitCode = await runCommandLine(
    process.argv.slice(2),
    processIo(() => import('../app/index.js')),
  )
}

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
    // The list of commands shows only names. Each command's own help shows its arguments and options.
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
      done((await import('./commands/project/completion.js')).printCompletion(io, shell)),
    )

  program
    .command('completion-words', { hidden: true })
    .argument('[word...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async words =>
      done(await (await import('./commands/project/completion.js')).printWords(io, program, words)),
    )

  return program
}

/** Names that other tools and earlier versions used for a command, with the current name. */
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
