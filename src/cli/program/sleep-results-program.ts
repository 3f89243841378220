import { Command, Option } from '@commander-js/extra-typings'
import type { Io } from '../terminal/io.js'
import { clock, collect, example, wholeNumber } from './arguments.js'
import { addNightOptions } from './night-options.js'
import { capOptions, fileOptions, sleepOptions } from './shared-options.js'

type Done = (code: number) => void

/** Commands for the results of nights and for their schedule. */
export function createResultCommands(io: Io, done: Done) {
  return [
    createReviewCommand(io, done),
    createAdoptCommand(io, done),
    createUndoCommand(io, done),
    createStatusCommand(io, done),
    createScheduleCommand(io, done),
    createUnscheduleCommand(io, done),
  ]
}

function createReviewCommand(io: Io, done: Done) {
  return fileOptions(
    sleepOptions(
      new Command('review')
        .summary('show what a night proposes, why, and the evidence')
        .description(
          'Shows the newest open proposal: the changes per file, its effect on fresh tasks, and the reason and sessions behind each edit. Changes nothing.',
        ),
    ),
  )
    .option('--night <n>', 'the proposal of this night (default: the newest open one)', wholeNumber)
    .option('--full', 'show all text in full')
    .addHelpText('after', example('skillopt sleep review', 'skillopt sleep review --night 7 --full'))
    .action(async flags =>
      done(await (await import('../commands/sleep/review.js')).reviewProposal(io, flags)),
    )
}

function createAdoptCommand(io: Io, done: Done) {
  return capOptions(
    fileOptions(
      sleepOptions(
        new Command('adopt')
          .summary('apply a proposal, or parts of it, to your files')
          .description(
            'Shows the changes and asks. Changes all files or none, and only the managed region of each. `skillopt sleep undo` reverts it.',
          ),
      ),
    ),
  )
    .option('--night <n>', 'the proposal of this night (default: the newest open one)', wholeNumber)
    .option('--target <name>', 'only this skill or memory, such as skill:notes; may be repeated', collect)
    .option('--edit <id>', 'only this edit; may be repeated', collect)
    .option(
      '--measure',
      'measure the chosen edits on the night’s tasks first; adopt only if the gate accepts',
    )
    .option('--yes', 'do not ask')
    .option('--quiet', 'print only the result')
    .addHelpText(
      'after',
      example(
        'skillopt sleep adopt',
        'skillopt sleep adopt --target skill:notes',
        'skillopt sleep adopt --edit e1 --edit e3 --measure --max-cost 1',
      ),
    )
    .action(async flags => done(await (await import('../commands/sleep/adopt.js')).adoptProposal(io, flags)))
}

function createUndoCommand(io: Io, done: Done) {
  return sleepOptions(
    new Command('undo')
      .summary('undo the newest adoption')
      .description(
        'Restores the files as they were before the newest adoption. Your own later text around the managed region stays.',
      ),
  )
    .option('--force', 'also if the region was changed since; its current text is kept as a copy')
    .option('--yes', 'do not ask')
    .addHelpText('after', example('skillopt sleep undo'))
    .action(async flags => done(await (await import('../commands/sleep/undo.js')).undoAdoption(io, flags)))
}

function createStatusCommand(io: Io, done: Done) {
  return sleepOptions(
    new Command('status')
      .summary('show the last night, its cost, and what waits for you')
      .option('--all', 'all known projects, one line each'),
  )
    .addHelpText('after', example('skillopt sleep status', 'skillopt sleep status --all'))
    .action(async flags => done(await (await import('../commands/sleep/status.js')).showStatus(io, flags)))
}

function createScheduleCommand(io: Io, done: Done) {
  return addNightOptions(
    new Command('schedule')
      .summary('run a night every night, automatically')
      .description(
        'Schedules `skillopt sleep run` with the given settings by systemd, cron, launchd or Task Scheduler. Checks the settings now. An unattended night needs a hard cap.',
      ),
  )
    .option('--at <HH:MM>', 'when, in local time (default: 03:17)', clock)
    .addOption(
      new Option('--use <system>', 'the scheduler (default: the best available)').choices([
        ...(['systemd', 'cron', 'launchd', 'task-scheduler'] as const),
      ]),
    )
    .addHelpText(
      'after',
      example(
        'skillopt sleep schedule --target claude-code/default --max-calls 200',
        'skillopt sleep schedule --at 02:40 --config sleep.yaml --max-cost 2',
      ),
    )
    .action(async flags =>
      done(await (await import('../commands/sleep/schedule.js')).scheduleNights(io, flags)),
    )
}

function createUnscheduleCommand(io: Io, done: Done) {
  return sleepOptions(
    new Command('unschedule').summary('stop scheduled nights').option('--all', 'of all projects'),
  )
    .addHelpText('after', example('skillopt sleep unschedule'))
    .action(async flags =>
      done(await (await import('../commands/sleep/unschedule.js')).unscheduleNights(io, flags)),
    )
}
