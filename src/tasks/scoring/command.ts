import { access, cp } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { InputError, messageOf } from '../../core/errors/errors.js'
import type { SandboxResult } from '../../core/ports/sandbox.js'
import type { Score } from '../../core/task/task.js'
import { defineScorer, type Fields } from './scorer.js'
import { copyWork, isBelow, makeWay, textFiles, withWorkspace, writeWorkspaceFile } from './workspace.js'

/** File with the task's fields, so that the program can read the expected values. */
const taskFile = 'task.json'
/** Characters of a program's output to show. A reflection prompt contains many of these. */
const shownCharacters = 800
const fileMegabytes = 256
const diskMegabytes = 512

/**
 * Scores with a program of the user. It gets the answer in a file, and its exit code tells whether the answer
 * is correct. If the agent worked in a folder, the program runs in a copy of it.
 */
export const scorer = defineScorer({
  id: 'command',
  extract: 'code-or-whole',
  options: {
    command: z
      .array(z.string().min(1))
      .min(1)
      .describe('The program and its arguments, as a list; no shell reads them. Exit code 0 means right.'),
    answerFile: z.string().default('answer.txt').describe('The file into which the answer is written.'),
    files: z
      .array(z.string())
      .default([])
      .describe(
        'Files and folders that the command needs, below the folder of the config; copied each time.',
      ),
    field: z
      .string()
      .default('workspace')
      .describe(
        'The task field with further files for the command, as an object of names and texts. Optional.',
      ),
    soft: z
      .enum(['exit-code', 'last-line'])
      .default('exit-code')
      .describe(
        'Where soft comes from: the exit code, or a number from 0 to 1 in the last line of the output.',
      ),
    timeLimit: z.number().positive().max(3600).default(30).describe('Seconds until the command is stopped.'),
    memoryLimit: z.int().min(16).default(1024).describe('Megabytes of memory for all processes together.'),
    processLimit: z.int().min(1).default(64).describe('Processes and threads at once.'),
    readOnly: z.array(z.string()).default([]).describe('Further folders that the sandbox may read.'),
  },
  fields: () => [],
  needs: () => ({ sandbox: true }),
  files: ({ files }, { baseDir }) => files.map(file => resolve(baseDir, file)),
  optionsProblem({ answerFile, files }) {
    const outside = [answerFile, ...files].find(name => !isBelow(name))
    if (outside !== undefined) return `name "${outside}", which is not below the folder`
    return files.includes(answerFile) || answerFile === taskFile
      ? `let the answer overwrite "${answerFile}"`
      : undefined
  },
  problem(task, { field }) {
    if (task[field] === undefined) return undefined
    const files = textFiles.safeParse(task[field])
    if (!files.success) return `has something other than an object of names and texts in "${field}"`
    const outside = Object.keys(files.data).find(name => !isBelow(name))
    return outside === undefined
      ? undefined
      : `has the file "${outside}" in "${field}", which is not below the folder`
  },
  async checkSandbox(sandbox, { command, readOnly }, { baseDir }) {
    const folders = readOnly.map(folder => resolve(baseDir, folder))
    for (const folder of folders) await mustBeThere(folder)
    const [program = ''] = command
    if (await sandbox.has(program, folders)) return
    throw new InputError(`The scorer "command" runs "${program}", which is not in the sandbox.`, {
      hint: 'The sandbox sees the programs of the system (/usr, /bin, /opt) and no home folder. Install it there, or name the folder above its `bin` in `readOnly`.',
    })
  },
  score: ({ task, answer, options, context: { sandbox, signal, baseDir, workspace: work } }) =>
    withWorkspace(async workspace => {
      if (work !== undefined) await copyWork(work, workspace)
      for (const file of options.files) {
        // Our files replace the agent's, so that the agent cannot supply its own check.
        await makeWay(workspace, file)
        await cp(resolve(baseDir, file), join(workspace, file), { recursive: true })
      }
      const texts = {
        ...ownFiles(task, options.field),
        [taskFile]: JSON.stringify(task, null, 2),
        [options.answerFile]: answer,
      }
      for (const [name, text] of Object.entries(texts)) {
        await makeWay(workspace, name)
        await writeWorkspaceFile(workspace, name, text)
      }
      const limits = {
        seconds: options.timeLimit,
        memoryMegabytes: options.memoryLimit,
        processes: options.processLimit,
        fileMegabytes,
        diskMegabytes,
        outputCharacters: 20_000,
      }
      const readOnly = options.readOnly.map(folder => resolve(baseDir, folder))
      const result = await sandbox.run(options.command, { workspace, limits, signal, readOnly })
      return scoreOf(result, options)
    }),
})

function ownFiles(task: Fields, field: string): Record<string, string> {
  return task[field] === undefined ? {} : textFiles.parse(task[field])
}

function scoreOf(
  result: SandboxResult,
  { soft, timeLimit }: { readonly soft: 'exit-code' | 'last-line'; readonly timeLimit: number },
): Score {
  const hard = result.exitCode === 0 ? 1 : 0
  const ending = result.timedOut
    ? `was stopped after ${timeLimit} s`
    : hard === 1
      ? 'passed (exit code 0)'
      : `failed with exit code ${result.exitCode}`
  return {
    hard,
    soft: soft === 'last-line' ? (lastNumber(result.stdout) ?? hard) : hard,
    feedback: [
      `The check ${ending}.`,
      ...said('stdout', result.stdout),
      ...said('stderr', result.stderr),
    ].join('\n'),
  }
}

/** Returns any number, since one that is out of range is a bug in the check and must stop the run. */
function lastNumber(stdout: string): number | undefined {
  const line = stdout.trim().split('\n').at(-1)?.trim() ?? ''
  return line === '' || Number.isNaN(Number(line)) ? undefined : Number(line)
}

function said(name: string, text: string): string[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  const shown = trimmed.length > shownCharacters ? `…${trimmed.slice(-shownCharacters)}` : trimmed
  return [`${name}:`, shown]
}

async function mustBeThere(folder: string): Promise<void> {
  try {
    await access(folder)
  } catch (error) {
    throw new InputError(
      `The scorer "command" names the folder ${folder}, which cannot be read: ${messageOf(error)}.`,
      {
        hint: 'Correct `readOnly` in the configuration.',
        cause: error,
      },
    )
  }
}
