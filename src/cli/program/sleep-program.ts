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
    .description('What recurs in your work with coding agents, as tasks that a skill can be trained on.')
    .addHelpText(
      'after',
      example(
        'skillopt sleep harvest --dry-run',
        'skillopt sleep harvest --optimizer openai/gpt-5.4',
        'skillopt sleep tasks',
      ),
    )
    .addCommand(createHarvestCommand(io, done))
    .addCommand(createRunCommand(io, done))
    .addCommand(createSleepTasksCommand(io, done))
  for (const command of createResultCommands(io, done)) sleep.addCommand(command)
  sleep.addCommand(createExperimentCommand(io, done))
  return sleep
}

function createHarvestCommand(io: Io, done: (code: number) => void) {
  return spendingOptions(
    fileOptions(
      sleepOptions(
        new Command('harvest')
          .summary('find what recurs in your transcripts, and make tasks of it')
          .description(
            'Reads what your coding agents wrote down of your sessions, hides secrets, counts what recurs, and keeps it as tasks. Without --optimizer no model is asked. Transcripts are only ever read.',
          ),
      ),
    ),
  )
    .option('--source <agent>', 'read this agent only; may be repeated (default: all)', collect)
    .option('--days <n>', 'sessions of the last so many days; 0 = all (default: 90)', notNegative)
    .option('--all-projects', 'sessions of all projects, not only of this one')
    .option('--optimizer <provider/model>', 'the model that generalizes what recurs')
    .option('--embedder <name|file>', 'compare requests by meaning too (default: by words)')
    .option('--output <file>', 'also write the tasks to a file, for review: .yaml or .json')
    .option('--force', 'replace that file if it is there')
    .option('--audit', 'show what was hidden and left out, place by place')
    .option('--dry-run', 'read and count only: no model is asked, and nothing is written')
    .option('--quiet', 'show the result only')
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
      .summary('a night: try recurring tasks again, learn from it, propose what the gate accepts')
      .description(
        'Reads your sessions, tries what recurs again, and trains a skill on it as `skillopt train` does. What the gate accepts is put up for review; none of your files is changed. A night that was stopped goes on with the same command.',
      ),
  )
    .option('--tasks-file <file>', 'reviewed tasks, in place of reading sessions')
    .option('--new', 'begin another night even if the last one was stopped')
    .option('--dry-run', 'say what a night would do and take: no model is asked, and nothing is written')
    .option('--yes', 'do not ask before the first paid call')
    .option('--quiet', 'show the result only')
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
    .summary('read, mend and review the tasks: list, show, edit, drop, restore, export, import')
    .description('The tasks of a project, with their evidence. None of these calls a model.')
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
      .summary('all tasks, those that recur most first')
      .addOption(new Option('--split <name>', 'only those of this split').choices(taskSplits))
      .option('--dropped', 'those that were dropped, instead'),
  )
    .addHelpText('after', example('skillopt sleep tasks', 'skillopt sleep tasks list --split test'))
    .action(async flags => done(await (await import('../commands/sleep/tasks-list.js')).listTasks(io, flags)))

  sleepOptions(
    tasks
      .command('show')
      .summary('a task with its evidence: how often, in which words, what went wrong')
      .argument('<id>', 'its id, or enough of its beginning'),
  )
    .addHelpText('after', example('skillopt sleep tasks show write-commit-messages'))
    .action(async (id, flags) =>
      done(await (await import('../commands/sleep/tasks-show.js')).showTask(io, id, flags)),
    )

  sleepOptions(
    tasks
      .command('edit')
      .summary('change what a task asks, or how it is scored')
      .description(
        'Changes a task. Without any of the options that change something, opens $VISUAL or $EDITOR.',
      )
      .argument('<id>', 'its id, or enough of its beginning')
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
      .option('--skill <name>', 'the skill that it belongs to; "none": no skill')
      .option('--reviewed', 'you have read it, and it is right'),
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
      .summary('leave tasks out, from now on')
      .description('Drops tasks. The next harvest does not bring them back; `restore` does.')
      .argument('<id...>', 'ids, or enough of their beginnings'),
  )
    .addHelpText('after', example('skillopt sleep tasks drop write-commit-messages'))
    .action(async (ids, flags) =>
      done(await (await import('../commands/sleep/tasks-drop.js')).dropNamed(io, ids, flags)),
    )

  sleepOptions(
    tasks
      .command('restore')
      .summary('take tasks back that were dropped')
      .argument('<id...>', 'ids, or enough of their beginnings; `list --dropped` shows them'),
  )
    .addHelpText('after', example('skillopt sleep tasks restore write-commit-messages'))
    .action(async (ids, flags) =>
      done(await (await import('../commands/sleep/tasks-drop.js')).restoreNamed(io, ids, flags)),
    )

  sleepOptions(
    tasks
      .command('export')
      .summary('write the tasks to a file, to read and mend them in one go')
      .argument('<file>', 'where to: .yaml or .json')
      .option('--force', 'replace the file if it is there'),
  )
    .addHelpText('after', example('skillopt sleep tasks export tasks.yaml'))
    .action(async (file, flags) =>
      done(await (await import('../commands/sleep/tasks-file.js')).exportTasks(io, file, flags)),
    )

  sleepOptions(
    tasks
      .command('import')
      .summary('take the file back once it says "reviewed: true"')
      .description(
        'Takes a reviewed file: words and skills of its tasks are taken over, missing tasks are dropped.',
      )
      .argument('<file>', 'a file that `export` wrote')
      .option('--force', 'take tasks of another project too'),
  )
    .addHelpText('after', example('skillopt sleep tasks import tasks.yaml'))
    .action(async (file, flags) =>
      done(await (await import('../commands/sleep/tasks-file.js')).importTasks(io, file, flags)),
    )

  return tasks
}
