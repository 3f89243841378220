import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { parseEnv } from 'node:util'
import { exitCodes, InputError, messageOf, SkillOptError } from '../../core/errors/errors.js'
import type { JobSettings, NightlyJob } from './job.js'
import { lenient, type NightLog, openLog } from './log.js'
import { isThere, nightLog, readSettings, readText } from './settings.js'

type Variables = Readonly<Record<string, string | undefined>>

interface NightOptions {
  readonly env: Variables
  readonly now: () => Date
  /** Receives output that cannot be logged. Scheduling systems store it or mail it. */
  readonly stderr: { write(text: string): unknown }
  /** Fires when the system ends this process, and then ends the command. */
  readonly signal: AbortSignal
}

/** Runs the configured command and returns its exit code. Output and errors go to the log. */
export async function runNight(file: string, options: NightOptions): Promise<number> {
  const place = nightLog(dirname(file))
  const log = lenient(openLog(place), error =>
    options.stderr.write(`${place} cannot be written: ${messageOf(error)}\n`),
  )
  const note = (text: string) => log.add(`${options.now().toISOString()} ${text}\n`)
  try {
    const settings = await readSettings(file)
    const env = await variablesFor(settings, options.env)
    if (!(await isThere(settings.project))) {
      throw new InputError(`The project is gone: ${settings.project}.`, { hint: 'Take its schedule away.' })
    }
    note(`A night begins: ${settings.command.slice(1).join(' ')}`)
    const code = await run(settings, env, log, options.signal)
    note(`The night ended with code ${code}.`)
    return code
  } catch (error) {
    const hint = error instanceof SkillOptError ? error.hint : undefined
    note(`The night could not begin: ${messageOf(error)}${hint === undefined ? '' : ` ${hint}`}`)
    return error instanceof SkillOptError ? error.exitCode : exitCodes.unexpected
  }
}

/**
 * Merges the system's variables, the stored ones, and the required ones that are not stored. Throws if a
 * required variable is missing.
 */
async function variablesFor(settings: JobSettings, given: Variables): Promise<Variables> {
  const env = { ...given, ...settings.environment }
  const found = await needed(settings, env)
  const missing = settings.needs.filter(name => found[name] === undefined)
  if (missing.length === 0) return { ...env, ...found }
  throw new InputError(`${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set.`, {
    hint: whereToPut(settings),
  })
}

/**
 * Returns the required variables that would be missing if a night began now, whatever the current shell has
 * set.
 */
export async function missingVariables(job: Pick<NightlyJob, 'needs' | 'variableFiles'>): Promise<string[]> {
  const found = await needed(job, {})
  return job.needs.filter(name => found[name] === undefined)
}

export function whereToPut({ variableFiles: [file] }: Pick<NightlyJob, 'variableFiles'>): string {
  return file === undefined
    ? 'Have the system set it for what it starts.'
    : `Write it as a line NAME=value into ${file}, which nobody else should be able to read.`
}

async function needed(
  { needs, variableFiles }: Pick<NightlyJob, 'needs' | 'variableFiles'>,
  env: Variables,
): Promise<Variables> {
  const files = await Promise.all(variableFiles.map(async path => parseEnv((await readText(path)) ?? '')))
  return Object.fromEntries(
    needs.map(name => [name, [env, ...files].map(place => place[name]).find(value => (value ?? '') !== '')]),
  )
}

function run(
  { command: [program, ...rest], project }: JobSettings,
  env: Variables,
  log: NightLog,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, {
      cwd: project,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    const stop = () => child.kill('SIGTERM')
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    child.stdout.on('data', log.add)
    child.stderr.on('data', log.add)
    child.once('error', cause =>
      reject(
        new InputError(`${program} cannot be started: ${cause.message}.`, {
          hint: 'Schedule the project again after Node or skillopt has moved.',
          cause,
        }),
      ),
    )
    child.once('close', code => {
      signal.removeEventListener('abort', stop)
      resolve(code ?? exitCodes.interrupted)
    })
  })
}
