/**
 * One requirement of a port. A suite is a list of these, so that broken implementations can be shown to fail
 * it.
 */
export interface Check {
  readonly name: string
  run(): void | Promise<void>
}

/** Failed checks by name, each with its error. */
export async function failures(checks: readonly Check[]): Promise<Map<string, unknown>> {
  const failed = new Map<string, unknown>()
  for (const check of checks) {
    try {
      await check.run()
    } catch (error) {
      failed.set(check.name, error)
    }
  }
  return failed
}
