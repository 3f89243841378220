import type { Trial } from '../../../app/index.js'
import { exitCodes } from '../../../core/errors/errors.js'
import type { RunView } from '../../../core/view/fold.js'
import { messageBlock, outcomeText } from '../../output/attempt-text.js'
import { costOf } from '../../output/plain.js'
import { type Colors, clean, count, plural } from '../../output/text.js'
import { trustFor } from '../../terminal/ask-trust.js'
import { interruptible } from '../../terminal/interrupt.js'
import { type Io, printLine, sayWarnings, warnLine } from '../../terminal/io.js'
import { configFlags, sayEnd } from './train.js'

export interface TryFlags {
  readonly task: string
  readonly skill?: string | undefined
  readonly config?: string | undefined
  readonly cfgOptions?: readonly string[] | undefined
  readonly set?: readonly string[] | undefined
  readonly unsafeNoSandbox?: true | undefined
  readonly trust?: true | undefined
  readonly json?: true | undefined
}

/** Makes one attempt at a task and prints all of it, as a test before paying for a training. */
export async function tryOne(io: Io, project: string | undefined, flags: TryFlags): Promise<number> {
  const interrupt = interruptible(io, text => warnLine(io, text))
  const library = await io.library()
  try {
    const { task, skill, config, cfgOptions } = flags
    const result = await library.attemptOne({
      project,
      config,
      cfgOptions,
      flags: configFlags(flags),
      task,
      skill,
      env: io.env,
      cwd: io.cwd,
      trust: trustFor(io, flags),
      signal: interrupt.signal,
      onWarnings: warnings => sayWarnings(io, warnings),
      onNotice: text => warnLine(io, text),
    })
    const { value: trial, view } = result
    if (trial === undefined) return sayEnd(io, result)
    if (flags.json) {
      printLine(io, JSON.stringify({ ...trial, simulated: view.simulated, spending: view.spending }, null, 2))
    } else printLine(io, attemptReport(trial, view, io.colors))
    return trial.outcome.status === 'scored' ? exitCodes.ok : exitCodes.paused
  } finally {
    interrupt.dispose()
  }
}

export function attemptReport(
  { task, split, messages, outcome }: Trial,
  view: RunView,
  colors: Colors,
): string {
  const { calls, input, output, unknownUsage } = view.spending.total
  const tokens = unknownUsage > 0 ? 'tokens unknown' : `${count(input)} tokens in, ${count(output)} out`
  return [
    `${colors.bold(`task ${clean(task)}`)} (${split})${view.simulated ? ` ${colors.inverse(' simulated ')}` : ''}`,
    ...messages.map(message => messageBlock(message, colors)),
    outcomeText({ outcome }, colors),
    colors.dim(`${plural(calls, 'call')}, ${tokens}, ${costOf(view)}`),
  ].join('\n\n')
}
