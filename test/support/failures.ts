/** Checks every case and gives the name and message of each that fails: for one test over a table of cases. */
export async function failuresOf<Case>(
  cases: Iterable<Case>,
  nameOf: (one: Case) => string,
  check: (one: Case) => void | Promise<void>,
): Promise<string[]> {
  const failures: string[] = []
  for (const one of cases) {
    try {
      await check(one)
    } catch (error) {
      failures.push(`${nameOf(one)}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return failures
}
