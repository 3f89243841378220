import { Command, Option } from '@commander-js/extra-typings'
import type { Io } from '../terminal/io.js'
import { example, wholeNumber } from './arguments.js'

const source = 'a file (.csv, .jsonl, .json, .yaml) or a folder with a question and an answer file per task'

/** `skillopt tasks …`: turns a table or a folder into tasks for training. */
export function createTasksCommand(io: Io, done: (code: number) => void) {
  const tasks = new Command('tasks')
    .summary('prepare tasks: draft, check, dedupe, split')
    .description('Prepares tasks from a table or a folder. Calls no model.')
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
    .description('Makes a tasks file, guesses the columns and suggests a scorer.')
    .argument('<source>', source)
    .option('--question <column>', 'the question column')
    .option('--answer <column>', 'the answer column')
    .option('--type <column>', 'the column to group results by')
    .option('--id <column>', 'the id column')
    .option('--scorer <name>', 'the scorer, instead of a suggestion')
    .option('--out <file>', 'where to write it: .jsonl, .json, .yaml or .csv', 'tasks.jsonl')
    .option('--force', 'replace the file if it exists')
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
    .summary('find problems in tasks, and which gains they can detect')
    .description(
      'Checks tasks: unusable ones, duplicates, balance, leaked answers, and which gains so many tasks can detect.',
    )
    .argument('[source]', `a project, a folder with the three splits, or ${source}`, '.')
    .option('--question <column>', 'the question column')
    .option('--answer <column>', 'the answer column')
    .option('--type <column>', 'the column to group results by')
    .option('--id <column>', 'the id column')
    .option(
      '--scorer <name>',
      "the scorer to check the answers against (default: the project's, or a suggestion)",
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', example('skillopt tasks check tasks.jsonl', 'skillopt tasks check my-skill'))
    .action(async (path, flags) =>
      done(await (await import('../commands/tasks/check.js')).checkTaskFiles(io, path, flags)),
    )

  tasks
    .command('dedupe')
    .summary('remove duplicate tasks')
    .description('Writes the tasks without duplicates to another file and lists the removed ones.')
    .argument('<source>', source)
    .option('--near', 'also remove near-duplicates')
    .option('--question <column>', 'the question column')
    .option('--answer <column>', 'the answer column')
    .option('--out <file>', 'where to write them (default: beside the source, as NAME-unique)')
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', example('skillopt tasks dedupe tasks.jsonl --near --out clean.jsonl'))
    .action(async (path, flags) =>
      done(await (await import('../commands/tasks/dedupe.js')).dedupeTasks(io, path, flags)),
    )

  tasks
    .command('split')
    .summary('split tasks into train, validation and test')
    .description('Splits tasks into three files, stratified by type; near-duplicates stay in one split.')
    .argument('<source>', source)
    .option('--ratio <train:val:test>', 'shares, such as 2:1:7 (default: by the number of tasks)')
    .addOption(
      new Option(
        '--counts <train:val:test>',
        'numbers of tasks, such as 100:50:100; the rest is left out',
      ).conflicts('ratio'),
    )
    .option('--seed <n>', 'seed of the shuffle', wholeNumber, 42)
    .option('--question <column>', 'the question column')
    .option('--answer <column>', 'the answer column')
    .option('--type <column>', 'the column to group results by')
    .option('--id <column>', 'the id column')
    .option('--out <dir>', 'where to write train.jsonl, val.jsonl and test.jsonl', 'tasks')
    .option('--force', 'replace the files if they exist')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', example('skillopt tasks split tasks.jsonl --ratio 2:1:7 --out tasks'))
    .action(async (path, flags) =>
      done(await (await import('../commands/tasks/split.js')).splitTasks(io, path, flags)),
    )

  return tasks
}
