import { Argument, Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { version } from '../version.js'
import type { Io } from './io.js'

/** Each command's code is loaded when it is run: `--help` should not wait for provider libraries. */
export function createProgram(io: Io, done: (code: number) => void) {
  const program = new Command('skillopt')
    .description(
      'Trains agent skills (Markdown documents) like neural networks, without touching model weights.',
    )
    .version(version)
    .showSuggestionAfterError()
    .addHelpText(
      'after',
      `
Examples:
  skillopt quickstart                  train the bundled example, simulated: no key, no cost
  skillopt doctor my-skill             check a project before paying for anything
  skillopt train my-skill              train; Ctrl-C is safe, the same command goes on
  skillopt show my-skill-001           what happened in a run, and why`,
    )

  program
    .command('train')
    .summary('train a skill, or go on with a training that was stopped')
    .description('Trains the skill of a project. The same command goes on where a stopped run left off.')
    .argument('[project]', 'folder with a skillopt.yaml; the current one if not given')
    .option('--config <file>', 'a config file, ours or one of the Python package')
    .option('--cfg-options <section.key=value...>', 'override values of the config file, in its own words')
    .option('--set <section.key=value>', 'override a value of our config; may be repeated', collect)
    .option('--out <dir>', 'run directory (default: runs/<name>-NNN)')
    .option('--new', 'start another run although the last one is not finished')
    .option('--fork <run@version>', 'start a new run from a skill version of another one')
    .option('--max-calls <n>', 'hard cap on model calls', wholeNumber)
    .option('--max-tokens <n>', 'hard cap on tokens, in and out', wholeNumber)
    .option('--max-cost <dollars>', 'hard cap on cost in US dollars', positiveNumber)
    .option('--max-time <minutes>', 'hard cap on time in minutes; 90s and 2h work too', minutes)
    .option('--yes', 'do not ask before the first paid call')
    .option('--json', 'print the events as JSON lines and nothing else')
    .option('--quiet', 'print the report at the end only')
    .addHelpText(
      'after',
      example(
        'skillopt train my-skill --max-cost 5',
        'skillopt train --config theirs.yaml --cfg-options train.num_epochs=2 --out runs/a',
      ),
    )
    .action(async (project, flags) =>
      done(await (await import('./commands/train.js')).train(io, project, flags)),
    )

  program
    .command('eval')
    .summary('score a skill without training it')
    .description(
      'Scores a skill on the tasks of a project. Asked again, it reads the log instead of paying again.',
    )
    .argument('[project]', 'folder with a skillopt.yaml; the current one if not given')
    .option('--skill <file>', 'the skill to score (default: the one of the project)')
    .option('--split <name>', 'train, val, test or all (also valid_seen, valid_unseen)', 'all')
    .option('--config <file>', 'a config file, ours or one of the Python package')
    .option('--cfg-options <section.key=value...>', 'override values of the config file, in its own words')
    .option('--set <section.key=value>', 'override a value of our config; may be repeated', collect)
    .option('--max-calls <n>', 'hard cap on model calls', wholeNumber)
    .option('--max-tokens <n>', 'hard cap on tokens, in and out', wholeNumber)
    .option('--max-cost <dollars>', 'hard cap on cost in US dollars', positiveNumber)
    .option('--max-time <minutes>', 'hard cap on time in minutes; 90s and 2h work too', minutes)
    .option('--yes', 'do not ask before the first paid call')
    .option('--json', 'print the result as JSON')
    .option('--quiet', 'print the result only')
    .addHelpText(
      'after',
      example('skillopt eval my-skill --skill runs/my-skill-001/best_skill.md --split test'),
    )
    .action(async (project, flags) =>
      done(await (await import('./commands/eval.js')).evaluate(io, project, flags)),
    )

  program
    .command('try')
    .summary('one attempt at one task, with everything shown')
    .argument('[project]', 'folder with a skillopt.yaml; the current one if not given')
    .requiredOption('--task <id>', 'the task, from any split')
    .option('--skill <file>', 'the skill to use (default: the one of the project)')
    .option('--config <file>', 'a config file, ours or one of the Python package')
    .option('--cfg-options <section.key=value...>', 'override values of the config file, in its own words')
    .option('--set <section.key=value>', 'override a value of our config; may be repeated', collect)
    .option('--json', 'print the attempt as JSON')
    .addHelpText('after', example('skillopt try my-skill --task q17'))
    .action(async (project, flags) =>
      done(await (await import('./commands/try.js')).tryOne(io, project, flags)),
    )

  const runs = program
    .command('runs')
    .summary('list runs, or remove them')
    .option('--dir <folder>', 'where to look (default: runs); may be repeated', collect, [] as string[])
    .option('--json', 'print the list as JSON')
    .addHelpText('after', example('skillopt runs --dir runs --dir ../other/runs'))
    .action(async flags => done(await (await import('./commands/runs.js')).runs(io, flags)))

  runs
    .command('rm')
    .summary('remove runs for good')
    .argument('<run...>', 'run directories, or their names below runs/')
    .option('--yes', 'do not ask')
    .addHelpText('after', example('skillopt runs rm my-skill-001 my-skill-002'))
    .action(async (names, flags) =>
      done(await (await import('./commands/runs-rm.js')).removeRuns(io, names, flags)),
    )

  program
    .command('show')
    .summary('what happened in a run, and why')
    .argument('<run>', 'run directory, or its name below runs/')
    .option('--sources', 'show every setting and where it came from')
    .option('--lines', 'show where each line of the best skill came from')
    .option('--json', 'print everything as JSON')
    .addHelpText('after', example('skillopt show my-skill-001 --lines'))
    .action(async (run, flags) => done(await (await import('./commands/show.js')).show(io, run, flags)))

  program
    .command('diff')
    .summary('compare two skill versions of a run')
    .argument('<run>', 'run directory, or its name below runs/')
    .argument('<from>', 'v0, v1, …, seed, best or last')
    .argument('<to>', 'v0, v1, …, seed, best or last')
    .addHelpText('after', example('skillopt diff my-skill-001 v3 v7', 'skillopt diff my-skill-001 seed best'))
    .action(async (run, from, to) => done(await (await import('./commands/diff.js')).diff(io, run, from, to)))

  program
    .command('doctor')
    .summary('check that a project is ready, and what is missing')
    .argument('[project]', 'folder with a skillopt.yaml; the current one if not given')
    .option('--config <file>', 'a config file, ours or one of the Python package')
    .option('--cfg-options <section.key=value...>', 'override values of the config file, in its own words')
    .option('--set <section.key=value>', 'override a value of our config; may be repeated', collect)
    .option('--online', 'also make one tiny call per model')
    .addHelpText('after', example('skillopt doctor my-skill --online'))
    .action(async (project, flags) =>
      done(await (await import('./commands/doctor.js')).doctor(io, project, flags)),
    )

  program
    .command('completion')
    .summary('print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', example('skillopt completion bash >> ~/.bashrc'))
    .action(async shell => done((await import('./commands/completion.js')).printCompletion(io, shell)))

  program
    .command('completion-words', { hidden: true })
    .argument('[word...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async words =>
      done(await (await import('./commands/completion.js')).printWords(io, program, words)),
    )

  program
    .command('quickstart')
    .summary('train the bundled example, simulated: no key, no cost')
    .option('--out <dir>', 'run directory (default: runs/quickstart-NNN)')
    .option('--json', 'print the events as JSON lines and nothing else')
    .addHelpText('after', example('skillopt quickstart'))
    .action(async flags => done(await (await import('./commands/quickstart.js')).quickstart(io, flags)))

  return program
}

function example(...lines: string[]): string {
  return `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map(line => `  ${line}`).join('\n')}`
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number <= 0)
    throw new InvalidArgumentError('It takes a whole number above 0.')
  return number
}

function positiveNumber(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number) || number <= 0)
    throw new InvalidArgumentError('It takes a number above 0.')
  return number
}

function minutes(text: string): number {
  const [, digits, unit = 'm'] = /^(\d+(?:\.\d+)?)\s*([smh]?)$/.exec(text) ?? []
  if (digits === undefined || Number(digits) <= 0)
    throw new InvalidArgumentError('It takes minutes, such as 30, or 90s, 45m, 2h.')
  return Number(digits) * { s: 1 / 60, m: 1, h: 60 }[unit === '' ? 'm' : (unit as 's' | 'm' | 'h')]
}
