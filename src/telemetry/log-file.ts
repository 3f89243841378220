import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../core/config/config.js'
import { InputError, messageOf } from '../core/errors/errors.js'
import type { RunEvent } from '../core/log/event.js'
import type { ReaderContext } from '../core/ports/store.js'
import { facts } from './facts.js'
import type { Said } from './texts.js'

type LogLevel = Config['telemetry']['logLevel']

export interface LogFileSettings {
  readonly file: string
  readonly level: LogLevel
  redact(text: string): string
}

/** Appends a line of JSON for each event, with the time at which the event happened. */
export async function openLogFile(settings: LogFileSettings, { run, notice }: ReaderContext) {
  const { pino } = await import('pino')
  const destination = pino.destination({ dest: settings.file, append: true, sync: false, minLength: 4096 })
  let broken = false
  destination.on('error', (error: Error) => {
    if (!broken) notice(`The log file ${settings.file} cannot be written any more: ${messageOf(error)}.`)
    broken = true
  })
  const { level, redact } = settings
  const log = pino({ level, base: { run }, timestamp: false }, destination)
  return {
    event(event: RunEvent, said?: Said): void {
      if (broken) return
      const level = levelOf(event)
      if (!log.isLevelEnabled(level)) return
      const line = { time: event.at, seq: event.seq, event: event.type, ...lineOf(event, said) }
      log[level](redacted(line, redact), event.type)
    },
    async close(): Promise<void> {
      if (broken) return
      const closed = new Promise<void>(resolve => {
        destination.once('close', resolve).once('error', () => resolve())
      })
      destination.end()
      await closed
    },
  }
}

/**
 * Checks the file before the run starts. A wrong path stops the run; a line that is lost later only causes a
 * notice.
 */
export async function prepareLogFile(file: string): Promise<void> {
  try {
    await mkdir(dirname(file)).catch(ignoreExisting)
    await (await open(file, 'a')).close()
  } catch (error) {
    throw new InputError(`telemetry.logFile: ${file} cannot be written: ${messageOf(error)}.`, {
      hint: 'Name another file, or leave telemetry.logFile out.',
      cause: error,
    })
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/**
 * The log level of an event. Single calls and attempts are debug details, failures are warnings, and a fault
 * that ended the run is an error.
 */
export function levelOf(event: RunEvent): LogLevel {
  switch (event.type) {
    case 'call.started':
    case 'call.finished':
    case 'attempt.finished':
    case 'stage.started':
      return 'debug'
    case 'call.failed':
    case 'attempt.failed':
    case 'optimizer.failed':
      return 'warn'
    case 'run.stopped':
      return event.body.reason === 'failed' ? 'error' : 'warn'
    default:
      return 'info'
  }
}

function lineOf(event: RunEvent, said: Said | undefined): object {
  // The error message of such an event may quote the optimizer's reply, so it is left out.
  const told = facts(event, { sentences: event.type !== 'optimizer.failed' })
  return said === undefined ? told : { ...told, prompt: said.prompt, reply: said.reply }
}

function redacted<T extends object>(line: T, redact: (text: string) => string): T {
  return JSON.parse(JSON.stringify(line), (_key, value: unknown) =>
    typeof value === 'string' ? redact(value) : value,
  ) as T
}
