import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tree } from '../../../../test/support/install-world.js'
import { agents } from '../../registry/install-targets.js'
import { carryOut, planPlacement, type Target } from './place.js'
import { Receipts, stateDirectory } from './receipts.js'
import type { SkillFile } from './supporting-files.js'
import { editedSince, putBack } from './undo.js'

let world: string
beforeAll(async () => {
  world = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-place-')))
})
afterAll(() => rm(world, { recursive: true }))

let made = 0
async function fresh(there: Readonly<Record<string, Uint8Array>>) {
  const [agent] = agents
  if (agent === undefined) throw new Error('There are no agents.')
  made += 1
  const base = join(world, String(made))
  const folder = join(base, '.claude', 'skills', 'sums')
  await mkdir(base)
  for (const [path, content] of Object.entries(there)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  const target: Target = { agent, name: 'sums', folder, base }
  return { target, receipts: new Receipts(join(world, `state-${made}`)), tree: () => tree(base) }
}

const at = new Date(0)
const paths = ['SKILL.md', 'scripts/a.sh', 'scripts/b/c.py', 'references/d.md', 'e.txt']
const anyFiles = fc.dictionary(fc.constantFrom(...paths), fc.uint8Array({ maxLength: 8 }))
const filesOf = (contents: Readonly<Record<string, Uint8Array>>): SkillFile[] =>
  Object.entries(contents).map(([path, content]) => ({
    path,
    content: Buffer.from(content),
    executable: path.endsWith('.sh'),
  }))

describe('installing', () => {
  it('then undoing restores everything, whatever was there', async () => {
    await fc.assert(
      fc.asyncProperty(anyFiles, anyFiles, async (there, wanted) => {
        const { target, receipts, tree } = await fresh(there)
        const before = await tree()
        const kept = await carryOut(await planPlacement(target, filesOf(wanted)), receipts, at)
        for (const [path, content] of Object.entries(wanted)) {
          expect(await readFile(join(target.folder, path))).toEqual(Buffer.from(content))
        }
        expect((await planPlacement(target, filesOf(wanted))).changes).toEqual([])
        expect(await editedSince(kept)).toEqual([])
        await putBack(kept)
        expect(await tree()).toEqual(before)
      }),
      { numRuns: 25 },
    )
  })

  it('can be undone after a crash between any two files', async () => {
    await fc.assert(
      fc.asyncProperty(anyFiles, anyFiles, fc.nat(5), async (there, wanted, written) => {
        const { target, receipts, tree } = await fresh(there)
        const before = await tree()
        const placement = await planPlacement(target, filesOf(wanted))
        const kept = await carryOut(placement, receipts, at)
        // Simulates a process that ended before the rest was written.
        for (const { file, before: old } of placement.changes.slice(written)) {
          const path = join(target.folder, file.path)
          if (old === undefined) await rm(path)
          else await writeFile(path, old.content, { mode: old.mode })
        }
        expect(await editedSince(kept)).toEqual([])
        await putBack(kept)
        expect(await tree()).toEqual(before)
      }),
      { numRuns: 12 },
    )
  })

  it('changes nothing when a file cannot be written', async () => {
    const { target, receipts, tree } = await fresh({ 'SKILL.md': Buffer.from('theirs') })
    const before = await tree()
    const files = filesOf({
      'SKILL.md': Buffer.from('new'),
      scripts: Buffer.from('a file'),
      'scripts/a.sh': Buffer.from('x'),
    })
    const placement = await planPlacement(target, files)
    await expect(carryOut(placement, receipts, at)).rejects.toThrow('cannot be written')
    expect(await tree()).toEqual(before)
    expect(await receipts.newestIn(dirname(target.folder), target.agent)).toEqual([])
  })
})

describe('where receipts are kept', () => {
  it.each([
    ['linux', {}, '/home/me/.local/state/skillopt'],
    ['linux', { XDG_STATE_HOME: '/state' }, '/state/skillopt'],
    ['linux', { XDG_STATE_HOME: '' }, '/home/me/.local/state/skillopt'],
    ['darwin', {}, '/home/me/Library/Application Support/skillopt'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/skillopt'],
    ['win32', {}, '/home/me/AppData/Local/skillopt'],
  ] as const)('on %s with %j', (platform, env, expected) => {
    expect(stateDirectory(env, '/home/me', platform)).toBe(expected)
  })
})
