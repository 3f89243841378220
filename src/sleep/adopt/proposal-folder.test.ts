import { rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type AdoptionWorld,
  failingDisk,
  makeAdoptionWorld,
  makeProposal,
  personsSkill,
  proposedTexts,
  refusalOf,
  snapshot,
} from '../../../test/support/adoption.js'
import type { Proposal, ProposalTarget } from '../model/proposal.js'
import { nodeDisk } from './disk.js'
import { adopt, describeTarget, readLive, readProposal, writeProposal } from './index.js'
import { sha256 } from './target.js'

let world: AdoptionWorld
beforeEach(async () => {
  world = await makeAdoptionWorld()
})
afterEach(() => rm(world.root, { recursive: true }))

const refusal = (work: () => Promise<unknown>) => refusalOf(world, work)
const adopting = () => adopt(world.proposalFolder, world.place)

describe('a proposal that somebody tampered with', () => {
  async function tamper(change: (proposal: Proposal) => unknown): Promise<void> {
    const proposal = await makeProposal(world)
    await writeFile(join(world.proposalFolder, 'proposal.json'), JSON.stringify(change(proposal)))
  }
  const withTarget = (change: (target: ProposalTarget) => object) => (proposal: Proposal) => ({
    ...proposal,
    targets: proposal.targets.map((target, index) =>
      index === 0 ? { ...target, ...change(target) } : target,
    ),
  })
  const cases: [string, (proposal: Proposal) => unknown, RegExp][] = [
    ['another path', withTarget(() => ({ path: '/etc/passwd' })), /skill:tests cannot lie at \/etc\/passwd/],
    [
      'a path outside',
      withTarget(() => ({ path: '/etc/tests/SKILL.md', realPath: '/etc/tests/SKILL.md' })),
      /lies at \/etc\/tests\/SKILL\.md, outside/,
    ],
    [
      'steps upwards',
      withTarget(({ path }) => ({ path: path.replace('/tests/', '/tests/../tests/') })),
      /may hold no \. or \.\. steps/,
    ],
    ['a relative path', withTarget(() => ({ path: 'tests/SKILL.md' })), /must be an absolute path/],
    [
      'control characters',
      withTarget(({ path }) => ({ path: `${path}\u0007` })),
      /may hold no control characters/,
    ],
    [
      'hidden characters',
      withTarget(({ path }) => ({ realPath: `${path}\u202E` })),
      /may hold no control characters/,
    ],
    ['a proposed file elsewhere', withTarget(() => ({ proposed: '../x.md' })), /must be a plain file name/],
    ['a name with a slash', withTarget(() => ({ name: 'skill:../x' })), /must be skill:NAME/],
    ['another hash', withTarget(() => ({ after: 'a'.repeat(64) })), /was changed since it was proposed/],
    ['an unknown key', proposal => ({ ...proposal, approved: true }), /approved/],
    ['wider roots', proposal => ({ ...proposal, roots: ['/'] }), /outside of the folders/],
    [
      'roots above the project',
      proposal => ({ ...proposal, roots: [world.root] }),
      /wants to write to .*, which Sleep may not write to/,
    ],
    [
      'a newer format',
      proposal => ({ ...proposal, format: 'skillopt.sleep.proposal.v2' }),
      /is of another format/,
    ],
    [
      'one target twice, in other letters',
      proposal => ({
        ...proposal,
        targets: [...proposal.targets, { ...proposal.targets[0], name: 'skill:TESTS' }],
      }),
      /two of its entries have the same name, skill:tests and skill:TESTS/,
    ],
    [
      'one target twice, in other code points',
      proposal => ({
        ...proposal,
        targets: ['e\u0301', '\u00e9'].map((name, index) => ({
          ...proposal.targets[2],
          name: `skill:x${index}`,
          path: join(world.project, name, `x${index}`, 'SKILL.md'),
          realPath: join(world.project, name, 'SKILL.md'),
          proposed: `x${index}.md`,
        })),
        edits: [],
        measures: [],
      }),
      /two of its entries have the same file/,
    ],
    [
      'an edit for no target',
      proposal => ({ ...proposal, edits: proposal.edits.map(edit => ({ ...edit, target: 'skill:none' })) }),
      /edit e1 is for skill:none, which is no target/,
    ],
  ]
  it.each(cases)('is refused: %s', async (_, change, message) => {
    await tamper(change)
    expect(await refusal(adopting)).toMatch(message)
  })

  it('is refused with changes outside the region, even with matching hashes', async () => {
    const text = personsSkill.replace('Mine.', 'Evil.')
    await tamper(withTarget(() => ({ after: sha256(text) })))
    await writeFile(join(world.proposalFolder, 'skill.md'), text)
    expect(await refusal(adopting)).toMatch(/SKILL\.md changes text outside of the managed region\.$/)
  })

  it.each([
    ['another text', 'Evil.', /skill\.md was changed since it was proposed\.$/],
    ['not UTF-8', Buffer.from([0xff, 0xfe]), /skill\.md is not UTF-8 text\.$/],
    ['huge', Buffer.alloc(2_000_000, 65), /skill\.md is too large for a proposal\.$/],
  ])('is refused with a proposed file that is %s', async (_, content, message) => {
    await makeProposal(world)
    await writeFile(join(world.proposalFolder, 'skill.md'), content)
    expect(await refusal(adopting)).toMatch(message)
  })

  it('is refused with a proposed file that is a link', async () => {
    await makeProposal(world)
    const file = join(world.proposalFolder, 'skill.md')
    await rename(file, join(world.root, 'skill.md'))
    await symlink(join(world.root, 'skill.md'), file)
    expect(await refusal(adopting)).toMatch(/skill\.md is not there, or is no file/)
  })

  it('is refused if it is not a proposal', async () => {
    await expect(readProposal(world.project)).rejects.toThrow('this is no proposal')
    await makeProposal(world)
    await writeFile(join(world.proposalFolder, 'proposal.json'), '{')
    await expect(readProposal(world.proposalFolder)).rejects.toThrow('proposal.json is damaged')
  })
})

describe('writing a proposal', () => {
  it('round-trips, readable by the user only', async () => {
    const proposal = await makeProposal(world)
    const read = await readProposal(world.proposalFolder)
    expect(read.proposal).toEqual(proposal)
    expect(read.texts.get('memory:CLAUDE.md')).toContain('Answer in French.')
    const modes = Object.values(await snapshot(dirname(world.proposalFolder))).map(text => text.slice(0, 3))
    expect(new Set(modes)).toEqual(new Set(['fol', '600']))
    expect((await nodeDisk.entry(world.proposalFolder))?.mode).toBe(0o700)
  })

  it('refuses if a live file has changed, and leaves nothing behind', async () => {
    const row = describeTarget('memory:CLAUDE.md', await readLive(world.files.memory, world.place.roots))
    await makeProposal(world)
    await rm(world.proposalFolder, { recursive: true })
    await writeFile(world.files.memory, 'Changed.\n')
    const stale = (proposal: Proposal) => ({
      ...proposal,
      targets: proposal.targets.map(target => (target.name === row.name ? { ...target, ...row } : target)),
    })
    const message = await refusal(() => makeProposal(world, stale))
    expect(message).toBe(
      `${world.files.memory} was changed while the night ran, so nothing is proposed for it.`,
    )
  })

  it('refuses changes outside the region, wrong hashes, names outside the folder, and overwriting', async () => {
    const proposal = await makeProposal(world)
    expect(await refusal(() => makeProposal(world))).toMatch(
      /is there already; a proposal is never overwritten/,
    )
    const folder = join(dirname(world.proposalFolder), 'night-2')
    const { skill, memory, made } = await proposedTexts(world)
    const texts = new Map([...Object.entries({ 'skill.md': skill, 'memory.md': memory, 'made.md': made })])
    const write = (more: readonly (readonly [string, string])[], changed = proposal) => {
      return refusal(() => writeProposal(folder, changed, new Map([...texts, ...more])))
    }
    expect(await write([['skill.md', 'Other.']])).toMatch(/is not the one that was hashed/)
    expect(await write([['../evil.md', 'Evil.']])).toMatch(/cannot be the name of a file in a proposal/)
    expect(await write([['proposal.json', '{}']])).toMatch(/cannot be the name of a file in a proposal/)
    const evil = memory.replace('Be brief', 'Be evil')
    const targets = proposal.targets.map(target =>
      target.name === 'memory:CLAUDE.md' ? { ...target, after: sha256(evil) } : target,
    )
    expect(await write([['memory.md', evil]], { ...proposal, targets })).toMatch(
      /outside of the managed region/,
    )
    expect(await refusal(() => writeProposal(folder, proposal, new Map()))).toMatch(
      /has no text for skill:tests/,
    )
  })

  it('appears whole or not at all', async () => {
    const proposal = await makeProposal(world)
    const { skill, memory, made } = await proposedTexts(world)
    const texts = new Map([...Object.entries({ 'skill.md': skill, 'memory.md': memory, 'made.md': made })])
    for (let step = 1; ; step += 1) {
      const folder = join(dirname(world.proposalFolder), `night-${step + 1}`)
      const disk = failingDisk(step, 'after', Object.assign(new Error('full'), { code: 'ENOSPC' }))
      await writeProposal(folder, proposal, texts, disk).catch(() => undefined)
      const there = (await nodeDisk.entry(folder)) !== undefined
      if (there) expect((await readProposal(folder)).proposal).toEqual(proposal)
      if (!disk.happened()) break
      await unlink(join(folder, 'proposal.json')).catch(() => undefined)
    }
  })
})
