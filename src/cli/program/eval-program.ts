import { type Command, Option } from '@commander-js/extra-typings'
import type { Io } from '../terminal/io.js'
import { collect, example, wholeNumber } from './arguments.js'
import { configOptions, presetText, spendingOptions } from './shared-options.js'

/** `skillopt eval`: scores skills. `--baselines` adds baselines, `--on` other targets. */
export function addEval(program: Command, io: Io, done: (code: number) => void): void {
  const evaluation = program
    .command('eval')
    .summary('score skills; compare with baselines or on other models')
    .description(
      'Scores a skill on the tasks of a project, or compares several skills task by task. With --baselines or --on, --skill is the trained skill (default: from the newest finished run). Attempts already in a log are not paid for again.',
    )
    // Commander would add the preset value of --skill to the help, but the description already explains it.
    .configureHelp({ optionDescription: ({ description }) => description })
    .argument(
      '[project-or-skill...]',
      'folder with a skillopt.yaml (default: the current one), and skill files that end in .md',
    )
    .addOption(
      new Option(
        '--skill [file|run]',
        "the skill: a file, a run or RUN@VERSION; may be repeated; --skill alone takes the newest finished run (default: the project's own skill)",
      )
        .argParser(collect)
        .preset('@best'),
    )
    .option('--split <name>', 'train, val, test or all (default: all; with --on: test)')
    .option('--samples <n>', 'attempts per task and skill (default: 1)', wholeNumber)
    .option('--preset <name>', presetText)
    .optionsGroup('Was the training worth it?')
    .option(
      '--baselines',
      "compare the trained skill with no skill, a one-shot skill and the project's own, on the test tasks",
    )
    .optionsGroup('Does the skill help other models and agents?')
    .option(
      '--on <targets>',
      'compare the trained skill with no skill and the seed, on each of these models or agents; comma-separated or repeated',
      collect,
    )
    .option(
      '--seed-skill <file>',
      'the skill to compare with (default: the seed of the run, or of the project)',
    )
    .option('--max-tasks <n>', 'use at most this many tasks, drawn by the seed', wholeNumber)
    .option('--dry-run', 'only check the targets and forecast calls, tokens and cost')
    .optionsGroup('Output:')
    .option('--out <dir>', 'run directory (default: runs/<name>-eval-…, by what is measured)')
    .option('--report <file>', 'also write a report: .md, .html or .json')
    .option('--json', 'print the result as JSON')
    .option('--quiet', 'print only the result')
    .optionsGroup('')
  spendingOptions(configOptions(evaluation))
    .addHelpText(
      'after',
      example(
        'skillopt eval my-skill --skill my-skill-001 --split test',
        'skillopt eval my-skill old.md new.md --split test --samples 3 --report compared.md',
        'skillopt eval my-skill --baselines',
        'skillopt eval my-skill --on codex/default,openai/gpt-5-mini --max-cost 5',
      ),
    )
    .action(async (named, flags) =>
      done(await (await import('../commands/evaluate/eval.js')).evaluate(io, named, flags)),
    )
}
