import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { edits, personsMemory, personsSkill, regions, snapshot } from '../../../../test/support/adoption.js'
import { makeNightWorld, type NightWorld, runSleep, sleepJson } from '../../../../test/support/night.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { sha256 } from '../../../sleep/adopt/index.js'
import type { ProposalEdit } from '../../../sleep/model/proposal.js'
import { beginNight } from '../../../sleep/nights/nights.js'

let world: NightWorld
beforeEach(async () => {
  world = await makeNightWorld()
})
afterEach(() => world.end())

const run = (...argv: string[]) => runSleep(world, argv)
const json = (...argv: string[]) => sleepJson(world, argv)

/** Replaces the default fixture. */
async function anew(options: Parameters<typeof makeNightWorld>[0]): Promise<void> {
  await world.end()
  world = await makeNightWorld(options)
}

const withEdits = (...more: readonly Partial<ProposalEdit>[]) => ({
  change: <T extends { edits: ProposalEdit[] }>(proposal: T): T => ({
    ...proposal,
    edits: [
      ...edits,
      ...more.map((edit, index) => ({ ...edits[0], id: `x${index}`, ...edit }) as ProposalEdit),
    ],
  }),
})

describe('review', () => {
  it('shows what changes, why, and on what evidence', async () => {
    const { code, out, err } = await run('review')
    expect({ code, err }).toEqual({ code: exitCodes.ok, err: '' })
    expect(out).toMatch(/^Night 1 {2}proposed \d{4}-\d\d-\d\d \d\d:\d\d\n/)
    expect(out).toContain('accepted: Better on held-out tasks.')
    expect(out).toContain('skill:tests  .claude/skills/tests/SKILL.md\n')
    expect(out).toContain(
      'On tasks that the night had not seen, together with memory:CLAUDE.md: 50.0% (40.0% to 60.0%) → 50.0% (40.0% to 60.0%): 0.0 points',
    )
    expect(out).toContain('  -- Old rule.\n')
    expect(out).toContain('  +- New rule.\n')
    expect(out).toContain('  --- new file\n')
    expect(out).toContain('edit e2 replaces "Old rule." by\n      New rule.\n    why: It failed.\n')
    expect(out).toContain(
      'because of 1 task in 1 session, 2026-10-01 to 2026-10-07:\n      t1: Run the tests of the project.',
    )
    expect(out).toContain('1 edit tried and rejected\n  e5 adds "- Harm.": It failed.\n')
    expect(out).toContain('Adopt all:   skillopt sleep adopt --night 1\n')
    expect(out).toContain('--target skill:tests\n')
    expect(out).toContain('--edit e1 (add --measure')
    expect(out).not.toContain('SIMULATED')
  })

  it('changes nothing', async () => {
    const before = await snapshot(world.root)
    await run('review')
    await run('status')
    expect(await snapshot(world.root)).toEqual(before)
  })

  it('says first of all that it is simulated, and what the gate said', async () => {
    await anew({
      outcome: { simulated: true },
      change: proposal => ({ ...proposal, verdict: { accepted: false, reason: 'It does worse.' } }),
    })
    expect((await run('review')).err).toContain('No proposal waits for a review.')
    const { out } = await run('review', '--night', '1')
    expect(out).toMatch(/^Night 1 {2}SIMULATED {3}proposed/)
    expect(out).toContain('not accepted: It does worse.')
    expect(out).toContain('The gate rejected it, so it cannot be adopted.')
  })

  it('escapes control and invisible characters from models', async () => {
    const nasty = 'a\u001b]0;x\u0007\u202eb\u200bc\r\u{e0041}'
    await anew({
      change: proposal => ({
        ...proposal,
        verdict: { accepted: true, reason: nasty },
        edits: proposal.edits.map(edit => ({ ...edit, content: nasty, why: nasty })),
      }),
    })
    for (const argv of [['review'], ['review', '--full'], ['review', '--json'], ['status']]) {
      const { code, out } = await run(...argv)
      expect(code).toBe(exitCodes.ok)
      expect(out).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
    }
    expect((await run('review')).out).toContain('⟨U+001B⟩]0;x⟨U+0007⟩⟨U+202E⟩b⟨U+200B⟩c⟨U+000D⟩⟨U+E0041⟩')
  })

  it('warns of hidden text, and does not adopt it', async () => {
    await hiddenProposal('- Good rule.\u200b\u202e')
    const { out } = await run('review')
    expect(out).toContain('warning: There are 2 characters in it that one does not see: ⟨U+200B⟩, ⟨U+202E⟩.')
    expect(out).toContain('+- Good rule.⟨U+200B⟩⟨U+202E⟩')
    expect(await json('review')).toMatchObject({
      targets: [{ warning: expect.stringContaining('U+202E') }, { warning: null }, { warning: null }],
    })
    const before = await readFile(world.files.skill, 'utf8')
    const { code, err } = await run('adopt', '--yes')
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain('It holds a character that cannot be seen (U+200B)')
    expect(await readFile(world.files.skill, 'utf8')).toBe(before)
  })

  it('truncates long texts on screen only, and says so', async () => {
    const content = Array.from({ length: 40 }, (_, index) => `- Rule ${index}.`).join('\n')
    await anew(
      withEdits({ content, why: 'w'.repeat(900), tasks: Array.from({ length: 9 }, (_, n) => `k${n}`) }),
    )
    const { out } = await run('review')
    expect(out).toContain('… 28 more lines: --full shows all')
    expect(out).toContain('… 500 more characters: --full')
    expect(out).toContain('… 4 more: --full')
    const full = await run('review', '--full')
    expect(full.out).not.toContain('--full')
    expect(full.out).toContain('- Rule 39.')
    expect(full.out).toContain('w'.repeat(900))
  })

  it('says what cannot be adopted as it is', async () => {
    await writeFile(world.files.memory, personsMemory.replace('brief', 'long'))
    await writeFile(world.files.skill, personsSkill.replace('Old rule', 'My rule'))
    const { out } = await run('review')
    expect(out).toMatch(/cannot be adopted: The managed region of .*SKILL\.md was changed since/)
    expect(out).toContain('Be long.')
  })

  it('rejects a missing proposal', async () => {
    expect(await run('review', '--night', '9')).toMatchObject({
      code: exitCodes.badInput,
      out: '',
      err: 'error: There is no night 9 in this project.\nNights with a proposal: 1.\n',
    })
    await beginNight(world.kept.folder, {
      format: 'skillopt.sleep.night.v1',
      number: 2,
      project: world.project,
      at: '2026-02-01T02:00:00Z',
    })
    expect((await run('review', '--night', '2')).err).toContain('Night 2 proposed nothing.')
    expect((await run('review', '--night', 'x')).code).toBe(exitCodes.badInput)
    await writeFile(join(world.proposalFolder, 'skill.md'), 'something else')
    expect((await run('review')).err).toContain('skill.md was changed since it was proposed.')
    await rm(world.kept.folder, { recursive: true })
    expect((await run('review')).err).toContain('`skillopt sleep run` looks for something to propose')
    expect(await readdir(join(world.root, 'kept', 'sleep', 'projects'))).toEqual([])
  })

  it('prints the same as JSON', async () => {
    expect(await json('review')).toMatchObject({
      night: 1,
      id: 'night-1',
      simulated: false,
      verdict: { accepted: true },
      open: ['skill:tests', 'memory:CLAUDE.md', 'skill:fresh'],
      targets: [
        { name: 'skill:tests', before: personsSkill, problem: null, warning: null },
        { name: 'memory:CLAUDE.md', after: expect.stringContaining(regions.memory) },
        { name: 'skill:fresh', before: '' },
      ],
      edits: [{ id: 'e1' }, { id: 'e2' }, { id: 'e3' }, { id: 'e4' }, { id: 'e5', status: 'rejected' }],
    })
  })
})

/** Replaces the proposed skill text with a region that contains this text. */
async function hiddenProposal(text: string): Promise<void> {
  const file = join(world.proposalFolder, 'skill.md')
  const proposed = (await readFile(file, 'utf8')).replace('- New rule.', text)
  await writeFile(file, proposed)
  const manifest = join(world.proposalFolder, 'proposal.json')
  const proposal = JSON.parse(await readFile(manifest, 'utf8')) as { targets: { after: string }[] }
  const targets = proposal.targets.map((target, index) =>
    index === 0 ? { ...target, after: sha256(proposed) } : target,
  )
  await writeFile(manifest, JSON.stringify({ ...proposal, targets }))
}
