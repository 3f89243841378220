import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../src/core/errors.js'
import { skillopt, temporaryFolder } from './support.js'

/** Four skills that lack something, taught by nights with no key, and measured on what the set holds out. */

interface Shown {
  readonly simulated: boolean
  readonly risen: boolean
  readonly skills: readonly {
    readonly skill: string
    readonly learned: string
    readonly measured: {
      readonly before: { readonly mean: number }
      readonly difference: { readonly low: number }
    }
  }[]
}

describe('sleep experiment --set gbrain', () => {
  it('lets all four skills rise on tasks that no night saw', async () => {
    const cwd = await temporaryFolder()
    const args = ['sleep', 'experiment', '--set', 'gbrain', '--assert-improves', '--json']
    const { code, stdout, stderr } = await skillopt(args, { cwd })
    expect(stderr).toBe('')
    expect(code).toBe(exitCodes.ok)
    const { simulated, risen, skills } = JSON.parse(stdout) as Shown
    expect({ simulated, risen }).toEqual({ simulated: true, risen: true })
    expect(skills.map(({ skill }) => skill)).toEqual([
      ...['brief-writer', 'thorough-analyst', 'advisor', 'quick-answerer'],
    ])
    for (const { measured, learned } of skills) {
      expect(measured.before.mean).toBe(0)
      expect(measured.difference.low).toBeGreaterThan(0)
      expect(learned).not.toBe('')
    }
    expect(await readdir(cwd)).toEqual([])
  }, 240_000)

  it.each([
    [['--set', 'gbrains'], 'There is no set called gbrains.'],
    [['--set', 'gbrain', '--skill', 'adviser'], 'Did you mean advisor?'],
    [['--set', 'gbrain', '--nights', '0'], '--nights'],
  ])('refuses %j', async (flags, problem) => {
    const { code, stderr } = await skillopt(['sleep', 'experiment', ...flags], {
      cwd: await temporaryFolder(),
    })
    expect(code).toBe(exitCodes.badInput)
    expect(stderr).toContain(problem)
  })
})
