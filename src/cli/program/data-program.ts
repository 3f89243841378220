import { Command, Option } from '@commander-js/extra-typings'
import type { Io } from '../terminal/io.js'
import { example, wholeNumber } from './arguments.js'

/** `skillopt data …`: benchmarks, the evaluation cache, and runs of the Python SkillOpt. */
export function createDataCommand(io: Io, done: (code: number) => void) {
  const data = new Command('data')
    .summary('benchmark files, evaluation cache, Python SkillOpt runs')
    .description(
      'Benchmark files, the cache of evaluations, and runs of the Python SkillOpt. None of these calls a model or downloads anything.',
    )
    .addHelpText(
      'after',
      example(
        'skillopt data',
        'skillopt data check searchqa --from searchqa.jsonl',
        'skillopt data split searchqa --from searchqa.jsonl --to data/searchqa',
        'skillopt data cache',
        'skillopt data import ../SkillOpt/outputs/searchqa_run',
      ),
    )
    .commandsGroup('Benchmarks:')

  data
    .command('list', { isDefault: true })
    .summary('list what each benchmark needs, where it is published, and its licence')
    .argument('[benchmark]', 'only this one (default: all)')
    .option('--json', 'print it as JSON')
    .addHelpText('after', example('skillopt data list officeqa'))
    .action(async (benchmark, flags) =>
      done(await (await import('../commands/data/list.js')).listData(io, benchmark, flags)),
    )

  data
    .command('check')
    .summary('check your copy of a benchmark')
    .description(
      'Checks a copy, as published or split: counts, ids, fields, files. Exits with 2 if something is wrong.',
    )
    .argument('<benchmark>', 'a name that `skillopt data` lists')
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
    .summary('split your copy of a benchmark into train, validation and test')
    .description(
      'Writes train/items.json, val/items.json and test/items.json: by a ratio, or by a manifest of ids. The same seed gives the same splits as the Python SkillOpt.',
    )
    .argument('<benchmark>', 'a name that `skillopt data` lists')
    .requiredOption('--from <path>', 'the copy, as published')
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
    .option('--force', 'replace existing files')
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

  data.commandsGroup('Cache and runs:').helpCommand(false)
  addCache(data, io, done)
  data
    .command('import')
    .summary('import a run of the Python SkillOpt')
    .description(
      'Imports the folder that a training of the Python SkillOpt left (its out_root) as a run below runs/. The folder itself is not changed. What it did not record stays unknown.',
    )
    .argument('<folder>', 'the run: a folder with history.json and skills/')
    .option('--name <name>', 'the name of the run below runs/ (default: that of the folder)')
    .option('--json', 'print the run as JSON')
    .addHelpText(
      'after',
      example(
        'skillopt data import ../SkillOpt/outputs/searchqa_run',
        'skillopt data import ../SkillOpt/outputs/run7 --name searchqa-python',
      ),
    )
    .action(async (folder, flags) =>
      done(await (await import('../commands/data/import.js')).importReference(io, folder, flags)),
    )

  return data
}

function addCache(data: Command, io: Io, done: (code: number) => void): void {
  const cache = data
    .command('cache')
    .summary('show the size of the evaluation cache, or clear it')
    .description('Shows how much the cache of scored attempts holds.')
    .argument('[folder]', 'the cache (default: runs/.cache)')
    .option('--json', 'print it as JSON')
    .addHelpText('after', example('skillopt data cache', 'skillopt data cache clear'))
    .action(async (folder, flags) =>
      done(await (await import('../commands/data/cache.js')).showCache(io, folder, flags)),
    )

  cache
    .command('clear')
    .summary('empty the cache; runs keep what they took from it')
    .description('Empties the cache. Runs keep what they took from it.')
    .argument('[folder]', 'the cache (default: runs/.cache)')
    .option('--yes', 'do not ask')
    .addHelpText('after', example('skillopt data cache clear --yes'))
    .action(async (folder, flags) =>
      done(await (await import('../commands/data/cache.js')).clearCache(io, folder, flags)),
    )
}
