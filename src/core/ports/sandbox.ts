export interface SandboxLimits {
  /** Wall-clock limit, after which all started processes are killed. */
  readonly seconds: number
  /** Limit on the memory of all processes together. */
  readonly memoryMegabytes: number
  /** Limit on simultaneous processes, including threads. */
  readonly processes: number
  /** Limit on the size of each written file. */
  readonly fileMegabytes: number
  /**
   * Limit on the size of all written files together; defaults to four times `fileMegabytes`. Files already in
   * the workspace do not count.
   */
  readonly diskMegabytes?: number
  /** Limit on stdout and on stderr. The end is kept, because errors are usually there. */
  readonly outputCharacters: number
}

export interface SandboxJob {
  /**
   * The job's own folder: its working directory, and the only folder it can write to. Its files can be read
   * afterwards.
   */
  readonly workspace: string
  readonly limits: SandboxLimits
  readonly signal: AbortSignal
  readonly stdin?: string
  /**
   * Folders that the job may read besides the system, at their own paths. Their `bin` folders are on `PATH`.
   */
  readonly readOnly?: readonly string[]
}

export interface SandboxResult {
  /** 128 plus the signal number if a signal ended the process; undefined after a timeout. */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
  /** Whether part of the output was dropped. */
  readonly truncated: boolean
}

/** Runs untrusted programs, such as code written by a model or the check that runs it. */
export interface Sandbox {
  readonly id: string
  /** Throws `InputError`, naming what to install, if the sandbox does not work. The check runs only once. */
  check(): Promise<void>
  /** Whether the sandbox can start a program. Programs in the workspace are unknown before a job has one. */
  has(program: string, readOnly?: readonly string[]): Promise<boolean>
  /**
   * Runs a program with its arguments, without a shell. Any outcome is a result; only a sandbox that fails
   * to start throws `WorldFailure`.
   */
  run(command: readonly string[], job: SandboxJob): Promise<SandboxResult>
}
