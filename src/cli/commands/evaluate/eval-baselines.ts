import type { BaselineResult } from '../../../app/index.js'
import type { RunView } from '../../../core/view/fold.js'
import {
  type ComparedPair,
  pairsInQuestion,
  testedNames,
  worthSentence,
} from '../../../core/view/test-results.js'
import { viewRun } from '../../../store/run-directories.js'
import { spendingReport, testTable } from '../../output/run-report.js'
import { type Colors, clean, count, shownPath, signedPoints, table } from '../../output/text.js'
import { trustFor } from '../../terminal/ask-trust.js'
import { confirmTraining } from '../../terminal/confirm.js'
import { interruptible } from '../../terminal/interrupt.js'
import { type Io, printLine, sayWarnings, warnLine } from '../../terminal/io.js'
import { createDisplay } from '../../terminal/live.js'
import { configFlags, sayEnd, type TrainFlags } from '../train/train.js'

export interface BaselineFlags extends Omit<TrainFlags, 'new' | 'fork'> {
  readonly trained?: string | undefined
}

/**
 * `eval --baselines`: compares no skill, a one-shot skill, the project's skill and the trained skill on the
 * same test tasks.
 */
export async function evaluateBaselines(
  io: Io,
  project: string | undefined,
  flags: BaselineFlags,
): Promise<number> {
  // With `--json`, stdout contains only the result. Events would mix with it, so they are not shown.
  const display = createDisplay(io, { quiet: flags.json ?? flags.quiet })
  const interrupt = interruptible(io, display.note)
  const library = await io.library()
  try {
    const result = await library.baseline({
      project,
      config: flags.config,
      cfgOptions: flags.cfgOptions,
      flags: configFlags(flags),
      trained: flags.trained,
      out: flags.out,
      env: io.env,
      cwd: io.cwd,
      signal: interrupt.signal,
      trust: trustFor(io, flags),
      onEvent: display.event,
      onNotice: display.note,
      confirm: confirmTraining(io, flags),
      onWarnings: warnings => sayWarnings(io, warnings),
    })
    display.close()
    if (result.outcome !== 'declined') await sayResult(io, result, flags)
    return sayEnd(io, result)
  } finally {
    display.close()
    interrupt.dispose()
  }
}

async function sayResult(io: Io, result: BaselineResult, flags: BaselineFlags): Promise<void> {
  const view = await viewRun(result.directory)
  if (flags.json) {
    const { outcome, simulated, tests, pairs, oneShot, trained } = result
    const verdict = outcome === 'finished' ? worthSentence(pairs) : undefined
    const record = { outcome, simulated, trained, verdict, tests, pairs, oneShot, spending: view.spending }
    printLine(io, JSON.stringify(record, null, 2))
    return
  }
  if (result.outcome !== 'finished') return
  if (result.oneShot === undefined) {
    warnLine(io, `No one-shot skill: ${clean(view.oneShot?.summary ?? '')}.`)
  }
  printLine(
    io,
    `\n${baselineReport(result, view, { directory: shownPath(result.directory, io.cwd), colors: io.colors })}`,
  )
}

export function baselineReport(
  { tests, pairs, oneShot, trained, simulated }: BaselineResult,
  view: RunView,
  { directory, colors }: { readonly directory: string; readonly colors: Colors },
): string {
  const blocks = [
    testTable({ ...view, tests }, colors),
    pairTable(pairsInQuestion(pairs), colors),
    `${colors.bold(worthSentence(pairs))}${simulated ? ' (simulated)' : ''}`,
    [
      trained === undefined ? '' : `Trained skill:  ${clean(trained)}`,
      oneShot === undefined ? '' : `One-shot skill: ${directory}/one_shot_skill.md`,
    ]
      .filter(line => line !== '')
      .join('\n'),
    spendingReport(view, colors),
  ]
  return blocks.filter(block => block !== '').join('\n\n')
}

/** Table of paired comparisons. They detect far smaller differences than two separate intervals. */
function pairTable(pairs: readonly ComparedPair[], colors: Colors): string {
  const rows = pairs.map(({ which, against, tasks, better, worse, difference }) => [
    `${testedNames[which]} against ${testedNames[against]}`,
    count(tasks),
    count(better),
    count(worse),
    tasks === 0 ? 'unknown' : signedPoints(difference.mean),
    tasks === 0 ? '' : `${signedPoints(difference.low)} to ${signedPoints(difference.high)}`,
  ])
  const head = ['task by task', 'tasks', 'better', 'worse', 'points', '95% interval']
  return table(head, rows, { colors, right: [1, 2, 3, 4] })
}
