/** One promise of a port. A suite is a list of these, so that broken implementations can be shown to fail it. */
export interface Check {
  readonly name: string
  run(): void | Promise<void>
}

/** The checks that do not hold, each with what it complained about. */
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
