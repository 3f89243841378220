import { type Command, Option } from '@commander-js/extra-typings'
import type { Io } from '../terminal/io.js'
import { example, positiveNumber, wholeNumber } from './arguments.js'
import { configOptions, presetText, projectText, spendingOptions } from './shared-options.js'

type Done = (code: number) => void

/** Commands for getting started and creating a first project. */
export function addStartCommands(program: Command, io: Io, done: Done): void {
  program
    .command('quickstart')
    .summary('train the bundled example with simulated models, for free')
    .description('Trains the bundled example with simulated models: no key, no cost.')
    .option('--out <dir>', 'run directory (default: runs/quickstart-NNN)')
    .option('--json', 'print only the events, as JSON lines')
    .addHelpText('after', example('skillopt quickstart'))
    .action(async flags =>
      done(await (await import('../commands/train/quickstart.js')).quickstart(io, flags)),
    )

  addInit(program, io, done)
  addDoctor(program, io, done)

  configOptions(
    program
      .command('try')
      .summary('run one task once and show everything')
      .description('Runs one task once and shows the whole conversation, the score and the cost.')
      .argument('[project]', projectText)
      .requiredOption('--task <id>', 'the task, from any split')
      .option(
        '--skill <file|run>',
        "the skill to use: a file, a run or RUN@VERSION (default: the project's own)",
      )
      .option('--json', 'print the attempt as JSON'),
  )
    .addHelpText('after', example('skillopt try my-skill --task q17'))
    .action(async (project, flags) =>
      done(await (await import('../commands/train/try.js')).tryOne(io, project, flags)),
    )
}

function addInit(program: Command, io: Io, done: Done): void {
  program
    .command('init')
    .summary('create a project from a skill, from tasks, or from scratch')
    .description(
      'Creates a project: a skillopt.yaml with a skill and tasks. Uses the skill and tasks that you name or that are in the folder, or writes starters.',
    )
    .argument('[folder]', 'where the project goes (default: the current folder)')
    .option('--from <path>', 'start from this SKILL.md or skill folder')
    .option('--tasks <path>', 'tasks as a file (.csv, .jsonl, .json, .yaml) or a folder')
    .option('--question <column>', 'the column with the question (default: guessed from its name)')
    .option('--answer <column>', 'the column with the expected answer (default: guessed from its name)')
    .option('--target <provider/model>', 'the model that uses the skill (default: from your API keys)')
    .option('--optimizer <provider/model>', 'the model that proposes edits (default: from your API keys)')
    .addOption(
      new Option(
        '--environment <name>',
        'create tasks in TypeScript, with a scorer and a test, instead of a task file',
      ).conflicts(['from', 'tasks', 'question', 'answer']),
    )
    .option('--yes', 'ask nothing')
    .option('--force', 'replace existing files')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      example(
        'skillopt init my-skill',
        'skillopt init parcels --environment parcels',
        'skillopt init my-skill --from ~/.claude/skills/my-skill --tasks tickets.csv',
        'skillopt init my-skill --target openai/gpt-5-nano --optimizer openai/gpt-5.4 --yes',
      ),
    )
    .action(async (folder, { environment, ...flags }) => {
      if (environment === undefined)
        return done(await (await import('../commands/project/init.js')).init(io, folder, flags))
      const { initEnvironment } = await import('../commands/project/init-environment.js')
      done(await initEnvironment(io, folder, { environment, ...flags }))
    })
}

function addDoctor(program: Command, io: Io, done: Done): void {
  const measuring = program
    .command('doctor')
    .summary('check that a project is ready; measure its gate or its judge')
    .description(
      'Checks for free that a project is ready to train. --gate and --judge measure that part instead: they cost calls, so they show a forecast and ask first. Repeating a measurement reuses its log.',
    )
    .argument('[project]', projectText)
    .option('--online', 'also make one tiny call to each model')
    .option('--preset <name>', presetText)
    .optionsGroup('Measure the gate:')
    .option('--gate', 'measure score noise, false accepts and the smallest gain each gate detects')
    .option('--gain <points>', 'also show what it takes to detect a gain of this size', positiveNumber)
    .option('--samples <n>', 'attempts at each validation task, 2 or more (default: 4)', wholeNumber)
    .option('--skill <file|run>', "measure with this skill (default: the project's own)")
    .optionsGroup('Measure the judge:')
    .option(
      '--judge <labels>',
      'measure how well the judge agrees with people; CSV or JSONL with the columns task, answer, label (0 to 1)',
    )
    .option('--part <name>', 'which rubric, if the score has several')
    .optionsGroup('Output of a measurement:')
    .option('--json', 'print the result as JSON')
    .option('--quiet', 'print only the result')
    .optionsGroup('')
  spendingOptions(configOptions(measuring))
    .addHelpText(
      'after',
      example(
        'skillopt doctor my-skill --online',
        'skillopt doctor my-skill --gate --gain 5 --max-cost 2',
        'skillopt doctor my-skill --judge labels.csv --max-cost 2',
      ),
    )
    .action(async (project, flags) =>
      done(await (await import('../commands/project/doctor-measure.js')).runDoctor(io, project, flags)),
    )
}
