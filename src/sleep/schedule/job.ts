import { posix, win32 } from 'node:path'
import { z } from 'zod'
import { InputError } from '../../core/errors/errors.js'
import { redactSecrets } from '../../core/redaction/known-secrets.js'
import { type Command, isTime } from './entry.js'

type Variables = Readonly<Record<string, string | undefined>>

/** A job that runs a night on schedule. All its paths are absolute. */
export interface NightlyJob {
  /** The project folder, in which the command runs. */
  readonly project: string
  /** Sleep's state folder for the project, which holds the job's settings and the log. */
  readonly folder: string
  readonly command: Command
  readonly hour: number
  readonly minute: number
  /** Variables for the command in addition to those of the system. They never include a key. */
  readonly environment: Readonly<Record<string, string>>
  /** Names of variables that the night needs but that must not be stored, such as keys. */
  readonly needs: readonly string[]
  /** Files with `NAME=value` lines. The night reads the variables that are not stored from these files. */
  readonly variableFiles: readonly string[]
}

/**
 * Content of a job's settings file. The time is stored by the scheduling system, and the project's state
 * folder is the one that holds the file.
 */
export const settingsSchema = z.strictObject({
  format: z.literal(1),
  project: z.string(),
  command: z.tuple([z.string()], z.string()),
  environment: z.record(z.string(), z.string()),
  needs: z.array(z.string()),
  variableFiles: z.array(z.string()),
})

export type JobSettings = z.infer<typeof settingsSchema>

/**
 * Characters that a job may not contain: control characters such as line breaks, which could break our line
 * format, lone surrogates, and characters that XML forbids.
 */
const unwritable = /[\p{Cc}\p{Cs}\u2028\u2029\ufffe\uffff]/u
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/
const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i
/**
 * True if the variable's name suggests a secret. Variables for options start with SKILLOPT_ and never hold
 * keys, because the config refuses them.
 */
export const isKeyName = (name: string): boolean => secretName.test(name) && !name.startsWith('SKILLOPT_')

/** Throws `InputError` for a job that cannot be scheduled, before anything is changed. */
export function checkJob(job: NightlyJob, env: Variables, platform: NodeJS.Platform): void {
  if (!isTime(job)) {
    throw new InputError(`A night cannot begin at ${job.hour}:${job.minute}.`, {
      hint: 'Hours go from 0 to 23, minutes from 0 to 59.',
    })
  }
  const { isAbsolute } = platform === 'win32' ? win32 : posix
  for (const [called, path] of pathsOf(job)) {
    if (!isAbsolute(path)) throw new InputError(`${called} of a schedule must be absolute: ${quoted(path)}.`)
  }
  for (const [called, text] of textsOf(job)) {
    if (unwritable.test(text)) {
      throw new InputError(
        `${called} holds a line end or another character that no schedule can: ${quoted(text)}.`,
        {
          hint: 'Rename the file or folder, or write the setting into a config file.',
        },
      )
    }
  }
  for (const name of [...Object.keys(job.environment), ...job.needs]) {
    if (!variableName.test(name)) throw new InputError(`${quoted(name)} cannot be the name of a variable.`)
  }
  refuseSecrets(job, env)
}

function refuseSecrets({ command, environment, needs }: NightlyJob, env: Variables): void {
  const named = Object.keys(environment).find(name => isKeyName(name) || needs.includes(name))
  if (named !== undefined) {
    throw new InputError(
      `The variable ${named} looks like a key, and keys are not written into a schedule.`,
      {
        hint: secretHint,
      },
    )
  }
  const values = needs.map(name => env[name] ?? '').filter(value => value.length >= shortestKey)
  for (const text of [...command, ...Object.values(environment)]) {
    if (redactSecrets(text, values) !== text) {
      throw new InputError(
        'The command of a schedule holds what looks like a key, which would be written down.',
        {
          hint: secretHint,
        },
      )
    }
  }
}

/**
 * Shorter values are not treated as keys. Servers without authentication get a dummy key such as `local`, and
 * a path may well contain that word.
 */
const shortestKey = 8

const secretHint =
  'Write it as a line NAME=value into a file .env of the project, which is read when a night begins.'

function pathsOf(job: NightlyJob): readonly (readonly [string, string])[] {
  return [
    ['The project', job.project],
    ['The folder', job.folder],
    ['The program', job.command[0]],
    ...job.variableFiles.map(file => ['The file of variables', file] as const),
  ]
}

function textsOf(job: NightlyJob): readonly (readonly [string, string])[] {
  return [
    ...pathsOf(job),
    ...job.command.slice(1).map(argument => ['An argument of the command', argument] as const),
    ...Object.entries(job.environment).map(([name, value]) => [`The variable ${name}`, value] as const),
  ]
}

/** Quotes a text and replaces characters that cannot be displayed. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\p{Cc}\u2028\u2029]/gu, '?')
}
