import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdir, readFile, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { execPath } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { InputError, messageOf } from '../../../core/errors/errors.js'
import { clean } from '../../../core/text/format.js'
import { chooseDirectory, runsFolder } from '../../../store/run-directories.js'
import { ownProgram } from '../../../system/own-program.js'
import type { ServerContext } from '../context.js'

export interface TrainingCommand {
  /** Arguments of `train`. */
  readonly args: readonly string[]
  readonly directory: string
  /** Whether the training has written to its log yet. */
  hasBegun(): Promise<boolean>
}

const pollMs = 100

/**
 * Starts our own command line as a process that outlives the dashboard. `begun` resolves to true once the
 * log has begun, however long that takes, and to false if the dashboard closes first. If the process exits
 * before that, `begun` rejects with its output.
 */
export async function startTraining(
  { args, directory, hasBegun }: TrainingCommand,
  { cwd, env, signal }: Pick<ServerContext, 'cwd' | 'env' | 'signal'>,
): Promise<{ readonly begun: Promise<boolean> }> {
  const { file, execArgv } = ownProgram('../../../cli/main', import.meta.url)
  const output = join(await outputFolder(cwd), `${basename(directory)}.log`)
  const log = openSync(output, 'w', 0o600)
  let child: ChildProcess
  try {
    child = spawn(execPath, [...execArgv, file, 'train', ...args], {
      cwd,
      // A web page shows the process's errors, so terminal colours are turned off.
      env: { ...env, NO_COLOR: '1', FORCE_COLOR: undefined },
      detached: true,
      stdio: ['ignore', log, log],
      windowsHide: true,
    })
  } finally {
    closeSync(log)
  }
  const end = endOf(child)
  child.unref()
  const wait = async () => {
    while (end.state === 'at work' && !signal.aborted) {
      if (await hasBegun()) return true
      await sleep(pollMs)
    }
    if (await hasBegun()) return true
    if (end.state === 'at work') return false
    throw await refusalIn(output, end)
  }
  const begun = wait()
  // Prevents an unhandled rejection if the page is closed before anybody awaits `begun`.
  begun.catch(() => undefined)
  return { begun }
}

/** Creates the next free run directory immediately, so that concurrent starts get different ones. */
export async function reserveDirectory(name: string, cwd: string): Promise<string> {
  await runsFolderIn(cwd)
  for (;;) {
    const directory = await chooseDirectory(name, true, cwd)
    try {
      await mkdir(directory)
      return directory
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(directory, error)
    }
  }
}

/** Removes a reserved directory after a failed start, unless the training has written to it. */
export async function giveBack(directory: string): Promise<void> {
  try {
    await rmdir(directory)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw error
  }
}

interface End {
  state: 'at work' | 'ended'
  error?: Error
}

function endOf(child: ChildProcess): End {
  const end: End = { state: 'at work' }
  child.once('error', error => Object.assign(end, { state: 'ended', error }))
  child.once('exit', () => Object.assign(end, { state: 'ended' }))
  return end
}

async function runsFolderIn(cwd: string): Promise<string> {
  const folder = join(cwd, runsFolder)
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw cannotWrite(folder, error)
  })
  return folder
}

/** Folder for the output of started processes. It lies outside the run directories. */
async function outputFolder(cwd: string): Promise<string> {
  const folder = join(await runsFolderIn(cwd), '.dashboard')
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw cannotWrite(folder, error)
  })
  return folder
}

const cannotWrite = (folder: string, error: unknown): InputError =>
  new InputError(`The folder ${folder} cannot be made: ${messageOf(error)}.`, {
    hint: 'A training is kept in `runs`, where the dashboard was started: that place has to be yours to write to.',
    cause: error,
  })

const saidOnError = /^(?:unexpected )?error: /m

/** Builds an error from the message and the hint that the command line printed. */
async function refusalIn(output: string, { error }: End): Promise<InputError> {
  if (error !== undefined)
    return new InputError(`The training could not be started: ${messageOf(error)}.`, { cause: error })
  const said = clean(await readFile(output, 'utf8')).trim()
  const at = saidOnError.exec(said)
  const words = at === null ? said : said.slice(at.index + at[0].length)
  if (words === '') return new InputError('The training ended before it had begun, and said nothing.')
  // The message may end with an indented list of problems; any other text is the hint.
  const [, message = words, hint] = /^(.*(?:\n[ \t].*)*)\n?([\s\S]*)$/.exec(words) ?? []
  return new InputError(message, hint === undefined || hint === '' ? {} : { hint })
}
