import { resolve } from 'node:path'
import type { SleepHarvestResult } from '../../../app/index.js'
import { exitCodes } from '../../../core/errors/errors.js'
import type { SkipReason } from '../../../core/transcript/transcript.js'
import { userHome } from '../../../system/home.js'
import { renderForecast } from '../../output/forecast-text.js'
import { auditText, leftOutText } from '../../output/sleep-audit.js'
import { bytes, clean, count, fit, oneLine, plural, shownPath, table } from '../../output/text.js'
import { trustFor } from '../../terminal/ask-trust.js'
import { confirmMining } from '../../terminal/confirm.js'
import { interruptible } from '../../terminal/interrupt.js'
import { type Io, printLine, warnLine } from '../../terminal/io.js'
import { createDisplay } from '../../terminal/live.js'
import { configFlags, sayEnd, type TrainFlags } from '../train/train.js'
import { printSafeJson } from './book.js'
import { summaryOf } from './tasks-list.js'

export interface HarvestFlags
  extends Omit<TrainFlags, 'out' | 'new' | 'fork' | 'cache' | 'preset' | 'probe'> {
  readonly project?: string | undefined
  readonly source?: readonly string[] | undefined
  readonly days?: number | undefined
  readonly allProjects?: true | undefined
  readonly optimizer?: string | undefined
  readonly embedder?: string | undefined
  readonly output?: string | undefined
  readonly force?: true | undefined
  readonly audit?: true | undefined
}

/** Maximum number of items printed. `--json` prints all. */
const shownAtOnce = 15

export async function harvestSessions(io: Io, flags: HarvestFlags): Promise<number> {
  const display = createDisplay(io, { quiet: flags.json ?? flags.quiet })
  const interrupt = interruptible(io, display.note)
  const progress = readingProgress(io, flags)
  const library = await io.library()
  try {
    const result = await library.sleepHarvest({
      project: flags.project,
      config: flags.config,
      cfgOptions: flags.cfgOptions,
      flags: { ...configFlags(flags), ...harvestSettings(flags) },
      env: io.env,
      cwd: io.cwd,
      signal: interrupt.signal,
      force: flags.force,
      dryRun: flags.dryRun,
      onNotice: display.note,
      trust: trustFor(io, flags),
      output: flags.output === undefined ? undefined : resolve(io.cwd, flags.output),
      onProgress: progress.add,
      onEvent: display.event,
      confirm: intended => {
        progress.clear()
        return confirmMining(io, flags)(intended, recurringText(io, intended.recurring))
      },
    })
    progress.clear()
    display.close()
    if (flags.json === true) printSafeJson(io, recordOf(result))
    else sayResult(io, result, flags)
    if (result.outcome === 'dry-run') return exitCodes.ok
    return sayEnd(io, { ...result, outcome: result.outcome, directory: result.directory ?? result.folder })
  } finally {
    progress.clear()
    display.close()
    interrupt.dispose()
  }
}

function harvestSettings({ source, days, allProjects, optimizer, embedder }: HarvestFlags) {
  const given = {
    'sleep.sources': source,
    'sleep.days': days,
    'sleep.scope': allProjects === true ? 'all' : undefined,
    'models.optimizer': optimizer,
    'sleep.embedder': embedder,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** A progress line that overwrites itself. It appears only on a terminal. */
export function readingProgress(io: Io, flags: Pick<HarvestFlags, 'json' | 'quiet'>) {
  const isShown = io.stderr.isTTY === true && flags.json !== true && flags.quiet !== true
  const known = new Map<string, { files: number; filesDone: number; bytes: number }>()
  let isThere = false
  return {
    add({ source, ...progress }: { source: string; files: number; filesDone: number; bytes: number }) {
      if (!isShown) return
      known.set(source, progress)
      const all = [...known.values()]
      const sum = (value: (one: (typeof all)[number]) => number) =>
        all.reduce((total, one) => total + value(one), 0)
      const text = `Reading: ${count(sum(one => one.filesDone))} of ${plural(
        sum(one => one.files),
        'file',
      )}, ${bytes(sum(one => one.bytes))}`
      io.stderr.write(`\r\u001b[2K${fit(text, (io.stderr.columns ?? 80) - 1)}`)
      isThere = true
    },
    clear() {
      if (isThere) io.stderr.write('\r\u001b[2K')
      isThere = false
    },
  }
}

function recordOf(result: SleepHarvestResult) {
  const { recurring, tasks, sessions, error, forecast, ...rest } = result
  return {
    ...rest,
    error:
      error === undefined ? null : { code: error.code, message: error.message, hint: error.hint ?? null },
    forecast: forecast ?? null,
    sessions,
    recurring: recurring.map(({ id, central, evidence, score }) => ({
      id,
      central: central.text,
      score,
      evidence,
    })),
    tasks: tasks.map(summaryOf),
  }
}

function sayResult(io: Io, result: SleepHarvestResult, flags: HarvestFlags): void {
  const { colors } = io
  const { sessions, skipped, redacted, requests, clusters, recurring } = result
  const home = userHome(io.env)
  printLine(io, sessionsText(io, result))
  const leftOut = leftOutText(skipped, { colors, whole: flags.audit === true, home })
  if (leftOut !== '') printLine(io, `\n${leftOut}`)
  printLine(io, `\n${auditText(redacted, { colors, whole: flags.audit === true, home })}`)
  if (sessions.length === 0) {
    sayNothing(io, result)
    return
  }
  const asked = `${plural(requests, 'request')}, ${count(clusters)} of them different`
  printLine(
    io,
    `\n${asked}: ${recurring.length === 0 ? 'nothing recurring' : `${count(recurring.length)} recur`}.`,
  )
  if (result.outcome === 'dry-run') sayPlan(io, result)
  else if (result.outcome === 'finished' || result.outcome === 'cap') sayChange(io, result, flags)
}

function sessionsText(io: Io, { sessions, project, scope, bytes: read }: SleepHarvestResult): string {
  const where = scope === 'all' ? 'in any project' : `at ${clean(project)}`
  const bySource = new Map<string, number>()
  for (const { source } of sessions) bySource.set(source, (bySource.get(source) ?? 0) + 1)
  const title = `${plural(sessions.length, 'session')} ${where} (${bytes(read)} read)`
  if (sessions.length === 0) return title
  const rows = [...bySource].sort(([, a], [, b]) => b - a).map(([source, number]) => [source, count(number)])
  return `${title}\n${table(['agent', 'sessions'], rows, { colors: io.colors, right: [1] })}`
}

const outside: readonly SkipReason[] = ['other-project', 'too-old']

/** Explains why no session was found. Usually the search looked in the wrong place. */
function sayNothing(io: Io, { skipped }: SleepHarvestResult): void {
  const missed = skipped.filter(({ reason }) => outside.includes(reason)).length
  const hint =
    missed === 0
      ? 'No transcripts found; set other folders with `sleep.places` in sleep.yaml.'
      : 'Other transcripts exist: --all-projects includes other folders, --days 0 any age.'
  printLine(io, `\nNothing to learn from yet. ${hint}`)
}

/** Prints what a night would do with the harvested sessions. */
function sayPlan(io: Io, { recurring, forecast }: SleepHarvestResult): void {
  if (recurring.length > 0) printLine(io, `\n${recurringText(io, recurring)}`)
  if (forecast !== undefined) printLine(io, `\n${renderForecast(forecast, io.colors)}`)
  printLine(io, '\nNothing was written and no model was called.')
}

export function recurringText(io: Io, recurring: SleepHarvestResult['recurring']): string {
  const rows = recurring
    .slice(0, shownAtOnce)
    .map(({ evidence, central }) => [
      count(evidence.occasions),
      count(evidence.days),
      count(evidence.reworked),
      fit(oneLine(central.text), Math.max(20, (io.stdout.columns ?? 100) - 30)),
    ])
  const head = ['times', 'days', 'reworked', 'typical request']
  const shown = table(head, rows, { colors: io.colors, right: [0, 1, 2] })
  const more = recurring.length - rows.length
  return more === 0 ? shown : `${shown}\nand ${count(more)} more (--json has all)`
}

function sayChange(io: Io, { change, tasks, folder }: SleepHarvestResult, flags: HarvestFlags): void {
  const { colors } = io
  const { added, updated, rewritten, passedOver, failed } = change
  const parts = [
    `${plural(added.length, 'new task')}`,
    ...(updated.length === 0 ? [] : [`${updated.length} seen again`]),
    ...(rewritten.length === 0 ? [] : [`${rewritten.length} rewritten by the model`]),
  ]
  printLine(
    io,
    `\n${parts.join(', ')}; ${plural(tasks.length, 'task')} in all, kept in ${shownPath(folder, io.cwd)}.`,
  )
  const isNew = new Set([...added, ...rewritten])
  const shown = tasks.filter(({ id }) => isNew.has(id))
  for (const { id, intent, split } of shown.slice(0, shownAtOnce)) {
    const label = `  ${colors.bold(id)} ${colors.dim(`(${split})`)} `
    printLine(
      io,
      `${label}${fit(oneLine(intent), Math.max(20, (io.stdout.columns ?? 120) - id.length - 14))}`,
    )
  }
  if (shown.length > shownAtOnce) printLine(io, `  and ${shown.length - shownAtOnce} more`)
  if (passedOver.length > 0)
    printLine(
      io,
      `\nThe model made no task from ${passedOver.length}: ${oneLine(passedOver[0]?.reason ?? '')}`,
    )
  for (const { text, problem } of failed.slice(0, shownAtOnce))
    warnLine(io, `${colors.yellow('not written:')} ${fit(oneLine(text), 60)}: ${oneLine(problem)}`)
  const bare = tasks.filter(({ writtenBy }) => writtenBy === 'heuristics').length
  if (bare > 0) {
    const are = bare === 1 ? '1 task is' : `${count(bare)} tasks are`
    printLine(
      io,
      `\n${colors.yellow('without a model:')} ${are} in the words of one request, with the corrections as rubric. Pass \`--optimizer provider/model\` to let a model generalize them, or edit them yourself.`,
    )
  }
  if (flags.output !== undefined) {
    printLine(
      io,
      `\nWrote ${shownPath(resolve(io.cwd, flags.output), io.cwd)}. Read it, set "reviewed: true", then import it: \`skillopt sleep tasks import ${flags.output}\`.`,
    )
  } else if (tasks.length > 0) {
    printLine(
      io,
      '\nNext: `skillopt sleep tasks` lists them with their evidence; `skillopt sleep tasks export tasks.yaml` writes them to a file for review.',
    )
  }
}
