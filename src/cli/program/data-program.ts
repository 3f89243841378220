import { Command, Option } from '@commander-js/extra-typings'
import type { Io } from '../terminal/io.js'
import { example, wholeNumber } from './arguments.js'

/** `skillopt data …`: the published benchmarks, and the user's own copies of them. */
export function createDataCommand(io: Io, done: (code: number) => void) {
  const data = new Command('data')
    .summary('the benchmarks: what they need, check a copy, divide it')
    .description(
      'The published benchmarks, and your own copies of them. None of these calls a model or downloads anything.',
    )
    .addHelpText(
      'after',
      example(
        'skillopt data',
        'skillopt data check searchqa --from searchqa.jsonl',
        'skillopt data split searchqa --from searchqa.jsonl --to data/searchqa',
      ),
    )

  data
    .command('list', { isDefault: true })
    .summary('what each benchmark needs, where it is published, and its licence')
    .argument('[benchmark]', 'one of them (default: all)')
    .option('--json', 'print it as JSON')
    .addHelpText('after', example('skillopt data list officeqa'))
    .action(async (benchmark, flags) =>
      done(await (await import('../commands/data/list.js')).listData(io, benchmark, flags)),
    )

  data
    .command('check')
    .summary('say what is missing or wrong in your copy of a benchmark')
    .description(
      'Checks a copy, as it is published or divided: counts, ids, fields, files. Ends with 2 if something is wrong.',
    )
    .argument('<benchmark>', 'one of those that `skillopt data` lists')
    .requiredOption('--from <path>', 'the copy: a file, or a folder')
    .option(
      '--files <folder>',
      'where its images, spreadsheets, documents or games are (default: in the copy)',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', example('skillopt data check docvqa --from docvqa/splits --files docvqa/images'))
    .action(async (benchmark, flags) =>
      done(await (await import('../commands/data/check.js')).checkBenchmark(io, benchmark, flags)),
    )

  data
    .command('split')
    .summary('divide your copy of a benchmark into train, validation and test')
    .description(
      'Writes train/items.json, val/items.json and test/items.json: by a ratio, or by a manifest of ids. The same seed gives the same splits as the Python SkillOpt.',
    )
    .argument('<benchmark>', 'one of those that `skillopt data` lists')
    .requiredOption('--from <path>', 'the copy, as it is published')
    .requiredOption('--to <folder>', 'where the splits go')
    .option('--ratio <train:val:test>', 'shares', '2:1:7')
    .option('--seed <n>', 'seed of the shuffle', wholeNumber, 42)
    .addOption(
      new Option(
        '--manifest <path>',
        'ids per split: a .json or .yaml file, or a folder of the Python SkillOpt',
      ).conflicts(['ratio', 'seed']),
    )
    .option(
      '--files <folder>',
      'where its images, spreadsheets, documents or games are (default: in the copy)',
    )
    .option('--force', 'replace the files if they are there')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      example(
        'skillopt data split searchqa --from searchqa.jsonl --to data/searchqa --ratio 2:1:7',
        'skillopt data split searchqa --from searchqa.jsonl --to data/searchqa --manifest ids.json',
      ),
    )
    .action(async (benchmark, flags) =>
      done(await (await import('../commands/data/split.js')).splitBenchmark(io, benchmark, flags)),
    )

  return data
}
