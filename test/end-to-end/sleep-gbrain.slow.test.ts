import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../src/core/errors/errors.js'
import { expectShown, linesBetween } from '../support/shown-output.js'
import { timeLimit } from '../support/time-limit.js'
import { skillopt, temporaryFolder } from './support.js'

/** Four deficient skills, taught by nights without a key and measured on held-out tasks. */

const page = 'docs/sleep-reference.md'
const experiment = async (...flags: readonly string[]) => {
  const cwd = await temporaryFolder()
  const finished = await skillopt(['sleep', 'experiment', ...flags], { cwd })
  return { ...finished, cwd }
}

// The command's own test teaches one of the skills and covers a matrix as well.
describe('sleep experiment --set gbrain', () => {
  it(
    'improves all four skills on held-out tasks, three of them beyond chance, and leaves nothing behind',
    async () => {
      const { code, stdout, cwd } = await experiment('--set', 'gbrain')
      expect(code).toBe(exitCodes.ok)
      expect(stdout).toMatch(/^SIMULATED: /)
      for (const skill of ['brief-writer', 'thorough-analyst', 'advisor', 'quick-answerer'])
        expect(stdout).toMatch(new RegExp(`^${skill} +[1-3] of 3 +0\\.0% +[\\d.]+% +\\+[\\d.]+$`, 'm'))
      expect(stdout.match(/ \+\d[\d.]* to \+[\d.]+$/gm)).toHaveLength(3)
      expect(await readdir(cwd)).toEqual([])
      expectShown(page, 'gbrain', linesBetween(stdout, /^skill /, /^$/).join('\n'))
    },
    timeLimit(240_000),
  )

  it(
    'shows what another reader makes of a skill',
    async () => {
      const { code, stdout } = await experiment('--transfer', '--skill', 'thorough-analyst')
      expect(code).toBe(exitCodes.ok)
      expectShown(page, 'transfer', linesBetween(stdout, /^learned with/, /^$/).join('\n'))
    },
    timeLimit(240_000),
  )

  it.each([
    [['--set', 'gbrains'], 'Unknown set "gbrains".'],
    [['--set', 'gbrain', '--skill', 'adviser'], 'Did you mean advisor?'],
    [['--set', 'gbrain', '--nights', '0'], '--nights'],
  ])('refuses %j', async (flags, problem) => {
    const { code, stderr } = await experiment(...flags)
    expect(code).toBe(exitCodes.badInput)
    expect(stderr).toContain(problem)
  })
})
