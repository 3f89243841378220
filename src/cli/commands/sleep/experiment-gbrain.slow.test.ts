import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { timeLimit } from '../../../../test/support/time-limit.js'
import { exitCodes, InputError } from '../../../core/errors/errors.js'
import type { Library } from '../../library.js'
import { type SetFlags, sleepExperimentSet, sleepExperimentTransfer } from './experiment-gbrain.js'

let cwd = ''
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'gbrain-command-'))
})
afterEach(() => rm(cwd, { recursive: true }))

async function run(flags: SetFlags, command = sleepExperimentSet) {
  const io = fakeIo<Library>({ cwd })
  const code = await command(io, flags)
  return { code, out: io.out(), err: io.err() }
}

describe('a set', () => {
  it(
    'is shown as a table, with what was learned, as simulated',
    async () => {
      const { code, out, err } = await run({
        set: 'gbrain',
        skill: 'advisor',
        nights: 3,
        seed: 3,
        keep: 'kept',
      })
      expect(code).toBe(exitCodes.ok)
      expect(err).toBe('advisor …\n')
      expect(out).toMatch(/^SIMULATED: /)
      expect(out).toMatch(/^advisor +[1-3] of 3 +0\.0% +\d+\.\d% +\+\d+\.\d$/m)
      expect(out).toContain('The skill improved. Measured on 6 tasks that no night had seen')
      expect(out).toContain(
        'advisor (it should say that advice ends with a recommendation, and how sure it is)',
      )
      const skill = await readFile(
        join(cwd, 'kept/advisor/decisions/.claude/skills/advisor/SKILL.md'),
        'utf8',
      )
      expect(skill).toContain('"Recommendation: …" and "Confidence: …"')
      await expect(run({ set: 'gbrain', skill: 'advisor', nights: 1, keep: 'kept' })).rejects.toThrow(
        /is not empty; nothing was begun/,
      )
    },
    timeLimit(180_000),
  )

  it(
    'fails an assertion where nothing was learned, and says so in JSON too',
    async () => {
      const flags = { set: 'gbrain', skill: 'thorough-analyst', nights: 0, json: true }
      const { code, out, err } = await run({ ...flags, assertImproves: true })
      expect(code).toBe(exitCodes.unexpected)
      expect(err).toBe('error: Not all skills improved beyond chance.\n')
      expect(JSON.parse(out)).toMatchObject({
        simulated: true,
        risen: false,
        skills: [
          {
            skill: 'thorough-analyst',
            risen: false,
            learned: '',
            nights: [],
            measured: { tasks: 6, before: { mean: 0 }, after: { mean: 0 } },
          },
        ],
      })
    },
    timeLimit(180_000),
  )
})

describe('a transfer', () => {
  it(
    'is shown as a matrix',
    async () => {
      const flags = { skill: 'thorough-analyst', nights: 2, seed: 2 }
      const { out, code } = await run(flags, sleepExperimentTransfer)
      expect(code).toBe(exitCodes.ok)
      const head =
        'learned with ↓, tried with →  simulated/target  simulated/target-hasty  simulated/target-literal'
      expect(out).toContain(head)
      expect(out).toMatch(/^simulated\/target +0\.0% → \d+\.\d% +0\.0% → \d+\.\d% +0\.0% → \d+\.\d%$/m)
      expect(out).toMatch(/a skill helped in \d of \d cases/)
    },
    timeLimit(180_000),
  )
})

describe('what cannot be', () => {
  it.each<[string, SetFlags, string]>([
    ['another set', { set: 'brain' }, 'Unknown set "brain".'],
    ['another skill', { set: 'gbrain', skill: 'poet' }, 'The set gbrain has no skill called poet.'],
    ['a skill of a persona', { persona: 'x', skill: 'y' }, '--skill chooses a skill of a set'],
    ['another persona', { persona: 'nobody' }, 'There is no persona called nobody.'],
  ])('is refused: %s', async (_what, flags, problem) => {
    const refused = await run(flags, sleepExperimentTransfer).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(InputError)
    expect((refused as InputError).message).toContain(problem)
    expect((refused as InputError).hint).toBeDefined()
  })
})
