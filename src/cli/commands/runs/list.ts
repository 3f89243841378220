import { resolve } from 'node:path'
import { stateOf } from '../../../app/run-state.js'
import { exitCodes, messageOf } from '../../../core/errors/errors.js'
import { mostSteps } from '../../../core/view/most-steps.js'
import { isFree } from '../../../core/view/simulated-mark.js'
import { testGain } from '../../../core/view/test-results.js'
import { runDirectories } from '../../../store/run-directories.js'
import { type OpenedRun, readWhole, sizeOf } from '../../inputs/open-run.js'
import {
  ago,
  bytes,
  type Colors,
  knownCost,
  oneLine,
  points,
  signedPoints,
  table,
} from '../../output/text.js'
import { type Io, printLine } from '../../terminal/io.js'

export interface RunsFlags {
  readonly dir: readonly string[]
  readonly json?: true | undefined
}

interface ListedRun {
  readonly run: OpenedRun
  readonly state: string
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
      if (run.view.kind === 'train')
        opened.push({ run, state: await stateOf(run.view), size: await sizeOf(directory) })
    } catch (error) {
      // One damaged run must not hide the others, so it is listed with its error.
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
  const rows = opened.map(({ run: { directory, view }, state, size }) => {
    const gain = testGain(view)
    const done = view.steps.filter(step => step.outcome !== undefined).length
    return [
      oneLine(directory),
      stateText(state, view.importedFrom !== undefined, colors),
      `${done}/${mostSteps(view)}`,
      view.best ? `${points(view.best.score)} (v${view.best.version})` : '–',
      gain === undefined ? '–' : signedPoints(gain),
      isFree(view) ? 'simulated' : knownCost(view.spending.total),
      bytes(size),
      ago(now - view.lastAt),
    ]
  })
  const head = ['run', 'state', 'steps', 'best on validation', 'test gain', 'cost', 'size', 'last event']
  return table(head, rows, { colors, right: [2, 3, 4, 6] })
}

function stateText(state: string, isImported: boolean, colors: Colors): string {
  const text = isImported ? `${state}, imported` : state
  if (state === 'finished') return colors.green(text)
  return state === 'running' ? colors.cyan(text) : colors.yellow(text)
}

function summaryOf({ run: { directory, view }, state, size }: ListedRun) {
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
    testGain: testGain(view),
    startedAt,
    lastAt,
    importedFrom: view.importedFrom,
    spending: spending.total,
    size,
  }
}
