import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { failuresOf } from './support/failures.js'

const fixtures = fileURLToPath(new URL('./fixtures/vectors', import.meta.url))

/**
 * One test per vector file, from the repository or from the directory that SKILLOPT_VECTORS names. It fails
 * with every case that fails. A file missing in that directory is skipped with a message; a file without
 * cases fails.
 */
export function testVectors<Case>(
  name: string,
  caseSchema: z.ZodType<Case>,
  check: (vector: Case) => void | Promise<void>,
): void {
  const elsewhere = process.env.SKILLOPT_VECTORS
  const file = join(elsewhere ?? fixtures, `${name}.json`)
  if (elsewhere !== undefined && !existsSync(file)) {
    console.warn(`SKILLOPT_VECTORS is set, but ${file} does not exist: its cases are NOT checked.`)
    it.skip(`vectors: ${file} does not exist`, () => {})
    return
  }
  it(`vectors: ${name}`, async () => {
    const { cases } = z.object({ cases: z.array(caseSchema) }).parse(JSON.parse(readFileSync(file, 'utf8')))
    expect(cases.length).toBeGreaterThan(0)
    const failures = await failuresOf(
      cases.entries(),
      ([index]) => `case ${index}`,
      ([, vector]) => check(vector),
    )
    expect(failures).toEqual([])
  })
}
