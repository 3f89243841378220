import type { GateCheckResult } from '../../../app/index.js'
import { mostTasks } from '../../../core/statistics/gate-power.js'
import type { RunView } from '../../../core/view/fold.js'
import { viewRun } from '../../../store/run-directories.js'
import { spendingReport } from '../../output/run-report.js'
import { type Colors, clean, count, plural, points, shownPath, table } from '../../output/text.js'
import { trustFor } from '../../terminal/ask-trust.js'
import { confirmEvaluation } from '../../terminal/confirm.js'
import { interruptible } from '../../terminal/interrupt.js'
import { type Io, printLine, sayWarnings } from '../../terminal/io.js'
import { createDisplay } from '../../terminal/live.js'
import { configFlags, sayEnd, type TrainFlags } from '../train/train.js'

export interface GateCheckFlags extends Omit<TrainFlags, 'out' | 'new' | 'fork'> {
  readonly skill?: string | undefined
  readonly samples?: number | undefined
  /** Gain in points that the user asks about. */
  readonly gain?: number | undefined
}

type Findings = NonNullable<GateCheckResult['findings']>

/** With fewer tasks than this, the results may not hold for other tasks. */
const fewTasks = 20

/** `doctor --gate`: measures how noisy the target's scores are and which edits each gate would accept. */
export async function measureGate(
  io: Io,
  project: string | undefined,
  flags: GateCheckFlags,
): Promise<number> {
  // With `--json`, stdout contains only the result. Events would mix with it, so they are not shown.
  const quiet = flags.json ?? flags.quiet
  const display = createDisplay(io, { quiet })
  const interrupt = interruptible(io, display.note)
  const library = await io.library()
  try {
    const result = await library.gateCheck({
      project,
      config: flags.config,
      cfgOptions: flags.cfgOptions,
      flags: configFlags(flags),
      skill: flags.skill,
      env: io.env,
      cwd: io.cwd,
      signal: interrupt.signal,
      trust: trustFor(io, flags),
      samples: flags.samples,
      gain: flags.gain === undefined ? undefined : flags.gain / 100,
      onEvent: display.event,
      onNotice: display.note,
      onMeasured: () => {
        if (quiet !== true)
          display.note('All attempts are done. Simulating thousands of gate decisions (no calls).')
      },
      confirm: confirmEvaluation(io, flags),
      onWarnings: warnings => sayWarnings(io, warnings),
    })
    display.close()
    if (result.findings !== undefined) await sayResult(io, result, flags)
    return sayEnd(io, result)
  } finally {
    display.close()
    interrupt.dispose()
  }
}

async function sayResult(io: Io, result: GateCheckResult, flags: GateCheckFlags): Promise<void> {
  const view = await viewRun(result.directory)
  if (flags.json) {
    const { outcome, simulated, model, gate, findings } = result
    const record = { outcome, simulated, model, gate, ...findings, spending: view.spending }
    printLine(io, JSON.stringify(record, null, 2))
    return
  }
  printLine(
    io,
    `\n${gateReport(result, view, { directory: shownPath(result.directory, io.cwd), colors: io.colors })}`,
  )
}

export function gateReport(
  { findings, simulated, model, gate }: GateCheckResult,
  view: RunView,
  { directory, colors }: { readonly directory: string; readonly colors: Colors },
): string {
  if (findings === undefined) return ''
  const mark = simulated ? ` ${colors.inverse(' simulated ')}` : ''
  const { tasks, samples } = findings
  const blocks = [
    `${colors.bold(clean(model))}${mark} with the same skill ${samples} times on ${plural(tasks, 'validation task')}`,
    [...noiseSentences(findings), ...gateSentences(findings, gate), ...gainSentences(findings)].join('\n'),
    limitSentences(findings, view, colors).join('\n'),
    gateTable(findings, gate, colors),
    gainTable(findings, colors),
    findings.repeats.length === 0 ? '' : `Score of each repeat: ${findings.repeats.map(points).join(', ')}`,
    `Details: ${directory}`,
    spendingReport(view, colors),
  ]
  return blocks.filter(block => block !== '').join('\n\n')
}

function noiseSentences({ noise, scored }: Findings): string[] {
  const { score, disagreement, deviation, unsteady, repeated } = noise
  if (unsteady === 0) {
    return [
      `No noise in ${plural(scored, 'attempt')}: each task had the same result every time. Score: ${points(score)}.`,
      `A target whose attempts differ in more than ${points(disagreement.high)} of cases is unlikely to look like this.`,
    ]
  }
  return [
    `Score: ${points(score)}. Two attempts at the same task differ in ${points(disagreement.mean)} of cases (${points(disagreement.low)} to ${points(disagreement.high)}), on ${unsteady} of ${plural(repeated, 'task')}.`,
    `With nothing changed, the score varies by ${inPoints(deviation)} between evaluations (standard deviation).`,
  ]
}

/** Sentences about the configured gate and the gates to compare it with. */
function gateSentences({ gates, noise }: Findings, own: string): string[] {
  const told = gates.filter(({ gate }) => gate === own || ['strict', 'guarded', 'paired'].includes(gate))
  const accepting = told.map(({ gate, accepted }) => `${points(accepted)} by ${clean(gate)}`)
  const detecting = told.map(
    ({ gate, smallestGain }) =>
      `${smallestGain === undefined ? 'none' : inPoints(smallestGain)} by ${clean(gate)}`,
  )
  const nothing =
    noise.unsteady === 0 && told.every(({ accepted }) => accepted === 0)
      ? 'No gate would accept an edit that changes nothing.'
      : `False accepts (edits that change nothing): ${accepting.join(', ')}.`
  return [nothing, `Smallest gain accepted 80% of the time: ${detecting.join(', ')}.`]
}

function gainSentences({ gain, tasks, noise }: Findings): string[] {
  if (gain === undefined) return []
  const named = `A gain of ${inPoints(gain.gain)}`
  if (gain.gates.length === 0) {
    return [`${named} is impossible: solving every task would gain ${inPoints(gain.room)}.`]
  }
  if (noise.unsteady === 0) return [`${named} needs no repeats: there is no noise.`]
  if (gain.repeats === 1) {
    return [`${named} is detectable with one attempt per task and skill.`]
  }
  return [
    `${named} is detectable with ${count(gain.repeats)} attempts per task and skill, or with ${count(gain.repeats * tasks)} tasks tried once.`,
  ]
}

/** Sentences about the limits of the measurement. */
function limitSentences(
  { tasks, failed, noise }: Findings,
  { tasks: all }: RunView,
  colors: Colors,
): string[] {
  const unscored = all.val - tasks
  const lines = [
    failed === 0
      ? ''
      : `${plural(failed, 'attempt')} failed and ${failed === 1 ? 'is' : 'are'} not counted. Rerun the same command to retry.`,
    unscored === 0 ? '' : `${plural(unscored, 'task')} left out: no attempt was scored.`,
    tasks >= fewTasks
      ? ''
      : `Only ${plural(tasks, 'task')}: one task is worth ${inPoints(1 / tasks)}. Other tasks may behave differently.`,
    noise.unsteady > 0 && noise.unsteady < 5 && tasks >= fewTasks
      ? `All noise comes from ${plural(noise.unsteady, 'task')}: more samples would measure it better.`
      : '',
  ]
  return lines.filter(line => line !== '').map(line => colors.yellow(line))
}

function gateTable({ gates }: Findings, own: string, colors: Colors): string {
  const rows = gates.map(({ gate, accepted, underpowered, smallestGain, attempts }) => [
    gate === own ? colors.bold(`${clean(gate)} (yours)`) : clean(gate),
    points(accepted),
    points(underpowered),
    smallestGain === undefined ? 'none' : inPoints(smallestGain),
    attempts.toFixed(1),
  ])
  const head = ['gate', 'accepts no change', 'cannot tell', 'smallest gain', 'attempts per decision']
  return table(head, rows, { colors, right: [1, 2, 3, 4] })
}

function gainTable({ gain }: Findings, colors: Colors): string {
  if (gain === undefined || gain.gates.length === 0) return ''
  const rows = gain.gates.map(({ gate, accepted, tasks }) => [
    clean(gate),
    points(accepted),
    tasks === undefined ? `more than ${count(mostTasks)}` : `about ${count(tasks)}`,
  ])
  const head = [`a gain of ${inPoints(gain.gain)}`, 'accepted now', 'tasks for 8 of 10']
  return table(head, rows, { colors, right: [1, 2] })
}

function inPoints(share: number): string {
  const number = (100 * share).toFixed(1)
  return `${number} ${number === '1.0' ? 'point' : 'points'}`
}
