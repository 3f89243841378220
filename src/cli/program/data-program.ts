import { Command, Option } from '@commander-js/extra-typings'
import type { Io } from '../terminal/io.js'
import { example, wholeNumber } from './arguments.js'

/** `skillopt data …`: benchmarks, the evaluation cache, and runs of the Python SkillOpt. */
export function createDataCommand(io: Io, done: (code: number) => void) {
  const data = new Command('data')
    .summary('benchmark files, evaluation cache, Python SkillOpt runs')
    .description(
      'Manages benchmark files, the evaluation cache and Python SkillOpt runs. Calls no model and downloads nothing.',
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
    .argument('<benchmark>', 'a benchmark that `skillopt data` lists')
    .requiredOption('--from <path>', 'the copy: a file, or a folder')
    .option(
      '--files <folder>',
      'folder with its images, spreadsheets, documents or games (default: in the copy)',
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
    .argument('<benchmark>', 'a benchmark that `skillopt data` lists')
    .requiredOption('--from <path>', 'the copy, as published')
    .requiredOption('--to <folder>', 'where the splits go')
    .option('--ratio <train:val:test>', 'shares', '2:1:7')
    .option('--seed <n>', 'seed of the shuffle', wholeNumber, 42)
    .addOption(
      new Option(
        '--manifest <path>',
        'ids per split: a .json or .yaml file, or a Python SkillOpt folder',
      ).conflicts(['ratio', 'seed']),
    )
    .option(
      '--files <folder>',
      'folder with its images, spreadsheets, documents or games (default: in the copy)',
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
    .summary('import a Python SkillOpt run')
    .description(
      'Imports the output folder (out_root) of a Python SkillOpt run into runs/. The folder itself is not changed. What it did not record stays unknown.',
    )
    .argument('<folder>', 'the run: a folder with history.json and skills/')
    .option('--name <name>', 'name of the run in runs/ (default: the folder name)')
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
    .description('Shows the size of the cache of scored attempts.')
    .argument('[folder]', 'the cache (default: runs/.cache)')
    .option('--json', 'print it as JSON')
    .addHelpText('after', example('skillopt data cache', 'skillopt data cache clear'))
    .action(async (folder, flags) =>
      done(await (await import('../commands/data/cache.js')).showCache(io, folder, flags)),
    )

  cache
    .command('clear')
    .summary('empty the cache; runs keep their results')
    .description('Empties the cache. Runs keep their results.')
    .argument('[folder]', 'the cache (default: runs/.cache)')
    .option('--yes', 'do not ask')
    .addHelpText('after', example('skillopt data cache clear --yes'))
    .action(async (folder, flags) =>
      done(await (await import('../commands/data/cache.js')).clearCache(io, folder, flags)),
    )
}
