import { Argument, Command, Option } from '@commander-js/extra-typings'
import { version } from '../../system/version.js'
import type { Io } from '../terminal/io.js'
import { collect, example, port, positiveNumber, wholeNumber } from './arguments.js'
import { createDataCommand } from './data-program.js'
import { configOptions, spendingOptions } from './shared-options.js'
import { createSleepCommand } from './sleep-program.js'
import { createTasksCommand } from './tasks-program.js'

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
  skillopt init my-skill               make a project of your own
  skillopt doctor my-skill             check a project before paying for anything
  skillopt train my-skill              train; Ctrl-C is safe, the same command goes on
  skillopt show my-skill-001           what happened in a run, and why
  skillopt view                        the same and more in a browser, live`,
    )

  program
    .command('init')
    .summary('make a project: from nothing, or from a skill that you have')
    .description(
      'Writes a skillopt.yaml, with a skill and tasks: those that you name, those that lie there, or starters.',
    )
    .argument('[folder]', 'where the project goes; the current folder if not given')
    .option('--from <path>', 'a SKILL.md or a skill folder to begin with')
    .option('--tasks <path>', 'tasks as a file (.csv, .jsonl, .json, .yaml) or a folder')
    .option('--question <column>', 'the column with what is asked (default: by its name)')
    .option('--answer <column>', 'the column with what is expected (default: by its name)')
    .option(
      '--target <provider/model>',
      'the model whose skill is trained (default: by the keys that are set)',
    )
    .option(
      '--optimizer <provider/model>',
      'the model that proposes edits (default: by the keys that are set)',
    )
    .addOption(
      new Option(
        '--environment <name>',
        'instead of tasks in a table: a TypeScript file that makes and scores them, with its test',
      ).conflicts(['from', 'tasks', 'question', 'answer']),
    )
    .option('--yes', 'ask nothing')
    .option('--force', 'replace files that are there already')
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
      done(await initEnvironment(io, folder, environment, flags))
    })

  program
    .command('trust')
    .summary('trust a project by somebody else: its code, hosts and files')
    .description(
      'Shows what the config of a project decides on this machine (code, hosts that get keys, files outside of its folder), and remembers that you trust it. Nothing of it is run. Projects made by `skillopt init` on this machine are trusted already.',
    )
    .argument('[project]', 'folder with a skillopt.yaml; the current one if not given')
    .option('--config <file>', 'a config file in place of a project')
    .option('--always', 'trust it whatever it becomes; without, you are asked again when it changes')
    .option('--remove', 'trust it no longer')
    .option('--yes', 'trust what is shown, without asking')
    .addHelpText('after', example('skillopt trust cloned-skill', 'skillopt trust cloned-skill --remove'))
    .action(async (project, flags) =>
      done(await (await import('../commands/project/trust.js')).trustProject(io, project, flags)),
    )

  program.addCommand(createTasksCommand(io, done))
  program.addCommand(createDataCommand(io, done))
  program.addCommand(createSleepCommand(io, done))

  spendingOptions(
    configOptions(
      program
        .command('train')
        .summary('train a skill, or go on with a training that was stopped')
        .description('Trains the skill of a project. The same command goes on where a stopped run left off.')
        .argument('[project]', 'folder with a skillopt.yaml; the current one if not given'),
    ),
  )
    .option('--preset <name>', 'default, paper, reference or thrifty: settings that go together')
    .option('--out <dir>', 'run directory (default: runs/<name>-NNN)')
    .option('--new', 'start another run although the last one is not finished')
    .option('--fork <run@version>', 'start a new run from a skill version of another one')
    .option('--cache', 'share scored evaluations with other runs, in runs/.cache')
    .option('--dry-run', 'only show what it would take: calls, tokens and cost by stage')
    .option('--probe', 'with --dry-run: make a few calls first, to know how long replies are')
    .option('--json', 'print the events as JSON lines and nothing else')
    .option('--quiet', 'print the report at the end only')
    .addHelpText(
      'after',
      example(
        'skillopt train my-skill --max-cost 5',
        'skillopt train my-skill --preset thrifty --dry-run',
        'skillopt train --config theirs.yaml --cfg-options train.num_epochs=2 --out runs/a',
      ),
    )
    .action(async (project, flags) =>
      done(await (await import('../commands/train/train.js')).train(io, project, flags)),
    )

  spendingOptions(
    configOptions(
      program
        .command('eval')
        .summary('score a skill without training it, or compare several')
        .description(
          'Scores a skill on the tasks of a project, or several on the same tasks, compared task by task. What was scored before is read from the log instead of paid again.',
        )
        .argument(
          '[project-or-skill...]',
          'folder with a skillopt.yaml (default: the current one), and skills: files that end in .md',
        ),
    ),
  )
    .option('--skill <file>', 'a skill to score (default: the one of the project); may be repeated', collect)
    .option('--split <name>', 'train, val, test or all (also valid_seen, valid_unseen)', 'all')
    .option('--samples <n>', 'attempts at each task under each skill (default: 1)', wholeNumber)
    .option('--preset <name>', 'default, paper, reference or thrifty: settings that go together')
    .option('--cache', 'share scored evaluations with other runs, in runs/.cache')
    .option('--out <dir>', 'run directory (default: runs/<name>-eval-…, by what is measured)')
    .option('--report <file>', 'also write a report: .md, .html or .json')
    .option('--json', 'print the result as JSON')
    .option('--quiet', 'print the result only')
    .addHelpText(
      'after',
      example(
        'skillopt eval my-skill --skill runs/my-skill-001/best_skill.md --split test',
        'skillopt eval my-skill old.md new.md --split test --samples 3 --report compared.md',
      ),
    )
    .action(async (named, flags) =>
      done(await (await import('../commands/evaluate/eval.js')).evaluate(io, named, flags)),
    )

  spendingOptions(
    configOptions(
      program
        .command('baseline')
        .summary('find out whether training was worth it')
        .description(
          'Scores no skill, a one-shot skill by the optimizer, the given skill and a trained one on the same test tasks.',
        )
        .argument('[project]', 'folder with a skillopt.yaml; the current one if not given'),
    ),
  )
    .option('--trained <run|file>', 'a run, RUN@VERSION or a skill file (default: the newest finished run)')
    .option('--cache', 'share scored evaluations with other runs, in runs/.cache')
    .option('--json', 'print the result as JSON')
    .option('--quiet', 'print the result only')
    .addHelpText(
      'after',
      example('skillopt baseline my-skill', 'skillopt baseline my-skill --trained my-skill-002'),
    )
    .action(async (project, flags) =>
      done(await (await import('../commands/evaluate/baseline.js')).baseline(io, project, flags)),
    )

  spendingOptions(
    configOptions(
      program
        .command('transfer')
        .summary('find out whether a skill helps other models and agents too')
        .description(
          'Scores no skill, the seed and a trained skill on the same tasks, with each of several targets, compared task by task. The caps hold for all targets together. What was scored before is read from the log instead of paid again.',
        )
        .argument('[project]', 'folder with a skillopt.yaml; the current one if not given'),
    ),
  )
    .requiredOption('--skill <file|run>', 'the trained skill: a file, a run, or RUN@VERSION')
    .requiredOption(
      '--to <provider/model>',
      'a target, model or agent; may be repeated, or joined by commas',
      collect,
    )
    .option(
      '--seed-skill <file>',
      'what it is compared with (default: the seed of its run, or of the project)',
    )
    .option('--split <name>', 'test, val or train', 'test')
    .option('--limit <n>', 'only so many tasks of the split, chosen by the seed', wholeNumber)
    .option('--samples <n>', 'attempts at each task under each skill (default: 1)', wholeNumber)
    .option('--preset <name>', 'default, paper, reference or thrifty: settings that go together')
    .option('--cache', 'share scored evaluations with other runs, in runs/.cache')
    .option('--dry-run', 'only check the targets, and show what it would take')
    .option('--json', 'print the result as JSON')
    .option('--quiet', 'print the result only')
    .addHelpText(
      'after',
      example(
        'skillopt transfer my-skill --skill my-skill-001@best --to openai/gpt-5-mini,anthropic/claude-sonnet-4-5',
        'skillopt transfer my-skill --skill best_skill.md --to ollama/llama3.2 --limit 20 --dry-run',
      ),
    )
    .action(async (project, flags) =>
      done(await (await import('../commands/evaluate/transfer.js')).transfer(io, project, flags)),
    )

  configOptions(
    program
      .command('try')
      .summary('one attempt at one task, with everything shown')
      .argument('[project]', 'folder with a skillopt.yaml; the current one if not given'),
  )
    .requiredOption('--task <id>', 'the task, from any split')
    .option('--skill <file>', 'the skill to use (default: the one of the project)')
    .option('--json', 'print the attempt as JSON')
    .addHelpText('after', example('skillopt try my-skill --task q17'))
    .action(async (project, flags) =>
      done(await (await import('../commands/train/try.js')).tryOne(io, project, flags)),
    )

  const runs = program
    .command('runs')
    .summary('list runs, or remove them')
    .option('--dir <folder>', 'where to look (default: runs); may be repeated', collect, [] as string[])
    .option('--json', 'print the list as JSON')
    .addHelpText('after', example('skillopt runs --dir runs --dir ../other/runs'))
    .action(async flags => done(await (await import('../commands/runs/list.js')).runs(io, flags)))

  runs
    .command('rm')
    .summary('remove runs for good')
    .argument('<run...>', 'run directories, or their names below runs/')
    .option('--yes', 'do not ask')
    .addHelpText('after', example('skillopt runs rm my-skill-001 my-skill-002'))
    .action(async (names, flags) =>
      done(await (await import('../commands/runs/remove.js')).removeRuns(io, names, flags)),
    )

  const cache = program
    .command('cache')
    .summary('what the cache of evaluations holds, or empty it')
    .argument('[folder]', 'the cache (default: runs/.cache)')
    .option('--json', 'print it as JSON')
    .addHelpText('after', example('skillopt cache', 'skillopt cache clear'))
    .action(async (folder, flags) =>
      done(await (await import('../commands/runs/cache.js')).showCache(io, folder, flags)),
    )

  cache
    .command('clear')
    .summary('remove all that is in the cache; runs keep what they took from it')
    .argument('[folder]', 'the cache (default: runs/.cache)')
    .option('--yes', 'do not ask')
    .addHelpText('after', example('skillopt cache clear --yes'))
    .action(async (folder, flags) =>
      done(await (await import('../commands/runs/cache.js')).clearCache(io, folder, flags)),
    )

  program
    .command('show')
    .summary('what happened in a run, and why')
    .argument('<run>', 'run directory, or its name below runs/')
    .option('--sources', 'show every setting and where it came from')
    .option('--lines', 'show where each line of the best skill came from')
    .option('--task <id>', 'show every attempt at this task instead: what was said, done and scored')
    .option('--json', 'print everything as JSON')
    .addHelpText(
      'after',
      example('skillopt show my-skill-001 --lines', 'skillopt show my-skill-001 --task t1'),
    )
    .action(async (run, flags) => done(await (await import('../commands/runs/show.js')).show(io, run, flags)))

  program
    .command('view')
    .summary('see runs in a browser, live, and act on them')
    .description(
      'Serves a dashboard on this machine: runs as they learn, their gates, skills and trajectories, new trainings, and the proposals of Sleep. It prints the address to open, with a token that only you know.',
    )
    .argument('[folder...]', 'folders that hold runs (default: runs)')
    .option('--port <n>', 'the port (default: 7860); 0 takes any that is free', port)
    .option('--host <address>', 'where to listen (default: 127.0.0.1); elsewhere takes a token of yours')
    .option('--token <text>', 'a token of your choice (also: SKILLOPT_VIEW_TOKEN)')
    .option('--new-token', 'make another token: addresses that were printed before no longer work')
    .option('--open', 'open it in the browser')
    .addHelpText('after', example('skillopt view', 'skillopt view runs ../other/runs --port 7900 --open'))
    .action(async (folders, flags) =>
      done(await (await import('../commands/runs/view.js')).view(io, folders, flags)),
    )

  program
    .command('report')
    .summary('write a report of a run: Markdown, and one HTML file with plots')
    .description('Writes what happened in a run as Markdown and as one HTML file that opens offline.')
    .argument('<run>', 'run directory, or its name below runs/')
    .option('--out <path>', 'a folder, or a file that ends in .md or .html (default: the run directory)')
    .addOption(new Option('--format <name>', 'md, html or both').choices(['md', 'html', 'both']))
    .option('--open', 'open the HTML file afterwards')
    .addHelpText(
      'after',
      example('skillopt report my-skill-001 --open', 'skillopt report my-skill-001 --out report.html'),
    )
    .action(async (run, flags) =>
      done(await (await import('../commands/runs/report.js')).report(io, run, flags)),
    )

  program
    .command('import')
    .summary('bring in a run of the Python SkillOpt, to be shown like one of ours')
    .description(
      'Reads the folder that a training of the Python SkillOpt left (its out_root), and writes it as a run below runs/. What was not recorded there stays unknown. The folder itself is not changed.',
    )
    .argument('<folder>', 'the run: a folder with history.json and skills/')
    .option('--name <name>', 'the name of the run below runs/ (default: that of the folder)')
    .option('--json', 'print the run as JSON')
    .addHelpText(
      'after',
      example(
        'skillopt import ../SkillOpt/outputs/searchqa_run',
        'skillopt import ../SkillOpt/outputs/run7 --name searchqa-theirs',
      ),
    )
    .action(async (folder, flags) =>
      done(await (await import('../commands/runs/import.js')).importReference(io, folder, flags)),
    )

  program
    .command('diff')
    .summary('compare two skill versions of a run')
    .argument('<run>', 'run directory, or its name below runs/')
    .argument('<from>', 'v0, v1, …, seed, best or last')
    .argument('<to>', 'v0, v1, …, seed, best or last')
    .addHelpText('after', example('skillopt diff my-skill-001 v3 v7', 'skillopt diff my-skill-001 seed best'))
    .action(async (run, from, to) =>
      done(await (await import('../commands/runs/diff.js')).diff(io, run, from, to)),
    )

  spendingOptions(
    configOptions(
      program
        .command('judge-check')
        .summary('how well the judge of a rubric agrees with labels of people')
        .description(
          'Has the judge model score answers that people have labelled, and compares. Asked again, it reads the log.',
        )
        .argument('[project]', 'folder with a skillopt.yaml; the current one if not given'),
    ),
  )
    .requiredOption('--labels <file>', 'CSV or JSONL with the columns task, answer and label (0 to 1)')
    .option('--part <name>', 'which rubric, where several parts of the score are one')
    .option('--json', 'print the result as JSON')
    .option('--quiet', 'print the result only')
    .addHelpText('after', example('skillopt judge-check my-skill --labels labels.csv --max-cost 2'))
    .action(async (project, flags) =>
      done(await (await import('../commands/evaluate/judge-check.js')).judgeCheck(io, project, flags)),
    )

  spendingOptions(
    configOptions(
      program
        .command('gate-check')
        .summary('how noisy the target is, and what the gates make of it')
        .description(
          'Evaluates the skill against itself on the validation tasks: what noise does to the score, how often each gate would accept an edit that changes nothing, and which gains it would see. Asked again, it reads the log.',
        )
        .argument('[project]', 'folder with a skillopt.yaml; the current one if not given'),
    ),
  )
    .option('--samples <n>', 'attempts at each task, 2 or more (default: 4)', wholeNumber)
    .option('--gain <points>', 'a gain to look for: what it would take to see it', positiveNumber)
    .option('--skill <file>', 'the skill to check with (default: the one of the project)')
    .option('--preset <name>', 'default, paper, reference or thrifty: settings that go together')
    .option('--cache', 'share scored evaluations with other runs, in runs/.cache')
    .option('--json', 'print the result as JSON')
    .option('--quiet', 'print the result only')
    .addHelpText('after', example('skillopt gate-check my-skill', 'skillopt gate-check my-skill --gain 5'))
    .action(async (project, flags) =>
      done(await (await import('../commands/evaluate/gate-check.js')).gateCheck(io, project, flags)),
    )

  configOptions(
    program
      .command('doctor')
      .summary('check that a project is ready, and what is missing')
      .argument('[project]', 'folder with a skillopt.yaml; the current one if not given'),
  )
    .option('--preset <name>', 'default, paper, reference or thrifty: settings that go together')
    .option('--online', 'also make one tiny call per model')
    .addHelpText('after', example('skillopt doctor my-skill --online'))
    .action(async (project, flags) =>
      done(await (await import('../commands/project/doctor.js')).doctor(io, project, flags)),
    )

  program
    .command('install')
    .summary('put a skill where an agent reads it, or take it back')
    .description(
      'Puts a skill where coding agents read it: for the current project, or for all projects with --user.',
    )
    .argument('[skill]', 'a skill file, a folder with a SKILL.md, a run, or RUN@VERSION')
    .option(
      '--to <agent>',
      'claude-code, codex, cursor, copilot, opencode, gemini, qwen-code or pi; may be repeated, or joined by commas',
      collect,
    )
    .option('--project [dir]', 'for this project (default: the current folder)')
    .option('--user', 'for all of your projects')
    .option('--name <name>', 'the name of the skill (default: its own, or one made from its heading)')
    .option(
      '--description <text>',
      'what it does and when to use it (default: its own, or its first paragraph)',
    )
    .option(
      '--with-folder [dir]',
      'copy scripts/, references/ and assets/ beside the skill too, or those in <dir>',
    )
    .option(
      '--force',
      'replace another skill of that name (kept for --undo); with --undo, drop later changes',
    )
    .option('--allow-hidden', 'install text that people do not see, such as HTML comments')
    .option('--undo', 'put back what was there before the installation')
    .option('--dry-run', 'only say what would be done')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      example(
        'skillopt install my-skill-001 --to claude-code --to codex',
        'skillopt install runs/my-skill-001/best_skill.md --to cursor --user --name pdf-tables',
        'skillopt install --undo --to claude-code',
      ),
    )
    .action(async (skill, flags) =>
      done(await (await import('../commands/install/install.js')).install(io, skill, flags)),
    )

  program
    .command('completion')
    .summary('print a completion script for your shell')
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

  program
    .command('quickstart')
    .summary('train the bundled example, simulated: no key, no cost')
    .option('--out <dir>', 'run directory (default: runs/quickstart-NNN)')
    .option('--json', 'print the events as JSON lines and nothing else')
    .addHelpText('after', example('skillopt quickstart'))
    .action(async flags =>
      done(await (await import('../commands/train/quickstart.js')).quickstart(io, flags)),
    )

  return program
}
