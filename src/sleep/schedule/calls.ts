import { InputError } from '../../core/errors/errors.js'
import { oneLine } from '../../core/text/format.js'
import { type ProgramEnd, runProgram } from '../../system/run-program.js'
import type { Command } from './entry.js'

type Variables = Readonly<Record<string, string | undefined>>

/** What the scheduling programs need to know about the machine. */
export interface Machine {
  readonly env: Variables
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly userId: number
  readonly now: () => Date
}

/**
 * Runs a scheduling program; undefined if the machine does not have it. It uses the C locale, because some
 * answers are recognised by their text, and omits the crontab header, which would be added again on each
 * write.
 */
export function call(machine: Machine, command: Command, input?: Buffer): Promise<ProgramEnd | undefined> {
  const env = { ...machine.env, LC_ALL: 'C', CRONTAB_NOHEADER: 'Y' }
  return runProgram(command, input === undefined ? { env } : { env, input })
}

/** Like `call`, but throws if the command fails. */
export async function mustCall(
  machine: Machine,
  what: string,
  command: Command,
  input?: Buffer,
): Promise<ProgramEnd> {
  const end = await call(machine, command, input)
  if (end?.code === 0) return end
  throw failure(what, command, end)
}

export function failure(what: string, [program]: Command, end: ProgramEnd | undefined): InputError {
  const answer = end === undefined ? `${program} is not installed` : `${program} ${saidBy(end)}`
  return new InputError(`${what}: ${answer}.`, { hint: hintFor(answer) })
}

/** Formats a failed program's output as the rest of a sentence. */
export function saidBy({ code, stdout, stderr }: ProgramEnd): string {
  if (code === undefined) return 'did not answer within a minute'
  const said = oneLine(stderr === '' ? stdout.toString('utf8') : stderr).slice(0, 500)
  return said === '' ? `ended with code ${code}` : `says "${said.replace(/[.:\s]+$/, '')}"`
}

const hints: readonly (readonly [RegExp, string])[] = [
  [/not installed/, 'Install it, or have an administrator do it.'],
  [
    /connect to (?:\S+ )*bus|No medium found|XDG_RUNTIME_DIR/i,
    'The services of a user are reached from that user’s own login only: log in directly, not with su or sudo.',
  ],
  [
    /not allowed to use|crontab command not allowed/i,
    'Who may use cron is said in /etc/cron.allow and /etc/cron.deny; ask an administrator.',
  ],
  [/too long/, 'Install Node or skillopt in a folder with a shorter path.'],
  [
    /permission denied|access is denied|operation not permitted|not permitted/i,
    'Run it as the user whose sessions are to be used, or ask an administrator for the right to schedule.',
  ],
]

function hintFor(answer: string): string {
  const found = hints.find(([words]) => words.test(answer))
  return found?.[1] ?? 'Nothing was changed by skillopt. Mend what it says and run the same command again.'
}
