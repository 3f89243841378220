import { chmod, link, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type AdoptionWorld,
  failingDisk,
  makeAdoptionWorld,
  makeProposal,
  personsMemory,
  personsSkill,
  proposedTexts,
  refusalOf,
} from '../../../test/support/adoption.js'
import { type Disk, nodeDisk } from './disk.js'
import { adopt, undo } from './index.js'

let world: AdoptionWorld
beforeEach(async () => {
  world = await makeAdoptionWorld()
})
afterEach(() => rm(world.root, { recursive: true }))

const refusal = (work: () => Promise<unknown>) => refusalOf(world, work)
const adopting = () => adopt(world.proposalFolder, world.place)

describe('a target that is no longer what it was', () => {
  beforeEach(() => makeProposal(world))
  const cases: [string, () => Promise<unknown>, RegExp][] = [
    ['is read-only', () => chmod(world.files.skill, 0o444), /SKILL\.md is read-only\.$/],
    ['was deleted', () => rm(world.files.memory), /CLAUDE\.md was deleted since the proposal\.$/],
    [
      'became a folder',
      async () => {
        await rm(world.files.memory)
        await mkdir(world.files.memory)
      },
      /CLAUDE\.md is a folder, not a file\.$/,
    ],
    [
      'became a link to a file outside',
      async () => {
        await rename(world.files.memory, join(world.root, 'CLAUDE.md'))
        await symlink(join(world.root, 'CLAUDE.md'), world.files.memory)
      },
      /CLAUDE\.md leads to .*, outside of the folders that Sleep may write to\.$/,
    ],
    [
      'became a link inside',
      async () => {
        await rename(world.files.memory, join(world.project, 'AGENTS.md'))
        await symlink(join(world.project, 'AGENTS.md'), world.files.memory)
      },
      /CLAUDE\.md is a link now, which it was not when it was read\.$/,
    ],
    [
      'became a link that leads nowhere',
      async () => {
        await rm(world.files.memory)
        await symlink(join(world.project, 'gone.md'), world.files.memory)
      },
      /CLAUDE\.md is a broken link\.$/,
    ],
    [
      'got a second name',
      () => link(world.files.memory, join(world.root, 'second.md')),
      /CLAUDE\.md has a second name \(a hard link\)/,
    ],
    [
      'lies in a folder that became a link',
      async () => {
        const folder = dirname(world.files.skill)
        await rename(folder, join(world.project, 'moved'))
        await symlink(join(world.project, 'moved'), folder)
      },
      /SKILL\.md leads to .*moved\/SKILL\.md now, and led to /,
    ],
    ['is not UTF-8', () => writeFile(world.files.memory, Buffer.from([0xc3, 0x28])), /is not UTF-8 text\.$/],
    ['is huge', () => writeFile(world.files.memory, Buffer.alloc(1_000_001, 65)), /has more than 1 MB\.$/],
    [
      'came into being',
      async () => {
        await mkdir(dirname(world.files.made))
        await writeFile(world.files.made, 'Mine.')
      },
      /SKILL\.md is there now, and was not when it was proposed\.$/,
    ],
    [
      'lies where a file is in the way',
      () => writeFile(dirname(world.files.made), 'Mine.'),
      /could not be written: a file is in the way\.$|could not be written: something is in the way\.$/,
    ],
    [
      'lies in a read-only folder',
      () => chmod(dirname(world.files.skill), 0o555),
      /in a folder that is read-only\.$/,
    ],
  ]
  it.each(cases)('%s', async (_, change, message) => {
    await change()
    expect(await refusal(adopting)).toMatch(message)
    await chmod(dirname(world.files.skill), 0o755).catch(() => undefined)
  })
})

it('writes through a link that the proposal declares, and keeps the link', async () => {
  const agents = join(world.project, 'AGENTS.md')
  await rename(world.files.memory, agents)
  await symlink('AGENTS.md', world.files.memory)
  const { memory } = await proposedTexts(world)
  await makeProposal(world)
  await adopting()
  expect(await readFile(agents, 'utf8')).toBe(memory)
  expect((await nodeDisk.entry(world.files.memory))?.kind).toBe('link')
  await undo(world.place)
  expect(await readFile(agents, 'utf8')).toBe(personsMemory)
})

it('reports a full disk and changes nothing', async () => {
  await makeProposal(world)
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  const disk = failingDisk(12, 'before', full)
  expect(await refusal(() => adopt(world.proposalFolder, { ...world.place, disk }))).toMatch(
    /: the disk is full\.$/,
  )
})

it('lets only one of two concurrent adoptions through', async () => {
  await makeProposal(world)
  const results = await Promise.allSettled([adopting(), adopting(), adopting()])
  const failed = results.flatMap(result =>
    result.status === 'rejected' ? [String(result.reason.message)] : [],
  )
  expect(failed).toHaveLength(2)
  for (const message of failed) {
    expect(message).toMatch(
      /^This project cannot be changed now: .* is in use by process |was adopted already/,
    )
  }
  await undo(world.place)
  expect(await readFile(world.files.skill, 'utf8')).toBe(personsSkill)
})

describe('a folder or a file that is swapped between check and write', () => {
  /** Performs the swap right before the given kind of step first touches a path. */
  function swapping(
    step: 'create' | 'rename',
    at: (path: string) => boolean,
    swap: () => Promise<void>,
  ): Disk {
    let swapped = false
    const before = async (path: string) => {
      if (swapped || !at(path)) return
      swapped = true
      await swap()
    }
    return {
      ...nodeDisk,
      async create(path, content, mode) {
        if (step === 'create') await before(path)
        await nodeDisk.create(path, content, mode)
      },
      async rename(from, to) {
        if (step === 'rename') await before(to)
        await nodeDisk.rename(from, to)
      },
    }
  }

  it('is noticed, and nothing outside is touched', async () => {
    await makeProposal(world)
    const outside = join(world.root, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'SKILL.md'), personsSkill)
    const folder = dirname(world.files.skill)
    const disk = swapping(
      'create',
      path => dirname(path) === folder,
      async () => {
        await rename(folder, `${folder}-moved`)
        await symlink(outside, folder)
      },
    )
    await expect(adopt(world.proposalFolder, { ...world.place, disk })).rejects.toThrow(/changed by somebody/)
    expect(await readFile(join(outside, 'SKILL.md'), 'utf8')).toBe(personsSkill)
    expect(await readdir(outside)).toEqual(['SKILL.md'])
    expect(await readFile(join(`${folder}-moved`, 'SKILL.md'), 'utf8')).toBe(personsSkill)
    expect(await readFile(world.files.memory, 'utf8')).toBe(personsMemory)
  })

  it('keeps what the person saved at the last moment', async () => {
    await makeProposal(world)
    const disk = swapping(
      'rename',
      path => path === world.files.skill,
      () => writeFile(world.files.memory, 'Saved just now.\n'),
    )
    await expect(adopt(world.proposalFolder, { ...world.place, disk })).rejects.toThrow(
      `${world.files.memory} was changed by somebody else just now, so nothing was written.`,
    )
    expect(await readFile(world.files.memory, 'utf8')).toBe('Saved just now.\n')
    expect(await readFile(world.files.skill, 'utf8')).toBe(personsSkill)
  })
})
