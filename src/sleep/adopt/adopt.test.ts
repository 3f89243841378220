import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  type AdoptionWorld,
  makeAdoptionWorld,
  makeProposal,
  personsSkill,
  proposedTexts,
  regions,
  snapshot,
  start,
} from '../../../test/support/adoption.js'
import { readRegion } from '../model/managed-region.js'
import { adopt, undo } from './index.js'

let world: AdoptionWorld
beforeEach(async () => {
  world = await makeAdoptionWorld()
})
afterEach(() => rm(world.root, { recursive: true }))

async function textOf(file: keyof AdoptionWorld['files']): Promise<string> {
  return readFile(world.files[file], 'utf8')
}

async function regionIn(file: keyof AdoptionWorld['files']): Promise<string | undefined> {
  const region = readRegion(await textOf(file))
  return region.state === 'found' ? region.text : undefined
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}

it('adopts a whole proposal and undoes it, restoring bytes and modes', async () => {
  const before = await snapshot(world.project)
  const texts = await proposedTexts(world)
  await makeProposal(world)
  const receipt = await adopt(world.proposalFolder, world.place)
  for (const file of ['skill', 'memory', 'made'] as const) expect(await textOf(file)).toBe(texts[file])
  expect(await modeOf(world.files.skill)).toBe(0o664)
  expect(await modeOf(world.files.memory)).toBe(0o640)
  expect(await modeOf(world.files.made)).toBe(0o600)
  expect(await modeOf(join(world.files.made, '..'))).toBe(0o700)
  expect(receipt).toMatchObject({
    number: 1,
    kind: 'adopt',
    proposal: 'night-1',
    label: 'measured',
    edits: null,
  })

  const undone = await undo(world.place)
  expect(undone).toMatchObject({ number: 2, kind: 'undo', undoes: 1 })
  expect(await snapshot(world.project)).toEqual(before)
  await expect(undo(world.place)).rejects.toThrow('There is no adoption in this project')
})

it('refuses to adopt twice, and adopts again after an undo', async () => {
  await makeProposal(world)
  await adopt(world.proposalFolder, world.place)
  const after = await snapshot(world.project)
  await expect(adopt(world.proposalFolder, world.place)).rejects.toThrow(
    /^skill:tests of proposal night-1 was adopted already, on 20/,
  )
  expect(await snapshot(world.project)).toEqual(after)
  await undo(world.place)
  await adopt(world.proposalFolder, world.place)
  expect(await snapshot(world.project)).toEqual(after)
})

it('labels chosen targets as measured if they were measured together', async () => {
  await makeProposal(world)
  const fresh = await adopt(world.proposalFolder, world.place, { targets: ['skill:fresh'] })
  expect(fresh.label).toBe('measured')
  expect(await textOf('skill')).toBe(personsSkill)
  const skill = await adopt(world.proposalFolder, world.place, { targets: ['skill:tests'] })
  expect(skill.label).toBe('unmeasured')
  expect(await regionIn('skill')).toBe(regions.skill)
})

it('adopts chosen edits on the current region and labels them as unmeasured', async () => {
  await makeProposal(world)
  await writeFile(world.files.skill, personsSkill.replace('- Old rule.', '- Old rule.\r\n- My own rule.'))
  const receipt = await adopt(world.proposalFolder, world.place, { edits: ['e2', 'e4'] })
  expect(receipt).toMatchObject({ label: 'unmeasured', edits: ['e2', 'e4'] })
  expect(await textOf('skill')).toBe(personsSkill.replace('- Old rule.', '- New rule.\r\n- My own rule.'))
  expect(await regionIn('made')).toBe(regions.made)
  expect(await regionIn('memory')).toBeUndefined()
  await undo(world.place)
  expect(await textOf('skill')).toBe(personsSkill.replace('- Old rule.', '- Old rule.\r\n- My own rule.'))
})

it("keeps the person's edits around the region, at adoption and undo", async () => {
  await makeProposal(world)
  await writeFile(world.files.skill, `${personsSkill}\nAdded before.\n`)
  await chmod(world.files.skill, 0o600)
  const receipt = await adopt(world.proposalFolder, world.place)
  expect(receipt.label).toBe('unmeasured')
  expect(receipt.changes.map(({ merged }) => merged)).toEqual([true, false, false])
  expect(await regionIn('skill')).toBe(regions.skill)
  expect(await textOf('skill')).toContain('Mine too.\nAdded before.\n')
  expect(await modeOf(world.files.skill)).toBe(0o600)

  await writeFile(world.files.skill, `${await textOf('skill')}Added after.\n`)
  await writeFile(world.files.made, `${await textOf('made')}\nMine now.\n`)
  await undo(world.place)
  expect(await textOf('skill')).toBe(`${personsSkill}\nAdded before.\nAdded after.\n`)
  expect(await regionIn('made')).toBeUndefined()
  expect(await textOf('made')).toMatch(/^---\nname: fresh[\s\S]*Mine now\.\n$/)
})

it('does not undo a region that the person changed, unless forced, and then keeps a copy', async () => {
  await makeProposal(world)
  await adopt(world.proposalFolder, world.place)
  const mine = (await textOf('memory')).replace('French', 'German').replace('# Memory', '# My memory')
  await writeFile(world.files.memory, mine)
  const before = await snapshot(world.project)
  await expect(undo(world.place)).rejects.toThrow(
    `The managed region of ${world.files.memory} was changed since it was adopted, so it is not taken back.`,
  )
  expect(await snapshot(world.project)).toEqual(before)
  await undo(world.place, { force: true })
  expect(await textOf('memory')).toBe('# My memory\n\nBe brief.\n\n')
  expect(await textOf('skill')).toBe(personsSkill)
  const kept = await snapshot(join(world.place.folder, 'adoption', 'backups', '000002'))
  expect(Object.values(kept)).toContain(`600 ${mine}`)
})

it('does not recreate a file that the person deleted, unless forced', async () => {
  await makeProposal(world)
  await adopt(world.proposalFolder, world.place)
  await rm(world.files.skill)
  await expect(undo(world.place)).rejects.toThrow(`${world.files.skill} was deleted since it was adopted`)
  await undo(world.place, { force: true })
  expect(await textOf('skill')).toBe(personsSkill)
  expect(await modeOf(world.files.skill)).toBe(0o664)
})

it('undoes adoptions one after the other', async () => {
  await makeProposal(world)
  const before = await snapshot(world.project)
  await adopt(world.proposalFolder, world.place, { targets: ['skill:fresh'] })
  const between = await snapshot(world.project)
  await adopt(world.proposalFolder, world.place, { targets: ['skill:tests', 'memory:CLAUDE.md'] })
  await undo(world.place)
  expect(await snapshot(world.project)).toEqual(between)
  await undo(world.place)
  expect(await snapshot(world.project)).toEqual(before)
})

it('refuses to restore a modified backup', async () => {
  await makeProposal(world)
  await adopt(world.proposalFolder, world.place)
  await writeFile(join(world.place.folder, 'adoption', 'backups', '000001', '0-SKILL.md'), 'Evil.')
  await expect(undo(world.place)).rejects.toThrow('is gone or was changed, so it is not put back')
  expect(await regionIn('skill')).toBe(regions.skill)
})

it.each([
  ['an unknown target', { targets: ['skill:other'] }, 'The proposal offers no target "skill:other".'],
  ['an unknown edit', { edits: ['e9'] }, 'The proposal offers no edit "e9".'],
  ['a rejected edit', { edits: ['e1', 'e5'] }, 'The proposal offers no edit "e5".'],
  [
    'an edit of another target',
    { targets: ['skill:fresh'], edits: ['e1'] },
    'The proposal offers no edit "e1".',
  ],
  ['nothing', { targets: [] }, 'Nothing was chosen to be adopted.'],
  ['no edits', { edits: [] }, 'Nothing was chosen to be adopted.'],
])('refuses a choice of %s', async (_, choice, message) => {
  await makeProposal(world)
  await expect(adopt(world.proposalFolder, world.place, choice)).rejects.toThrow(message)
})

it('refuses an edit that no longer fits', async () => {
  await makeProposal(world)
  await writeFile(world.files.skill, personsSkill.replace('Old rule', 'Another'))
  await expect(adopt(world.proposalFolder, world.place, { edits: ['e2'] })).rejects.toThrow(
    `Edit e2 cannot be made in ${world.files.skill} as it is now: The target is not in the skill.`,
  )
})

it('refuses a proposal that was not accepted or is for another project', async () => {
  await makeProposal(world, proposal => ({ ...proposal, verdict: { accepted: false, reason: 'No better.' } }))
  await expect(adopt(world.proposalFolder, world.place)).rejects.toThrow(
    'Proposal night-1 was not accepted: No better.',
  )
  const place = { ...world.place, project: join(world.root, 'other') }
  await expect(adopt(world.proposalFolder, place)).rejects.toThrow('was proposed for another project')
})

it('never overwrites a region that the person changed or broke', async () => {
  await makeProposal(world)
  await writeFile(world.files.skill, personsSkill.replace('Old rule', 'My rule'))
  await expect(adopt(world.proposalFolder, world.place)).rejects.toThrow(
    `The managed region of ${world.files.skill} was changed since the proposal.`,
  )
  await writeFile(world.files.skill, `${personsSkill}\n${start}\n`)
  await expect(adopt(world.proposalFolder, world.place)).rejects.toThrow(
    'line 11: there is a second managed region',
  )
  expect(await regionIn('memory')).toBeUndefined()
})

it('keeps its own files private and outside the project', async () => {
  await makeProposal(world)
  await adopt(world.proposalFolder, world.place)
  const own = await snapshot(world.place.folder)
  const open = Object.entries(own).filter(([, text]) => !/^(folder 700|600 )/.test(text))
  expect(open).toEqual([])
  expect(
    Object.keys(await snapshot(world.project))
      .filter(path => path.endsWith('.md'))
      .sort(),
  ).toEqual(Object.values(world.files).sort())
  expect(Object.keys(await snapshot(world.project))).toHaveLength(7)
})
