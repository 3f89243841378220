import { execFile } from 'node:child_process'

export interface ProgramEnd {
  /** Exit code; undefined if the program was killed on timeout. */
  readonly code: number | undefined
  readonly stdout: Buffer
  readonly stderr: string
}

interface RunOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input?: Buffer
  readonly seconds?: number
}

const mostOutput = 64 * 1024 * 1024

/**
 * Runs a system program to its end, without a shell, and leaves the exit code to the caller. Undefined if
 * there is no such program in the PATH of `env`.
 */
export function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  { env, input, seconds = 60 }: RunOptions,
): Promise<ProgramEnd | undefined> {
  const settings = {
    env: { ...env },
    timeout: seconds * 1000,
    killSignal: 'SIGKILL',
    maxBuffer: mostOutput,
    encoding: 'buffer',
    windowsHide: true,
  } as const
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, settings, (error, stdout, stderr) => {
      const said = stderr.toString('utf8')
      if (error === null) resolve({ code: 0, stdout, stderr: said })
      else if (error.code === 'ENOENT') resolve(undefined)
      else if (typeof error.code === 'number') resolve({ code: error.code, stdout, stderr: said })
      else if (error.killed === true) resolve({ code: undefined, stdout, stderr: said })
      else reject(error)
    })
    // A program may end without reading its input, which is no error.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
