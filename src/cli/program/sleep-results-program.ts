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
        .summary('read what a night proposes: the change, why, and the evidence')
        .description(
          'Shows the newest proposal that waits: what would change in which file, what it does on fresh tasks, and for each edit why and from which sessions. Nothing is changed.',
        ),
    ),
  )
    .option('--night <n>', 'the proposal of this night (default: the newest that waits)', wholeNumber)
    .option('--full', 'cut no text')
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
          .summary('put a proposal, or parts of it, into your files')
          .description(
            'Shows what changes and asks. All files of it are changed, or none; only the managed region of each. `skillopt sleep undo` takes it back.',
          ),
      ),
    ),
  )
    .option('--night <n>', 'the proposal of this night (default: the newest that waits)', wholeNumber)
    .option('--target <name>', 'only this skill or memory, such as skill:notes; may be repeated', collect)
    .option('--edit <id>', 'only this edit; may be repeated', collect)
    .option(
      '--measure',
      'try what was chosen on the night’s tasks first, and adopt it only if the gate agrees',
    )
    .option('--yes', 'do not ask')
    .option('--quiet', 'show the result only')
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
      .summary('take the newest adoption back')
      .description(
        'Files are again as they were before the newest adoption that stands. What you wrote around the region since stays.',
      ),
  )
    .option('--force', 'also where the region itself was changed since; what it says now is kept as a copy')
    .option('--yes', 'do not ask')
    .addHelpText('after', example('skillopt sleep undo'))
    .action(async flags => done(await (await import('../commands/sleep/undo.js')).undoAdoption(io, flags)))
}

function createStatusCommand(io: Io, done: Done) {
  return sleepOptions(
    new Command('status')
      .summary('the last night, what it found and took, what waits for you')
      .option('--all', 'all projects that Sleep knows, one line each'),
  )
    .addHelpText('after', example('skillopt sleep status', 'skillopt sleep status --all'))
    .action(async flags => done(await (await import('../commands/sleep/status.js')).showStatus(io, flags)))
}

function createScheduleCommand(io: Io, done: Done) {
  return addNightOptions(
    new Command('schedule')
      .summary('have a night run every night')
      .description(
        'Puts `skillopt sleep run`, with every setting that is given here, into the schedule of the system: systemd, cron, launchd or Task Scheduler. Settings are checked now. A night that nobody watches needs a hard cap.',
      ),
  )
    .option('--at <HH:MM>', 'when, in local time (default: 03:17)', clock)
    .addOption(
      new Option('--use <system>', 'which schedule (default: the best that is here)').choices([
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
    new Command('unschedule').summary('no more nights by themselves').option('--all', 'of all projects'),
  )
    .addHelpText('after', example('skillopt sleep unschedule'))
    .action(async flags =>
      done(await (await import('../commands/sleep/unschedule.js')).unscheduleNights(io, flags)),
    )
}
