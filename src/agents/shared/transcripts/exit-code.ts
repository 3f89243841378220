const exitCode = /^Exit Code: (\d+)$/m

/** Gemini CLI and its kin call a command a success whatever it came to, and write its exit code into its output. */
export function isFailedCommand(tool: unknown, output: string | undefined): boolean {
  if (tool !== 'run_shell_command' || output === undefined) return false
  return Number(exitCode.exec(output)?.[1] ?? 0) !== 0
}
