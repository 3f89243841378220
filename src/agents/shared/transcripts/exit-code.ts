const exitCode = /^Exit Code: (\d+)$/m

/** Gemini CLI and its forks report every command as a success and write the exit code into its output. */
export function isFailedCommand(tool: unknown, output: string | undefined): boolean {
  if (tool !== 'run_shell_command' || output === undefined) return false
  return Number(exitCode.exec(output)?.[1] ?? 0) !== 0
}
