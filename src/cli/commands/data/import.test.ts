import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { exitCodes } from '../../../core/errors/errors.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

/** Passes an imported run through every reader of runs; they only know that it was imported. */

const fixture = fileURLToPath(new URL('../../../../test/fixtures/reference-run', import.meta.url))

let cwd: string
let imported: string

async function run(...argv: readonly string[]) {
  const io = fakeIo<Library>({ cwd })
  const code = await main(argv, io)
  return { code, out: io.out(), err: io.err() }
}

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-import-cli-'))
  const { code, out, err } = await run('data', 'import', fixture, '--name', 'units')
  expect([code, err]).toEqual([exitCodes.ok, ''])
  imported = out
})
afterAll(() => rm(cwd, { recursive: true, force: true, maxRetries: 5 }))

describe('skillopt data import', () => {
  it('reports what was imported, and where it is', () => {
    expect(imported).toContain('4 steps, 2 accepted; 4 train, 4 validation, 5 test tasks')
    expect(imported).toContain('best on validation 75.0% (v4)')
    expect(imported).toContain(
      'Cannot tell: +40 points on the test split, of which the log has no scores of single tasks.',
    )
    expect(imported).toContain('Imported to runs/units. See it with: skillopt show units')
  })

  it('is listed with the other runs, as imported', async () => {
    const { out } = await run('runs')
    expect(out).toMatch(/runs\/units +finished, imported +4\/4 +Cannot tell +unknown/)
    expect(JSON.parse((await run('runs', '--json')).out)).toMatchObject([
      { run: 'units', importedFrom: fixture },
    ])
  })

  it('is shown, with what was not recorded left out or called unknown', async () => {
    const { out } = await run('show', 'units', '--lines')
    expect(out).toContain('units  imported   finished')
    expect(out).toContain(`the Python SkillOpt (skillopt-0.1.0) · imported from ${fixture}`)
    expect(out).toContain('budget unknown')
    expect(out).toContain('failures: not recorded · unmatched edits: 1')
    expect(out).toContain('time 1 min 00 s · cost unknown')
    expect(out).toMatch(/4\.0 add “- Round to two decimals\.”\n {6}applied\n/)
    expect(out).toMatch(/^1\.1 +Answer the question with one number\.$/m)
    expect(out).not.toContain('session')
    expect(out).not.toContain('failed tries')
  })

  it('can be compared version by version, and reported', async () => {
    expect((await run('show', 'units', '--diff', 'seed', 'best')).out).toContain('+- Round to two decimals.')
    expect((await run('report', 'units')).code).toBe(exitCodes.ok)
    const report = await readFile(join(cwd, 'runs/units/report.md'), 'utf8')
    expect(report).toContain('**finished** · **imported**')
    expect(report).toContain('its failures were not recorded')
    expect(report).toContain('| 3 | 2 | no edits | 100.0% | – | 0 | 0 | 0 | 0 | 0 | – | 3 s |')
    expect(await readFile(join(cwd, 'runs/units/best_skill.md'), 'utf8')).toContain('Round to two decimals.')
  })

  it('prints the run as JSON', async () => {
    const { out } = await run('data', 'import', fixture, '--name', 'again', '--json')
    expect(JSON.parse(out)).toMatchObject({ directory: 'runs/again', notes: [], outcome: 'finished' })
  })

  it('rejects a folder that is not such a run, and a name that is taken', async () => {
    const { code, err } = await run('data', 'import', 'nowhere')
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain(`${join(cwd, 'nowhere')} is not a run of the Python SkillOpt`)
    expect((await run('data', 'import', fixture, '--name', 'units')).err).toContain(
      'runs/units already exists.',
    )
    expect((await run('data', 'import')).code).toBe(exitCodes.badInput)
  })
})
