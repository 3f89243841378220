import { resolve } from 'node:path'
import { testedPairs } from '../../../app/evaluation-details.js'
import { stateOf } from '../../../app/run-state.js'
import { answerWords, gainText, limitsText } from '../../../core/comparison/paired-answer.js'
import { exitCodes, messageOf } from '../../../core/errors/errors.js'
import { mostSteps } from '../../../core/view/most-steps.js'
import { type RunVerdict, verdictOf } from '../../../core/view/run-verdict.js'
import { isFree } from '../../../core/view/simulated-mark.js'
import { runDirectories } from '../../../store/run-directories.js'
import { type OpenedRun, readWhole, sizeOf } from '../../inputs/open-run.js'
import { ago, bytes, type Colors, knownCost, oneLine, table } from '../../output/text.js'
import { type Io, printLine } from '../../terminal/io.js'

export interface RunsFlags {
  readonly dir: readonly string[]
  readonly json?: true | undefined
}

interface ListedRun {
  readonly run: OpenedRun
  readonly state: string
  readonly verdict: RunVerdict | undefined
  /** Size in bytes on disk. */
  readonly size: number
}

export async function runs(io: Io, flags: RunsFlags): Promise<number> {
  const folders = flags.dir.length > 0 ? flags.dir : ['runs']
  const found = (await Promise.all(folders.map(folder => runDirectories(resolve(io.cwd, folder))))).flat()
  const opened: ListedRun[] = []
  const broken: string[] = []
  for (const directory of found) {
    try {
      const run = await readWhole(directory, io.cwd)
      if (run.view.kind !== 'train') continue
      const verdict = verdictOf(run.view, await testedPairs(run.view, ref => run.reader.get(ref)))
      opened.push({ run, state: await stateOf(run.view), verdict, size: await sizeOf(directory) })
    } catch (error) {
      // A damaged run is listed with its error, so that the others are still shown.
      broken.push(`${directory}: ${messageOf(error)}`)
    }
  }
  opened.sort((a, b) => b.run.view.lastAt - a.run.view.lastAt)
  if (flags.json) printLine(io, JSON.stringify(opened.map(summaryOf), null, 2))
  else if (opened.length > 0) printLine(io, runsTable(opened, Date.now(), io.colors))
  else printLine(io, `No runs in ${folders.join(', ')}. \`skillopt quickstart\` makes one without a key.`)
  for (const line of broken) io.stderr.write(`${io.colors.yellow('unreadable:')} ${line}\n`)
  return exitCodes.ok
}

export function runsTable(opened: readonly ListedRun[], now: number, colors: Colors): string {
  const rows = opened.map(({ run: { directory, view }, state, verdict, size }) => {
    const done = view.steps.filter(step => step.outcome !== undefined).length
    return [
      oneLine(directory),
      stateText(state, view.importedFrom !== undefined, colors),
      `${done}/${mostSteps(view)}`,
      verdictText(verdict, colors),
      isFree(view) ? 'simulated' : knownCost(view.spending.total),
      bytes(size),
      ago(now - view.lastAt),
    ]
  })
  const head = ['run', 'state', 'steps', 'verdict', 'cost', 'size', 'last event']
  return table(head, rows, { colors, right: [2, 5] })
}

/** The verdict with its figures. `show` prints the whole sentence. */
function verdictText(verdict: RunVerdict | undefined, colors: Colors): string {
  if (verdict === undefined) return '–'
  const { answer, gain } = verdict
  const figures = gain === undefined ? '' : `: ${gainText(gain)} (${limitsText(gain)})`
  const text = `${answerWords[answer]}${figures}`
  return answer === 'better' ? colors.green(text) : answer === 'worse' ? colors.red(text) : text
}

function stateText(state: string, isImported: boolean, colors: Colors): string {
  const text = isImported ? `${state}, imported` : state
  if (state === 'finished') return colors.green(text)
  return state === 'running' ? colors.cyan(text) : colors.yellow(text)
}

function summaryOf({ run: { directory, view }, state, verdict, size }: ListedRun) {
  const { run, simulated, startedAt, lastAt, spending } = view
  return {
    directory,
    run,
    state,
    simulated,
    steps: view.steps.length,
    mostSteps: mostSteps(view),
    best: view.best?.score,
    bestVersion: view.best?.version,
    verdict,
    startedAt,
    lastAt,
    importedFrom: view.importedFrom,
    spending: spending.total,
    size,
  }
}
