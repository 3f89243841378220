import { appendFile, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import {
  type AdoptionWorld,
  Crash,
  failingDisk,
  type Moment,
  makeAdoptionWorld,
  makeProposal,
  personsMemory,
  personsSkill,
  proposedTexts,
  regions,
  snapshot,
} from '../../../test/support/adoption.js'
import { readRegion } from '../model/managed-region.js'
import type { Disk } from './disk.js'
import { adopt, recover, undo } from './index.js'

interface Case {
  readonly world: AdoptionWorld
  readonly before: Record<string, string>
  readonly after: Record<string, string>
}

type Work = (one: Case, disk: Disk) => Promise<unknown>

const adopting: Work = ({ world }, disk) => adopt(world.proposalFolder, { ...world.place, disk })
const undoing: Work = ({ world }, disk) => undo({ ...world.place, disk })

/** A project before and after an adoption; `from` selects the state in which it is left. */
async function prepare(from: 'before' | 'after'): Promise<Case> {
  const world = await makeAdoptionWorld()
  const { files, project } = world
  await makeProposal(world)
  const before = await snapshot(project)
  const { skill, memory, made } = await proposedTexts(world)
  const after = {
    ...before,
    [files.skill]: `664 ${skill}`,
    [files.memory]: `640 ${memory}`,
    [files.made]: `600 ${made}`,
    [dirname(files.made)]: 'folder 700',
  }
  if (from === 'after') await adopt(world.proposalFolder, world.place)
  return { world, before, after }
}

interface Breaking {
  readonly from: 'before' | 'after'
  readonly work: Work
  readonly moments: readonly Moment[]
  readonly error?: () => Error
}

/**
 * Interrupts the work at every step and in every way, each time in a fresh project. Returns the step count.
 */
async function atEveryStep(
  { from, work, moments, error = () => new Crash() }: Breaking,
  check: (one: Case, failure: unknown) => Promise<void>,
): Promise<number> {
  const breakOff = async (step: number, moment: Moment): Promise<boolean> => {
    const one = await prepare(from)
    const disk = failingDisk(step, moment, error())
    const failure = await failureOf(work(one, disk))
    try {
      if (disk.happened()) await check(one, failure)
    } catch (cause) {
      throw new Error(`broken off at step ${step}, ${moment}`, { cause })
    } finally {
      await rm(one.world.root, { recursive: true })
    }
    return disk.happened()
  }
  for (let step = 1; ; step += 1) {
    const happened = await Promise.all(moments.map(moment => breakOff(step, moment)))
    if (!happened.includes(true)) return step - 1
  }
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
}

/** Number of steps of an uninterrupted adoption. */
async function stepsOfAdoption(): Promise<number> {
  const one = await prepare('before')
  const disk = failingDisk(Number.POSITIVE_INFINITY, 'before')
  await adopting(one, disk)
  await rm(one.world.root, { recursive: true })
  return disk.steps()
}

async function isNew({ world, before, after }: Case): Promise<boolean> {
  const now = await snapshot(world.project)
  const wasAdopted = JSON.stringify(now[world.files.skill]) === JSON.stringify(after[world.files.skill])
  expect(now).toEqual(wasAdopted ? after : before)
  return wasAdopted
}

it('leaves all files old or all new wherever an adoption stops, and recovers', async () => {
  const outcomes: boolean[] = []
  const steps = await atEveryStep(
    { from: 'before', work: adopting, moments: ['before', 'half'] },
    async (one, failure) => {
      expect(failure).toBeInstanceOf(Error)
      const { world } = one
      await recover(world.place)
      const adopted = await isNew(one)
      outcomes.push(adopted)
      const again = adopt(world.proposalFolder, world.place)
      if (adopted) await expect(again).rejects.toThrow('was adopted already')
      else await again
      expect(await snapshot(world.project)).toEqual(one.after)
      await expect(adopt(world.proposalFolder, world.place)).rejects.toThrow('was adopted already')
      await undo(world.place)
      expect(await snapshot(world.project)).toEqual(one.before)
    },
  )
  expect(steps).toBeGreaterThan(15)
  expect(outcomes).toContain(true)
  expect(outcomes).toContain(false)
})

it('leaves all files old or all new wherever an undo stops', async () => {
  const steps = await atEveryStep(
    { from: 'after', work: undoing, moments: ['before', 'half'] },
    async one => {
      const { world } = one
      await recover(world.place)
      if (await isNew(one)) await undo(world.place)
      else await expect(undo(world.place)).rejects.toThrow('There is no adoption')
      expect(await snapshot(world.project)).toEqual(one.before)
    },
  )
  expect(steps).toBeGreaterThan(10)
})

it('rolls back when a step fails', async () => {
  const full = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  await atEveryStep(
    { from: 'before', work: adopting, moments: ['before', 'half', 'after'], error: full },
    async (one, failure) => {
      const adopted = await isNew(one)
      // Only the very last step can fail after it took effect.
      if (adopted) expect(failure).toBeUndefined()
      else expect(String(failure)).toMatch(/: the disk is full\.$/)
      const own = Object.keys(await snapshot(one.world.place.folder))
      expect(own.filter(path => /journal|partial/.test(path))).toEqual([])
      if (!adopted) await adopt(one.world.proposalFolder, one.world.place)
      expect(await snapshot(one.world.project)).toEqual(one.after)
    },
  )
})

it("keeps a person's edits between the interruption and the next command", async () => {
  await atEveryStep({ from: 'before', work: adopting, moments: ['before'] }, async ({ world }) => {
    await appendFile(world.files.memory, 'Mine, written later.\n')
    await appendFile(world.files.skill, '\r\nMine, written later.')
    await recover(world.place)
    const memory = await readFile(world.files.memory, 'utf8')
    const skill = await readFile(world.files.skill, 'utf8')
    expect(memory.startsWith(personsMemory)).toBe(true)
    expect(memory.endsWith('Mine, written later.\n')).toBe(true)
    expect(skill.endsWith('Mine too.\r\nMine, written later.')).toBe(true)
    const [inMemory, inSkill] = [readRegion(memory), readRegion(skill)]
    const adopted = inMemory.state === 'found'
    expect(inSkill).toMatchObject({ text: adopted ? regions.skill : '- Old rule.' })
    if (!adopted) expect(skill).toBe(`${personsSkill}\r\nMine, written later.`)
  })
})

it('can be interrupted again during recovery', async () => {
  const total = await stepsOfAdoption()
  // The last steps: between the files, before the receipt, and before the journal is removed.
  for (const step of [total - 7, total - 4, total]) {
    await atEveryStep(
      {
        from: 'before',
        moments: ['before'],
        work: async (one, disk) => {
          await failureOf(adopting(one, failingDisk(step, 'before')))
          await recover({ ...one.world.place, disk })
        },
      },
      async one => {
        await recover(one.world.place)
        const adopted = await isNew(one)
        if (!adopted) await adopt(one.world.proposalFolder, one.world.place)
        expect(await snapshot(one.world.project)).toEqual(one.after)
      },
    )
  }
})

it('leaves and names a file whose region a person changed after the interruption', async () => {
  const other = await prepare('before')
  await failureOf(adopting(other, failingDisk((await stepsOfAdoption()) - 3, 'before')))
  const { files, place, proposalFolder } = other.world
  const mine = (await readFile(files.memory, 'utf8')).replace('French', 'German')
  expect(mine).toContain('German')
  await rm(files.memory)
  await appendFile(files.memory, mine)
  await expect(adopt(proposalFolder, place)).rejects.toThrow(
    `An adoption broke off, and ${files.memory} was changed by somebody since, so it was left as it is now.`,
  )
  expect(await readFile(files.memory, 'utf8')).toBe(mine)
  expect(await readFile(files.skill, 'utf8')).toBe(personsSkill)
  await adopt(proposalFolder, place, { targets: ['skill:tests'] })
  await rm(other.world.root, { recursive: true })
})
