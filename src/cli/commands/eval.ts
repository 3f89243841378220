import { InputError } from '../../core/errors.js'
import type { Split } from '../../core/task.js'
import { viewRun } from '../../directories.js'
import type { SplitScore } from '../../index.js'
import { confirmEvaluation } from '../confirm.js'
import { interruptible } from '../interrupt.js'
import { type Io, printLine, sayWarnings } from '../io.js'
import { createDisplay } from '../live.js'
import { spendingReport } from '../report.js'
import { type Colors, clean, count, points, table } from '../text.js'
import { configFlags, sayEnd, type TrainFlags } from './train.js'

export interface EvalFlags extends Omit<TrainFlags, 'out' | 'new' | 'fork' | 'dryRun'> {
  readonly skill?: string | undefined
  readonly split: string
}

export async function evaluate(io: Io, project: string | undefined, flags: EvalFlags): Promise<number> {
  const split = splitNamed(flags.split)
  // Events would mix with the result on stdout, so JSON here is the result alone.
  const display = createDisplay(io, { quiet: flags.json ?? flags.quiet })
  const interrupt = interruptible(io, display.note)
  const library = await io.library()
  try {
    const result = await library.evaluate({
      ...{ project, config: flags.config, cfgOptions: flags.cfgOptions, flags: configFlags(flags) },
      ...{ skill: flags.skill, split, env: io.env, cwd: io.cwd, signal: interrupt.signal },
      onEvent: display.event,
      onNotice: display.note,
      confirm: confirmEvaluation(io, flags),
      onWarnings: warnings => sayWarnings(io, warnings),
    })
    display.close()
    if (result.outcome !== 'declined') {
      const { outcome, splits, simulated, directory } = result
      const view = await viewRun(directory)
      if (flags.json) {
        const record = { outcome, simulated, splits, spending: view.spending }
        printLine(io, JSON.stringify(record, null, 2))
      } else if (splits.length > 0) {
        printLine(io, `\n${evaluationReport(splits, io.colors)}\n\n${spendingReport(view, io.colors)}`)
      }
    }
    return sayEnd(io, result)
  } finally {
    display.close()
    interrupt.dispose()
  }
}

const splitNames: Readonly<Record<string, Split | 'all'>> = {
  ...{ train: 'train', val: 'val', test: 'test', all: 'all' },
  // The names of the Python package.
  ...{ valid_seen: 'val', valid_unseen: 'test' },
}

function splitNamed(name: string): Split | 'all' {
  const split = Object.hasOwn(splitNames, name) ? splitNames[name] : undefined
  if (split !== undefined) return split
  throw new InputError(`There is no split "${name}".`, {
    hint: `--split is one of ${Object.keys(splitNames).join(', ')}.`,
  })
}

export function evaluationReport(splits: readonly SplitScore[], colors: Colors): string {
  const cells = (row: {
    scored: number
    failed: number
    score: number
    interval: { low: number; high: number }
  }) => [
    row.failed > 0 ? `${count(row.scored)} (${row.failed} failed)` : count(row.scored),
    row.scored === 0 ? 'none scored' : points(row.score),
    row.scored === 0 ? '' : `${points(row.interval.low)} to ${points(row.interval.high)}`,
  ]
  const rows = splits.flatMap(split => [
    [colors.bold(split.split), ...cells(split)],
    ...(split.types.length < 2 ? [] : split.types.map(type => [`  ${clean(type.type)}`, ...cells(type)])),
  ])
  return table(['split', 'tasks', 'score', '95% interval'], rows, { colors, right: [1, 2] })
}
