import picocolors from 'picocolors'
import { testHome } from './test-home.js'

interface FakeIoOptions<Library> {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly tty?: boolean
  readonly library?: Partial<Library>
}

/**
 * In-memory surroundings of a command, without a terminal by default. Records output, and can press Ctrl-C.
 */
export function fakeIo<Library>(options: FakeIoOptions<Library> = {}) {
  const written = { out: '', err: '' }
  const listeners = new Set<() => void>()
  const quits: number[] = []
  const stream = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text
    },
    isTTY: options.tty ?? false,
    columns: 100,
  })
  return {
    stdout: stream('out'),
    stderr: stream('err'),
    stdin: { isTTY: options.tty ?? false },
    env: withHome(options.env ?? {}),
    cwd: options.cwd ?? '/nowhere',
    colors: picocolors.createColors(false),
    library: async () => (options.library ?? {}) as Library,
    onInterrupt: (callback: () => void) => {
      listeners.add(callback)
      return () => void listeners.delete(callback)
    },
    quit: (code: number) => void quits.push(code),
    quits,
    out: () => written.out,
    err: () => written.err,
    interrupt: () => {
      for (const listener of listeners) listener()
    },
  }
}

type Variables = Readonly<Record<string, string | undefined>>

const withHome = (env: Variables): Variables =>
  env.HOME === undefined && env.SKILLOPT_HOME === undefined ? { SKILLOPT_HOME: testHome, ...env } : env
