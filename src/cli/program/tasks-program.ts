import { Command, Option } from '@commander-js/extra-typings'
import type { Io } from '../terminal/io.js'
import { example, wholeNumber } from './arguments.js'

const source = 'a file (.csv, .jsonl, .json, .yaml) or a folder with a question and an answer file per task'

/** `skillopt tasks …`: turns a table or a folder into tasks for training. */
export function createTasksCommand(io: Io, done: (code: number) => void) {
  const tasks = new Command('tasks')
    .summary('prepare tasks: draft, check, dedupe, split')
    .description('Prepares tasks from a table or a folder. None of these calls a model.')
    .addHelpText(
      'after',
      example(
        'skillopt tasks draft tickets.csv',
        'skillopt tasks check tasks.jsonl',
        'skillopt tasks dedupe tasks.jsonl --near',
        'skillopt tasks split tasks-unique.jsonl',
      ),
    )

  tasks
    .command('draft')
    .summary('make a tasks file from a table or a folder')
    .description('Makes a tasks file, guesses which column is what, and suggests a scorer.')
    .argument('<source>', source)
    .option('--question <column>', 'the column with what is asked')
    .option('--answer <column>', 'the column with what is expected')
    .option('--type <column>', 'the column by which results are grouped')
    .option('--id <column>', 'the column with the id')
    .option('--scorer <name>', 'the scorer, instead of a suggestion')
    .option('--out <file>', 'where to write it: .jsonl, .json, .yaml or .csv', 'tasks.jsonl')
    .option('--force', 'replace the file if it is there')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      example(
        'skillopt tasks draft tickets.csv --question message --answer team',
        'skillopt tasks draft cases/ --out tasks.yaml',
      ),
    )
    .action(async (path, flags) =>
      done(await (await import('../commands/tasks/draft.js')).draftTasks(io, path, flags)),
    )

  tasks
    .command('check')
    .summary('say what is wrong with tasks, and what they can show')
    .description(
      'Checks tasks: unusable ones, repeats, balance, answers given away, and what gains can be seen with so many.',
    )
    .argument('[source]', `a project, a folder with the three splits, or ${source}`, '.')
    .option('--question <column>', 'the column with what is asked')
    .option('--answer <column>', 'the column with what is expected')
    .option('--type <column>', 'the column by which results are grouped')
    .option('--id <column>', 'the column with the id')
    .option(
      '--scorer <name>',
      'the scorer that the answers must suit (default: a suggestion, or that of the project)',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', example('skillopt tasks check tasks.jsonl', 'skillopt tasks check my-skill'))
    .action(async (path, flags) =>
      done(await (await import('../commands/tasks/check.js')).checkTaskFiles(io, path, flags)),
    )

  tasks
    .command('dedupe')
    .summary('remove tasks that repeat an earlier one')
    .description('Writes the tasks without repeats to another file, and says which were left out.')
    .argument('<source>', source)
    .option('--near', 'also remove those that nearly repeat an earlier one')
    .option('--question <column>', 'the column with what is asked')
    .option('--answer <column>', 'the column with what is expected')
    .option('--out <file>', 'where to write them (default: beside the source, as NAME-unique)')
    .option('--force', 'replace the file if it is there')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', example('skillopt tasks dedupe tasks.jsonl --near --out clean.jsonl'))
    .action(async (path, flags) =>
      done(await (await import('../commands/tasks/dedupe.js')).dedupeTasks(io, path, flags)),
    )

  tasks
    .command('split')
    .summary('divide tasks into train, validation and test')
    .description(
      'Divides tasks into three files. Each type gets its share; tasks that are nearly the same stay together.',
    )
    .argument('<source>', source)
    .option('--ratio <train:val:test>', 'shares, such as 2:1:7 (default: by the number of tasks)')
    .addOption(
      new Option(
        '--counts <train:val:test>',
        'numbers of tasks, such as 100:50:100; the others are left out',
      ).conflicts('ratio'),
    )
    .option('--seed <n>', 'seed of the shuffle', wholeNumber, 42)
    .option('--question <column>', 'the column with what is asked')
    .option('--answer <column>', 'the column with what is expected')
    .option('--type <column>', 'the column by which results are grouped')
    .option('--id <column>', 'the column with the id')
    .option('--out <dir>', 'where to write train.jsonl, val.jsonl and test.jsonl', 'tasks')
    .option('--force', 'replace the files if they are there')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', example('skillopt tasks split tasks.jsonl --ratio 2:1:7 --out tasks'))
    .action(async (path, flags) =>
      done(await (await import('../commands/tasks/split.js')).splitTasks(io, path, flags)),
    )

  return tasks
}
