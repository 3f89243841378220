import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const fixtures = fileURLToPath(new URL('./fixtures/vectors', import.meta.url))

/**
 * One test per case of a vector file, from the repository or from the directory that SKILLOPT_VECTORS names.
 * A file missing in that directory is skipped with a message; a file without cases fails.
 */
export function describeVectors<Case>(
  name: string,
  caseSchema: z.ZodType<Case>,
  check: (vector: Case) => void | Promise<void>,
): void {
  const elsewhere = process.env.SKILLOPT_VECTORS
  const file = join(elsewhere ?? fixtures, `${name}.json`)
  describe(`vectors: ${name}`, () => {
    if (elsewhere !== undefined && !existsSync(file)) {
      console.warn(`SKILLOPT_VECTORS is set, but ${file} does not exist: its cases are NOT checked.`)
      it.skip(`${file} does not exist`, () => {})
      return
    }
    const { cases } = z.object({ cases: z.array(caseSchema) }).parse(JSON.parse(readFileSync(file, 'utf8')))
    it('has cases', () => {
      expect(cases.length).toBeGreaterThan(0)
    })
    for (const [index, vector] of cases.entries()) {
      it(`case ${index}`, async () => {
        await check(vector)
      })
    }
  })
}
