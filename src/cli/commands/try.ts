import { exitCodes } from '../../core/errors.js'
import type { Message } from '../../core/task.js'
import { interruptible } from '../interrupt.js'
import { type Io, printLine, warnLine } from '../io.js'
import type { TryResult } from '../library.js'
import { costOf } from '../plain.js'
import { type Colors, clean, count, points } from '../text.js'

export interface TryFlags {
  readonly task: string
  readonly skill?: string | undefined
  readonly config?: string | undefined
  readonly json?: true | undefined
}

/** One attempt with everything shown: what people look at before they pay for a training. */
export async function tryOne(io: Io, project: string | undefined, flags: TryFlags): Promise<number> {
  const interrupt = interruptible(io, text => warnLine(io, text), 'Run the command again.')
  const library = await io.library()
  try {
    const { task, skill, config } = flags
    const result = await library.tryTask({
      ...{ project, config, task, skill, env: io.env, cwd: io.cwd, signal: interrupt.signal },
    })
    const { view, ...rest } = result
    printLine(
      io,
      flags.json
        ? JSON.stringify({ ...rest, spending: view.spending }, null, 2)
        : attemptReport(result, io.colors),
    )
    return result.outcome.status === 'scored' ? exitCodes.ok : exitCodes.paused
  } finally {
    interrupt.dispose()
  }
}

export function attemptReport(
  { task, split, simulated, messages, outcome, view }: TryResult,
  colors: Colors,
): string {
  const { calls, input, output, unknownUsage } = view.spending.total
  const tokens = unknownUsage > 0 ? 'tokens unknown' : `${count(input)} tokens in, ${count(output)} out`
  return [
    `${colors.bold(`task ${clean(task)}`)} (${split})${simulated ? ` ${colors.inverse(' simulated ')}` : ''}`,
    ...messages.map(message => messageBlock(message, colors)),
    outcome.status === 'scored'
      ? [
          `${colors.bold('score')} hard ${points(outcome.score.hard)}, soft ${points(outcome.score.soft)} (${outcome.stop})`,
          clean(outcome.score.feedback),
        ]
          .filter(line => line !== '')
          .join('\n')
      : `${colors.red('not scored')}: ${outcome.failure.kind}: ${clean(outcome.failure.message)}`,
    colors.dim(`${count(calls)} call${calls === 1 ? '' : 's'}, ${tokens}, ${costOf(view)}`),
  ].join('\n\n')
}

function messageBlock({ role, text, toolCalls }: Message, colors: Colors): string {
  const calls = (toolCalls ?? []).map(call => colors.dim(`→ ${clean(call.name)}(${clean(call.arguments)})`))
  return [colors.cyan(`── ${role}`), clean(text), ...calls].filter(part => part !== '').join('\n')
}
