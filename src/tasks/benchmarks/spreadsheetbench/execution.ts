import { copyFile, lstat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '../../../core/errors/errors.js'
import type { SessionContext } from '../../../core/ports/environment.js'
import type { Sandbox, SandboxLimits, SandboxResult } from '../../../core/ports/sandbox.js'
import { isMissing } from '../../loading/rows.js'
import { withWorkspace } from '../../scoring/workspace.js'
import { inputFile, outputFile, withPaths } from './program.js'
import type { Made } from './score.js'

/** Settings for running programs in the sandbox. */
export interface ExecutionSettings {
  readonly python: string
  /** Absolute paths of folders that the sandbox may read in addition to the system's. */
  readonly readOnly: readonly string[]
  readonly seconds: number
  readonly memoryMegabytes: number
}

/** Characters of an error that are kept: enough for the end of a stack trace, which says what failed. */
const problemCharacters = 3000
const programFile = 'program.py'

/** Runs a program on a copy of the input. Its folder exists until `use` has inspected the output. */
export function withExecution<T>(
  program: string,
  input: string,
  settings: ExecutionSettings,
  context: SessionContext,
  use: (made: Made) => Promise<T>,
): Promise<T> {
  return withWorkspace(async workspace => {
    await copyFile(input, join(workspace, inputFile))
    await writeFile(join(workspace, programFile), withPaths(program))
    const result = await runPython([programFile], workspace, settings, context)
    return use(await executionOf(result, workspace, settings))
  })
}

export function runPython(
  given: readonly string[],
  workspace: string,
  { python, ...settings }: ExecutionSettings,
  context: SessionContext,
  stdin?: string,
): Promise<SandboxResult> {
  return runInSandbox([python, ...given], workspace, settings, context, stdin)
}

export function runInSandbox(
  command: readonly string[],
  workspace: string,
  { readOnly, seconds, memoryMegabytes }: Omit<ExecutionSettings, 'python'>,
  { sandbox, signal }: SessionContext,
  stdin?: string,
): Promise<SandboxResult> {
  const limits: SandboxLimits = {
    seconds,
    memoryMegabytes,
    processes: 64,
    fileMegabytes: 64,
    diskMegabytes: 128,
    outputCharacters: 20_000,
  }
  return sandbox.run(command, {
    workspace,
    limits,
    signal,
    readOnly,
    ...(stdin === undefined ? {} : { stdin }),
  })
}

async function executionOf(
  result: SandboxResult,
  workspace: string,
  { seconds }: ExecutionSettings,
): Promise<Made> {
  if (result.timedOut) return { problem: `the program was stopped after ${seconds} s` }
  if (result.exitCode !== 0) return { problem: `the program failed:\n${saidOf(result)}` }
  return findOutput(workspace)
}

/** Finds the program's output. Only a regular file counts, because a link could lead anywhere. */
export async function findOutput(workspace: string): Promise<Made> {
  const path = join(workspace, outputFile)
  try {
    if ((await lstat(path)).isFile()) return { output: path }
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  return { problem: 'there is no workbook at OUTPUT_PATH' }
}

/** What the program printed. If it is too long, its start is dropped. */
export function saidOf({ stdout, stderr, exitCode }: SandboxResult): string {
  const said = stderr.trim() === '' ? stdout.trim() : stderr.trim()
  const text = said === '' ? `It ended with exit code ${exitCode} and said nothing.` : said
  const characters = [...text]
  return characters.length > problemCharacters ? `…${characters.slice(1 - problemCharacters).join('')}` : text
}

/** Checks that Python and its packages are installed in the sandbox, before anything is spent. */
export async function checkPython(sandbox: Sandbox, settings: ExecutionSettings): Promise<void> {
  const { python, readOnly } = settings
  const install =
    'Install Python with both for the whole system (`apt-get install python3-openpyxl python3-pandas`): the sandbox sees no home folder. For a Python elsewhere, name it in `python` and the folder above its `bin` in `readOnly`.'
  if (!(await sandbox.has(python, readOnly))) {
    throw new InputError(`Programs are written in Python, and there is no "${python}" in the sandbox.`, {
      hint: install,
    })
  }
  await withWorkspace(async workspace => {
    const context = { sandbox, signal: new AbortController().signal }
    const result = await runPython(['-c', 'import openpyxl, pandas'], workspace, settings, context)
    if (result.exitCode === 0) return
    const problem = result.timedOut ? 'loading them takes too long' : saidOf(result).split('\n').at(-1)
    throw new InputError(
      `Programs use openpyxl and pandas, and "${python}" in the sandbox cannot load them: ${problem}.`,
      { hint: install },
    )
  })
}
