export interface SandboxLimits {
  /** Time on the clock; then everything that was started is killed. */
  readonly seconds: number
  /** Of all processes together. */
  readonly memoryMegabytes: number
  /** At once, threads among them. */
  readonly processes: number
  /** Of each file that is written. */
  readonly fileMegabytes: number
  /** Of all files together, besides those that stood in the workspace before; four times `fileMegabytes` if not said. */
  readonly diskMegabytes?: number
  /** Of stdout and of stderr: the end is kept, which is where errors stand. */
  readonly outputCharacters: number
}

export interface SandboxJob {
  /** A folder made for this job: all that it can write, and where it starts. Its files are there to be read afterwards. */
  readonly workspace: string
  readonly limits: SandboxLimits
  readonly signal: AbortSignal
  readonly stdin?: string
  /** Folders that it may read besides the system, at their own paths. Programs are looked for in their `bin`. */
  readonly readOnly?: readonly string[]
}

export interface SandboxResult {
  /** 128 and the signal's number for what a signal ended; none when the time limit did. */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
  /** Whether more was printed than kept. */
  readonly truncated: boolean
}

/** Runs programs that nobody vouches for: what a model wrote, what a check makes of it. */
export interface Sandbox {
  readonly id: string
  /** Throws `InputError`, with what to install, where it does not work. Tried once. */
  check(): Promise<void>
  /** Whether a program can be started in it. Paths into the workspace are not known before there is one. */
  has(program: string, readOnly?: readonly string[]): Promise<boolean>
  /** A program and its arguments, no shell. Whatever it does is a result; a sandbox that does not start is a `WorldFailure`. */
  run(command: readonly string[], job: SandboxJob): Promise<SandboxResult>
}
