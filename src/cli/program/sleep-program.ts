import { Command, Option } from '@commander-js/extra-typings'
import { taskSplits } from '../../sleep/model/task-splits.js'
import type { Io } from '../terminal/io.js'
import { collect, example, notNegative } from './arguments.js'
import { addNightOptions } from './night-options.js'
import { fileOptions, sleepOptions, spendingOptions } from './shared-options.js'
import { createExperimentCommand } from './sleep-experiment-program.js'
import { createResultCommands } from './sleep-results-program.js'

/** `skillopt sleep …`: finds recurring work in a user's agent sessions and builds skills for it. */
export function createSleepCommand(io: Io, done: (code: number) => void) {
  const sleep = new Command('sleep')
    .summary('learn skills from your own agent sessions, overnight')
    .description('Turns what recurs in your work with coding agents into tasks and trains a skill on them.')
    .addHelpText(
      'after',
      example(
        'skillopt sleep',
        'skillopt sleep harvest --dry-run',
        'skillopt sleep harvest --optimizer openai/gpt-5.4',
        'skillopt sleep tasks',
      ),
    )
    .addCommand(createCorrectionsCommand(io, done), { isDefault: true })
    .addCommand(createHarvestCommand(io, done))
    .addCommand(createRunCommand(io, done))
    .addCommand(createSleepTasksCommand(io, done))
  for (const command of createResultCommands(io, done)) sleep.addCommand(command)
  sleep.addCommand(createExperimentCommand(io, done))
  return sleep
}

function createCorrectionsCommand(io: Io, done: (code: number) => void) {
  return fileOptions(
    sleepOptions(
      new Command('corrections')
        .summary('show what you corrected repeatedly, as rules to accept; the default')
        .description(
          'Reads your sessions and shows what you corrected more than once, as rules in your own words. No model is called. Accepted rules go into the skill that Sleep manages; `skillopt sleep undo` removes them.',
        ),
    ),
  )
    .option('--rule <n>', 'accept this rule only; may be repeated (default: all)', collect)
    .option('--yes', 'accept without asking')
    .addHelpText('after', example('skillopt sleep', 'skillopt sleep corrections --rule 1 --yes'))
    .action(async flags =>
      done(await (await import('../commands/sleep/corrections.js')).showCorrections(io, flags)),
    )
}

function createHarvestCommand(io: Io, done: (code: number) => void) {
  return spendingOptions(
    fileOptions(
      sleepOptions(
        new Command('harvest')
          .summary('turn what recurs in your transcripts into tasks')
          .description(
            'Reads the transcripts of your coding agents, hides secrets, counts what recurs and saves it as tasks. Without --optimizer no model is called. Transcripts are never changed.',
          ),
      ),
    ),
  )
    .option('--source <agent>', 'read this agent only; may be repeated (default: all)', collect)
    .option('--days <n>', 'sessions of the last n days; 0 = all (default: 90)', notNegative)
    .option('--all-projects', 'sessions of all projects, not only of this one')
    .option('--optimizer <provider/model>', 'the model that generalizes what recurs')
    .option('--embedder <name|file>', 'compare requests by meaning too (default: by words)')
    .option('--output <file>', 'also write the tasks to a file, for review: .yaml or .json')
    .option('--force', 'replace that file if it exists')
    .option('--audit', 'list what was hidden or left out, and where')
    .option('--dry-run', 'only read and count: no model is called, nothing is written')
    .option('--quiet', 'print only the result')
    .addHelpText(
      'after',
      example(
        'skillopt sleep harvest --dry-run --audit',
        'skillopt sleep harvest --source claude-code --days 30',
        'skillopt sleep harvest --optimizer openai/gpt-5.4 --max-cost 1 --output tasks.yaml',
      ),
    )
    .action(async flags =>
      done(await (await import('../commands/sleep/harvest.js')).harvestSessions(io, flags)),
    )
}

function createRunCommand(io: Io, done: (code: number) => void) {
  return addNightOptions(
    new Command('run')
      .summary('run a night: retry recurring tasks, learn, propose what the gate accepts')
      .description(
        'Reads your sessions, retries recurring tasks and trains a skill on them like `skillopt train`. What the gate accepts is proposed for review; your files are not changed. Rerun the same command to resume a stopped night.',
      ),
  )
    .option('--tasks-file <file>', 'use these reviewed tasks instead of reading sessions')
    .option('--new', 'start a new night even if the last one is not finished')
    .option('--dry-run', 'only show what a night would do and cost: no model is called, nothing is written')
    .option('--yes', 'do not ask before the first paid call')
    .option('--quiet', 'print only the result')
    .addHelpText(
      'after',
      example(
        'skillopt sleep run --dry-run',
        'skillopt sleep run --target claude-code/default --max-calls 200',
        'skillopt sleep run --target openai/gpt-5.4-mini --optimizer openai/gpt-5.4 --max-cost 2',
        'skillopt sleep run --tasks-file tasks.yaml --target codex/default',
      ),
    )
    .action(async flags => done(await (await import('../commands/sleep/run.js')).runNight(io, flags)))
}

function createSleepTasksCommand(io: Io, done: (code: number) => void) {
  const tasks = new Command('tasks')
    .summary('review the tasks: list, show, edit, drop, restore, export, import')
    .description('Reviews the tasks of a project with their evidence. Calls no model.')
    .addHelpText(
      'after',
      example(
        'skillopt sleep tasks',
        'skillopt sleep tasks show write-commit-messages',
        'skillopt sleep tasks edit write-commit-messages --rubric "Names what changes for users."',
        'skillopt sleep tasks export tasks.yaml',
      ),
    )

  sleepOptions(
    tasks
      .command('list', { isDefault: true })
      .summary('list all tasks, most frequent first')
      .addOption(new Option('--split <name>', 'only tasks of this split').choices(taskSplits))
      .option('--dropped', 'list dropped tasks instead'),
  )
    .addHelpText('after', example('skillopt sleep tasks', 'skillopt sleep tasks list --split test'))
    .action(async flags => done(await (await import('../commands/sleep/tasks-list.js')).listTasks(io, flags)))

  sleepOptions(
    tasks
      .command('show')
      .summary('show a task with its evidence: how often, in which words, what went wrong')
      .argument('<id>', 'its id, or a unique prefix'),
  )
    .addHelpText('after', example('skillopt sleep tasks show write-commit-messages'))
    .action(async (id, flags) =>
      done(await (await import('../commands/sleep/tasks-show.js')).showTask(io, id, flags)),
    )

  sleepOptions(
    tasks
      .command('edit')
      .summary('change what a task asks, or how it is scored')
      .description('Changes a task by the given options; without any, opens $VISUAL or $EDITOR.')
      .argument('<id>', 'its id, or a unique prefix')
      .option('--intent <text>', 'what is asked of the agent')
      .option(
        '--rubric <point>',
        'what a good answer does; may be repeated, replaces all points; "none": no rubric',
        collect,
      )
      .option(
        '--check <op=arg>',
        'what a program looks for; may be repeated, replaces all checks; "none": no checks',
        collect,
      )
      .option('--skill <name>', 'the skill it belongs to; "none": no skill')
      .option('--reviewed', 'mark it as read and correct'),
  )
    .addHelpText(
      'after',
      example(
        'skillopt sleep tasks edit write-commit-messages',
        'skillopt sleep tasks edit write-commit-messages --check "regex=^(feat|fix): " --check max_chars=400',
        'skillopt sleep tasks edit write-commit-messages --skill none --reviewed',
      ),
    )
    .action(async (id, flags) =>
      done(await (await import('../commands/sleep/tasks-edit.js')).editTask(io, id, flags)),
    )

  sleepOptions(
    tasks
      .command('drop')
      .summary('exclude tasks from now on')
      .description('Drops tasks. Later harvests leave them out; `restore` restores them.')
      .argument('<id...>', 'ids, or unique prefixes'),
  )
    .addHelpText('after', example('skillopt sleep tasks drop write-commit-messages'))
    .action(async (ids, flags) =>
      done(await (await import('../commands/sleep/tasks-drop.js')).dropNamed(io, ids, flags)),
    )

  sleepOptions(
    tasks
      .command('restore')
      .summary('restore dropped tasks')
      .argument('<id...>', 'ids, or unique prefixes; `list --dropped` shows them'),
  )
    .addHelpText('after', example('skillopt sleep tasks restore write-commit-messages'))
    .action(async (ids, flags) =>
      done(await (await import('../commands/sleep/tasks-drop.js')).restoreNamed(io, ids, flags)),
    )

  sleepOptions(
    tasks
      .command('export')
      .summary('write the tasks to a file for review')
      .argument('<file>', 'the file to write: .yaml or .json')
      .option('--force', 'replace the file if it exists'),
  )
    .addHelpText('after', example('skillopt sleep tasks export tasks.yaml'))
    .action(async (file, flags) =>
      done(await (await import('../commands/sleep/tasks-file.js')).exportTasks(io, file, flags)),
    )

  sleepOptions(
    tasks
      .command('import')
      .summary('import the file once it says "reviewed: true"')
      .description('Imports a reviewed file: updates its tasks and drops those missing from it.')
      .argument('<file>', 'a file that `export` wrote')
      .option('--force', 'also accept tasks of another project'),
  )
    .addHelpText('after', example('skillopt sleep tasks import tasks.yaml'))
    .action(async (file, flags) =>
      done(await (await import('../commands/sleep/tasks-file.js')).importTasks(io, file, flags)),
    )

  return tasks
}
