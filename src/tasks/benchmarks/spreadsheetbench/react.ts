import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Session, SessionContext, Tool } from '../../../core/ports/environment.js'
import { makeOwnFolder } from '../../../system/own-folder.js'
import { removeFolder } from '../../../system/remove-folder.js'
import { runInSandbox, runPython, saidOf } from './execution.js'
import type { CasePaths } from './items.js'
import type { MultiSettings } from './multi.js'
import { inputFile, outputFile } from './program.js'

export const reactInstructions = `You change spreadsheets by running Python.
Each task has an instruction, the beginning of every sheet of a workbook, and the position where the answer is looked for.
The workbook stands in your folder as ${inputFile}. Save the changed workbook there as ${outputFile}: nothing else counts.
The tool bash runs Python, with openpyxl and pandas and without a network; write_file writes a file. Both work in your folder.
When ${outputFile} is as it should be, reply without using a tool.`

/** Time limit of one tool call, in seconds. */
const secondsPerCall = 60

const bashArguments = z.strictObject({
  command: z.string().describe('A command that starts with python3, such as: python3 solution.py'),
})
const writeArguments = z.strictObject({
  path: z.string().min(1).describe('The name of the file, relative to your folder.'),
  content: z.string().describe('All that the file is to hold.'),
})

/** Python program that writes a file. It runs inside the sandbox, where no path leads out of the folder. */
const writeProgram = `import os, sys
path = sys.argv[1]
os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
with open(path, "w", encoding="utf-8") as file:
    file.write(sys.stdin.read())`

/** The agent works in a folder with two tools. The files that it leaves there are scored. */
export async function reactSession(
  firstCase: CasePaths,
  texts: Pick<Session, 'instructions' | 'prompt'>,
  settings: MultiSettings,
  context: SessionContext,
): Promise<Session> {
  const workspace = await makeOwnFolder()
  await copyFile(firstCase.input, join(workspace, inputFile))
  return {
    ...texts,
    skillAt: 'system',
    tools: toolsIn(workspace, { ...settings, seconds: Math.min(secondsPerCall, settings.seconds) }, context),
    turnLimit: settings.turns,
    secondsLimit: settings.secondsPerTask,
    workspace,
    toolsOnly: true,
    close: () => removeFolder(workspace),
  }
}

function toolsIn(workspace: string, settings: MultiSettings, context: SessionContext): Tool[] {
  return [
    {
      name: 'bash',
      description: `Runs a Python command in your folder, for at most ${settings.seconds} seconds, and gives what it prints.`,
      parameters: z.toJSONSchema(bashArguments, { io: 'input' }),
      async call(given) {
        const { command } = parsed(bashArguments, given)
        const start = /^\s*python3?(?=\s|$)/
        if (!start.test(command)) return 'Only Python can be run: a command starts with python3.'
        const line = command.replace(start, quoted(settings.python))
        const result = await runInSandbox(['sh', '-c', line], workspace, settings, context)
        if (result.timedOut) return `The command was stopped after ${settings.seconds} s.`
        if (result.exitCode !== 0) return `The command failed:\n${saidOf(result)}`
        return result.stdout.trim() === '' && result.stderr.trim() === ''
          ? 'The command ended and said nothing.'
          : saidOf({ ...result, stderr: [result.stdout, result.stderr].join('\n') })
      },
    },
    {
      name: 'write_file',
      description: 'Writes a text file into your folder, in place of one of the same name.',
      parameters: z.toJSONSchema(writeArguments, { io: 'input' }),
      async call(given) {
        const { path, content } = parsed(writeArguments, given)
        const result = await runPython(['-c', writeProgram, path], workspace, settings, context, content)
        return result.exitCode === 0
          ? `${path} is written.`
          : `${path} could not be written:\n${saidOf(result)}`
      },
    },
  ]
}

/** Parses a tool's arguments. Errors are worded for the agent. */
function parsed<T>(schema: z.ZodType<T>, given: string): T {
  let value: unknown
  try {
    value = JSON.parse(given)
  } catch (error) {
    throw new Error('the arguments are not JSON', { cause: error })
  }
  const result = schema.safeParse(value)
  if (!result.success) throw new Error(`the arguments do not fit: ${z.prettifyError(result.error)}`)
  return result.data
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
