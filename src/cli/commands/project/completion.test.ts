import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { exitCodes } from '../../../core/errors/errors.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

let cwd = ''
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-completion-'))
  for (const name of ['alpha-001', 'beta-001']) {
    await mkdir(join(cwd, 'runs', name), { recursive: true })
    await writeFile(join(cwd, 'runs', name, 'events.jsonl'), '')
  }
  await mkdir(join(cwd, 'runs', 'not-a-run'))
})
afterAll(() => rm(cwd, { recursive: true }))

async function words(...typed: string[]): Promise<string[]> {
  const io = fakeIo<Library>({ cwd })
  expect(await main(['completion-words', ...typed], io)).toBe(exitCodes.ok)
  return io.out().split('\n').filter(Boolean)
}

describe('completion', () => {
  it('knows commands, options, runs, versions and shells', async () => {
    expect(await words('t')).toEqual(['try', 'train', 'trust', 'tasks'])
    expect(await words('')).toContain('quickstart')
    expect(await words('')).not.toContain('completion-words')
    expect(await words('train', '--max-c')).toEqual(['--max-calls', '--max-cost'])
    expect(await words('show', '')).toEqual(['alpha-001', 'beta-001'])
    expect(await words('show', 'alpha-001', '--diff', 'b')).toEqual(['best'])
    expect(await words('show', 'alpha-001', '--diff', 'seed', 'l')).toEqual(['last'])
    expect(await words('data', 'c')).toEqual(['check', 'cache'])
    expect(await words('runs', 'r')).toEqual(['rm'])
    expect(await words('runs', 'rm', 'alpha-001', 'b')).toEqual(['beta-001'])
    expect(await words('completion', '')).toEqual(['bash', 'zsh', 'fish'])
  })

  it('leaves files to the shell', async () => {
    expect(await words('train', 'my')).toEqual([])
  })

  it('prints a script for each shell and refuses others', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const io = fakeIo<Library>({ cwd })
      expect(await main(['completion', shell], io)).toBe(exitCodes.ok)
      expect(io.out()).toContain('skillopt completion-words')
    }
    const io = fakeIo<Library>({ cwd })
    expect(await main(['completion', 'tcsh'], io)).toBe(exitCodes.badInput)
  })
})
