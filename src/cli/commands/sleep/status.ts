import { exitCodes } from '../../../core/errors/errors.js'
import { taskSplits } from '../../../sleep/model/sleep-task.js'
import { outcomeWords } from '../../../sleep/model/wording.js'
import type { Night } from '../../../sleep/nights/nights.js'
import { clockTime, nextNight, type Scheduled } from '../../../sleep/schedule/index.js'
import { knownProjects, type SleepStatus, sleepStatus } from '../../../sleep/status/status.js'
import { settleEarlier } from '../../inputs/sleep-adoption.js'
import { scoreText, timeText } from '../../output/proposal-text.js'
import {
  ago,
  clean,
  count,
  duration,
  knownCost,
  oneLine,
  padEnd,
  plural,
  shownPath,
  table,
} from '../../output/text.js'
import { type Io, printLine, sayWarnings } from '../../terminal/io.js'
import { openSleepProject, printSafeJson, type SleepFlags } from './book.js'

export interface StatusFlags extends SleepFlags {
  readonly all?: true | undefined
}

/**
 * Shows the state of a project without asking anything. The only change it makes is to complete or revert an
 * interrupted adoption.
 */
export async function showStatus(io: Io, flags: StatusFlags): Promise<number> {
  if (flags.all === true) return showAll(io, flags)
  const project = await openSleepProject(io, flags)
  await settleEarlier(io, project)
  const status = await sleepStatus(project, io)
  if (flags.json === true) printSafeJson(io, recordOf(status))
  else printStatus(io, status)
  return exitCodes.ok
}

async function showAll(io: Io, flags: StatusFlags): Promise<number> {
  const { projects, unknown } = await knownProjects(io)
  const all: SleepStatus[] = []
  for (const project of projects) all.push(await sleepStatus(project, io))
  if (flags.json === true) {
    printSafeJson(io, { projects: all.map(recordOf), unknown })
    return exitCodes.ok
  }
  if (all.length === 0) printLine(io, `No projects yet. ${firstSteps}`)
  else printLine(io, table(['project', 'last night', 'waits', 'schedule'], all.map(rowOf), io))
  sayWarnings(
    io,
    unknown.map(folder => `${clean(folder)} does not name its project.`),
  )
  return exitCodes.ok
}

function rowOf(status: SleepStatus): string[] {
  const { lastNight, waiting, schedule, openNight } = status
  const open = openNight === undefined ? '' : openNight.isAtWork ? 'running' : 'stopped'
  const last = lastNight?.outcome === undefined ? 'none yet' : outcomeWords[lastNight.outcome.outcome]
  return [
    clean(status.project),
    [last, open].filter(text => text !== '').join(', '),
    waiting === undefined ? '' : `night ${waiting.proposal.night.number}`,
    schedule === undefined ? '' : scheduleWords(schedule),
  ]
}

const firstSteps =
  '`skillopt sleep harvest --dry-run` shows what recurs in your sessions without calling a model; `skillopt sleep run` learns from it.'

function printStatus(io: Io, status: SleepStatus): void {
  printLine(io, io.colors.bold(clean(status.project)))
  if (!status.isKnown && status.schedule === undefined && status.problems.length === 0) {
    printLine(io, `Nothing recorded for this project yet. ${firstSteps}`)
    return
  }
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['last night', nightLines(io, status.lastNight)],
    ['in progress', openLines(status)],
    ['waits', waitingLines(io, status)],
    ['adopted', adoptedLines(io, status)],
    ['tasks', [tasksLine(status)]],
    ['schedule', scheduleLines(io, status)],
    ['kept in', [clean(shownPath(status.folder, io.cwd))]],
  ]
  for (const [label, lines] of rows)
    for (const [index, line] of lines.entries())
      printLine(io, `${io.colors.dim(padEnd(index === 0 ? label : '', 12))}${line}`)
  sayWarnings(io, status.problems.map(clean))
}

function nightLines(io: Io, night: Night | undefined): string[] {
  const outcome = night?.outcome
  if (night === undefined || outcome === undefined) return [`none yet; \`skillopt sleep run\` starts one`]
  const mark = outcome.simulated ? ` ${io.colors.inverse(' SIMULATED ')}` : ''
  const { calls, tokens, cost, unknownUsage, unknownCost, activeMs } = outcome.spent
  const spent =
    calls === 0
      ? 'no model was called'
      : `${plural(calls, 'call')}, ${unknownUsage >= calls ? 'unknown' : count(tokens)} tokens, cost ${knownCost({ calls, cost, unknownCost })}, ${duration(activeMs)}`
  return [
    `night ${night.number}, ${timeText(outcome.endedAt)} (${since(outcome.endedAt)}): ${outcomeWords[outcome.outcome]}${mark}`,
    // With targets, each target's own result states the reason.
    ...(outcome.targets.length === 0 ? [oneLine(outcome.reason)] : []),
    `${plural(outcome.sessions, 'session')}, ${plural(outcome.tasks, 'task')}; ${spent}`,
    ...outcome.targets.map(({ name, reason, test }) => {
      const scores =
        test === undefined
          ? ''
          : ` ${scoreText(test.before)} → ${scoreText(test.after)} on ${plural(test.tasks, 'fresh task')}.`
      return `${oneLine(name)}:${scores} ${oneLine(reason)}`
    }),
  ]
}

const since = (at: string): string => ago(Date.now() - new Date(at).getTime())

function openLines({ openNight }: SleepStatus): string[] {
  if (openNight === undefined) return []
  const { night, isAtWork, prompts } = openNight
  const begun = `night ${night.number}, begun ${timeText(night.begun.at)}`
  if (isAtWork) return [`${begun}: running`]
  if (prompts !== undefined)
    return [`${begun}, waiting for answers (see ${clean(prompts)}); then \`skillopt sleep run\` resumes it`]
  return [`${begun}, stopped; \`skillopt sleep run\` resumes it`]
}

function waitingLines(io: Io, { waiting }: SleepStatus): string[] {
  if (waiting === undefined) return ['nothing to review']
  const { night, proposal, open } = waiting.proposal
  const edits = proposal.edits.filter(edit => edit.status === 'proposed' && open.includes(edit.target))
  const mark = night.outcome?.simulated === true ? ` ${io.colors.inverse(' SIMULATED ')}` : ''
  return [
    `the proposal of night ${night.number}, since ${timeText(proposal.madeAt)}: ${plural(edits.length, 'edit')} for ${open.map(oneLine).join(', ')}${mark}`,
    '`skillopt sleep review` shows it; `skillopt sleep adopt` applies it',
    ...waiting.changed.map(text => io.colors.yellow(clean(text))),
  ]
}

function adoptedLines(io: Io, { adopted }: SleepStatus): string[] {
  if (adopted === undefined) return ['nothing']
  const { receipt, night } = adopted
  const from = night === undefined ? receipt.proposal : `night ${night}`
  const files = receipt.changes.map(({ path }) => clean(shownPath(path, io.cwd)))
  return [
    `${oneLine(from)}, ${timeText(receipt.at)}, ${receipt.label}: ${files.join(', ')}`,
    '`skillopt sleep undo` reverts it',
  ]
}

function tasksLine({ tasks, harvestedAt }: SleepStatus): string {
  const parts = taskSplits.flatMap(split =>
    tasks.splits[split] === 0 ? [] : [`${tasks.splits[split]} ${split}`],
  )
  const dropped = tasks.dropped === 0 ? '' : `, ${tasks.dropped} dropped`
  const read = harvestedAt === undefined ? '' : `; sessions were read ${timeText(harvestedAt)}`
  return `${parts.length === 0 ? 'none' : parts.join(', ')}${dropped}${read}`
}

function scheduleLines(io: Io, { schedule, log }: SleepStatus): string[] {
  if (schedule === undefined) return ['none; `skillopt sleep schedule` runs nights automatically']
  return [
    scheduleWords(schedule),
    ...(schedule.problem === undefined ? [] : [io.colors.yellow(clean(schedule.problem))]),
    `output: ${clean(shownPath(log, io.cwd))}`,
  ]
}

export function scheduleWords({ job, system }: Scheduled): string {
  if (job === undefined) return `by ${system}, at an unreadable time`
  return `every night at ${clockTime(job)} by ${system}, next ${timeText(nextNight(job, new Date()).toISOString())}`
}

function recordOf(status: SleepStatus) {
  const { lastNight, openNight, waiting, adopted, schedule } = status
  return {
    project: status.project,
    folder: status.folder,
    log: status.log,
    problems: status.problems,
    lastNight: lastNight === undefined ? null : { number: lastNight.number, ...lastNight.outcome },
    openNight:
      openNight === undefined
        ? null
        : { number: openNight.night.number, at: openNight.night.begun.at, isAtWork: openNight.isAtWork },
    waiting:
      waiting === undefined
        ? null
        : {
            night: waiting.proposal.night.number,
            madeAt: waiting.proposal.proposal.madeAt,
            targets: waiting.proposal.open,
            changed: waiting.changed,
          },
    adopted:
      adopted === undefined
        ? null
        : {
            night: adopted.night ?? null,
            at: adopted.receipt.at,
            label: adopted.receipt.label,
            files: adopted.receipt.changes.map(({ path }) => path),
          },
    tasks: { ...status.tasks, harvestedAt: status.harvestedAt ?? null },
    schedule:
      schedule === undefined
        ? null
        : {
            system: schedule.system,
            problem: schedule.problem ?? null,
            time: schedule.job === undefined ? null : clockTime(schedule.job),
            next: schedule.job === undefined ? null : nextNight(schedule.job, new Date()).toISOString(),
            command: schedule.job?.command ?? null,
          },
  }
}
