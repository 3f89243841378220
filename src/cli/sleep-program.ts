import { Command, Option, type OptionValues } from '@commander-js/extra-typings'
import { taskSplits } from '../core/sleep-task.js'
import { collect, example, notNegative } from './arguments.js'
import type { Io } from './io.js'
import { fileOptions, spendingOptions } from './shared-options.js'

/** `skillopt sleep …`: what recurs in a person's work with agents, and skills for it. */
export function createSleepCommand(io: Io, done: (code: number) => void) {
  return new Command('sleep')
    .summary('learn from your own work with agents: tasks that recur')
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
    .addCommand(createSleepTasksCommand(io, done))
}

function createHarvestCommand(io: Io, done: (code: number) => void) {
  return spendingOptions(
    fileOptions(
      common(
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
      done(await (await import('./commands/sleep-harvest.js')).harvestSessions(io, flags)),
    )
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

  common(
    tasks
      .command('list', { isDefault: true })
      .summary('all tasks, those that recur most first')
      .addOption(new Option('--split <name>', 'only those of this split').choices(taskSplits))
      .option('--dropped', 'those that were dropped, instead'),
  )
    .addHelpText('after', example('skillopt sleep tasks', 'skillopt sleep tasks list --split test'))
    .action(async flags => done(await (await import('./commands/sleep-tasks-list.js')).listTasks(io, flags)))

  common(
    tasks
      .command('show')
      .summary('a task with its evidence: how often, in which words, what went wrong')
      .argument('<id>', 'its id, or enough of its beginning'),
  )
    .addHelpText('after', example('skillopt sleep tasks show write-commit-messages'))
    .action(async (id, flags) =>
      done(await (await import('./commands/sleep-tasks-show.js')).showTask(io, id, flags)),
    )

  common(
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
      done(await (await import('./commands/sleep-tasks-edit.js')).editTask(io, id, flags)),
    )

  common(
    tasks
      .command('drop')
      .summary('leave tasks out, from now on')
      .description('Drops tasks. The next harvest does not bring them back; `restore` does.')
      .argument('<id...>', 'ids, or enough of their beginnings'),
  )
    .addHelpText('after', example('skillopt sleep tasks drop write-commit-messages'))
    .action(async (ids, flags) =>
      done(await (await import('./commands/sleep-tasks-drop.js')).dropNamed(io, ids, flags)),
    )

  common(
    tasks
      .command('restore')
      .summary('take tasks back that were dropped')
      .argument('<id...>', 'ids, or enough of their beginnings; `list --dropped` shows them'),
  )
    .addHelpText('after', example('skillopt sleep tasks restore write-commit-messages'))
    .action(async (ids, flags) =>
      done(await (await import('./commands/sleep-tasks-drop.js')).restoreNamed(io, ids, flags)),
    )

  common(
    tasks
      .command('export')
      .summary('write the tasks to a file, to read and mend them in one go')
      .argument('<file>', 'where to: .yaml or .json')
      .option('--force', 'replace the file if it is there'),
  )
    .addHelpText('after', example('skillopt sleep tasks export tasks.yaml'))
    .action(async (file, flags) =>
      done(await (await import('./commands/sleep-tasks-file.js')).exportTasks(io, file, flags)),
    )

  common(
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
      done(await (await import('./commands/sleep-tasks-file.js')).importTasks(io, file, flags)),
    )

  return tasks
}

function common<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
) {
  return command
    .option('--project <folder>', 'the folder in which you worked (default: the current one)')
    .option('--json', 'print the result as JSON')
}
