import picocolors from 'picocolors'
import type { Library } from '../library.js'
import type { Colors } from '../output/text.js'

/** Input, output and process functions of a command. Tests replace them. */
export interface Io {
  readonly stdout: Output
  readonly stderr: Output
  readonly stdin: { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly colors: Colors
  readonly library: () => Promise<Library>
  /** Calls back on each Ctrl-C or termination request. Returns a function that ends this. */
  onInterrupt(callback: () => void): () => void
  /** Ends the process at once. */
  quit(code: number): void
}

export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
}

export function colorsFor(stream: Output, env: Io['env']): Colors {
  const wanted = stream.isTTY === true && env.TERM !== 'dumb'
  const set = (name: string) => env[name] !== undefined && env[name] !== ''
  return picocolors.createColors(!set('NO_COLOR') && (wanted || set('FORCE_COLOR')))
}

export function processIo(library: Io['library']): Io {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: process.env,
    cwd: process.cwd(),
    colors: colorsFor(process.stdout, process.env),
    library,
    onInterrupt(callback) {
      process.on('SIGINT', callback)
      process.on('SIGTERM', callback)
      return () => {
        process.off('SIGINT', callback)
        process.off('SIGTERM', callback)
      }
    },
    quit: code => process.exit(code),
  }
}

export function printLine(io: Io, text = ''): void {
  io.stdout.write(`${text}\n`)
}

export function warnLine(io: Io, text: string): void {
  io.stderr.write(`${text}\n`)
}

/** Prints how the keys of another program's config were mapped. */
export function sayMapped(io: Io, lines: readonly string[]): void {
  for (const line of lines) printLine(io, io.colors.dim(line))
}

export function sayWarnings(io: Io, warnings: readonly string[]): void {
  for (const warning of warnings) warnLine(io, `${io.colors.yellow('warning:')} ${warning}`)
}
