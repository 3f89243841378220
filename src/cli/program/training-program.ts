import { type Command, Option } from '@commander-js/extra-typings'
import type { Io } from '../terminal/io.js'
import { collect, example, port } from './arguments.js'
import { configOptions, presetText, projectText, runText, spendingOptions } from './shared-options.js'

type Done = (code: number) => void

export function addTrain(program: Command, io: Io, done: Done): void {
  const train = program
    .command('train')
    .summary('train a skill, or resume a stopped run')
    .description('Trains the skill of a project. Rerun the same command to resume a stopped run.')
    .argument('[project]', projectText)
    .option('--preset <name>', presetText)
    .option('--out <dir>', 'run directory (default: runs/<name>-NNN)')
    .option('--new', 'start a new run even if the last one is not finished')
    .option('--fork <run@version>', 'start a new run from a skill version of another run')
    .option('--dry-run', 'only forecast calls, tokens and cost by stage')
    .option('--probe', 'with --dry-run: make a few calls to measure the length of replies')
    .option('--json', 'print only the events, as JSON lines')
    .option('--quiet', 'print only the final report')
  spendingOptions(configOptions(train))
    .addHelpText(
      'after',
      example(
        'skillopt train my-skill --max-cost 5',
        'skillopt train my-skill --preset thrifty --dry-run',
        'skillopt train my-skill --set train.epochs=2 --out runs/short',
      ),
    )
    .action(async (project, flags) =>
      done(await (await import('../commands/train/train.js')).train(io, project, flags)),
    )
}

/** Commands that read runs. */
export function addRunCommands(program: Command, io: Io, done: Done): void {
  const runs = program
    .command('runs')
    .summary('list or remove training runs')
    .description('Lists training runs, the newest first.')
    .option('--dir <folder>', 'where to look (default: runs); may be repeated', collect, [] as string[])
    .option('--json', 'print the list as JSON')
    .addHelpText('after', example('skillopt runs --dir runs --dir ../other/runs'))
    .action(async flags => done(await (await import('../commands/runs/list.js')).runs(io, flags)))

  runs
    .command('rm')
    .summary('delete runs')
    .description('Deletes runs for good.')
    .argument('<run...>', 'run directories or names in runs/')
    .option('--yes', 'do not ask')
    .addHelpText('after', example('skillopt runs rm my-skill-001 my-skill-002'))
    .action(async (names, flags) =>
      done(await (await import('../commands/runs/remove.js')).removeRuns(io, names, flags)),
    )

  program
    .command('show')
    .summary('explain a run: scores, steps, edits, skill versions')
    .description('Shows what happened in a run and why: scores, steps, edits, skill versions, cost.')
    .argument('[run]', runText)
    .option('--lines', 'also show which edit each line of the best skill came from')
    .option('--sources', 'also show every setting and where it was set')
    .optionsGroup('Show this instead:')
    .addOption(
      new Option(
        '--diff [versions...]',
        'diff two skill versions: v0, v1, …, seed, best, last (default: seed best)',
      ).conflicts(['task', 'lines', 'sources', 'json']),
    )
    .addOption(
      new Option('--task <id>', 'every attempt at this task: messages, actions, score').conflicts([
        'lines',
        'sources',
      ]),
    )
    .optionsGroup('')
    .option('--json', 'print everything as JSON')
    .addHelpText(
      'after',
      example(
        'skillopt show',
        'skillopt show my-skill-001 --diff',
        'skillopt show my-skill-001 --diff v3 v7',
        'skillopt show my-skill-001 --task t1',
      ),
    )
    .action(async (run, flags) => done(await (await import('../commands/runs/show.js')).show(io, run, flags)))

  program
    .command('view')
    .summary('open the dashboard in a browser')
    .description(
      'Serves a dashboard on this machine: live runs with their gates, skills and trajectories, new training runs, and Sleep proposals. Prints its address with a secret token.',
    )
    .argument('[folder...]', 'folders with runs (default: runs)')
    .option('--port <n>', 'the port; 0 picks a free one (default: 7860)', port)
    .option('--host <address>', 'the address to listen on; any but 127.0.0.1 needs --token')
    .option('--token <text>', 'use this token (also: SKILLOPT_VIEW_TOKEN)')
    .option('--new-token', 'make a new token; addresses printed before stop working')
    .option('--open', 'open it in the browser')
    .addHelpText('after', example('skillopt view', 'skillopt view runs ../other/runs --port 7900 --open'))
    .action(async (folders, flags) =>
      done(await (await import('../commands/runs/view.js')).view(io, folders, flags)),
    )

  program
    .command('report')
    .summary('write the report of a run as Markdown and HTML')
    .description('Writes the report of a run as Markdown and as one self-contained HTML file with plots.')
    .argument('[run]', runText)
    .option('--out <path>', 'a folder, or a file that ends in .md or .html (default: the run directory)')
    .option('--open', 'open the HTML file afterwards')
    .addHelpText('after', example('skillopt report --open', 'skillopt report my-skill-001 --out report.html'))
    .action(async (run, flags) =>
      done(await (await import('../commands/runs/report.js')).report(io, run, flags)),
    )
}
