import { chmod, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeProposal, personsMemory, personsSkill, snapshot } from '../../../../test/support/adoption.js'
import {
  endOf,
  makeNightWorld,
  type NightWorld,
  runSleep,
  sleepJson,
} from '../../../../test/support/night.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { nightFormat } from '../../../sleep/model/night-record.js'
import { beginNight, endNight } from '../../../sleep/nights/nights.js'

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

describe('adopt and undo', () => {
  const texts = async () => ({
    skill: await readFile(world.files.skill, 'utf8'),
    memory: await readFile(world.files.memory, 'utf8'),
  })

  it('adopts a whole proposal once, and reverts it', async () => {
    const adopted = await run('adopt', '--yes')
    expect({ code: adopted.code, err: adopted.err }).toEqual({ code: exitCodes.ok, err: '' })
    expect(adopted.out).toContain('  +- New rule.\n')
    expect(adopted.out).toMatch(
      /Adopted, measured:\n {2}\.claude\/skills\/tests\/SKILL\.md: region changed\n/,
    )
    expect(adopted.out).toContain('skills/fresh/SKILL.md: made\nTo undo: skillopt sleep undo')
    expect((await texts()).skill).toContain('- New rule.')
    expect(await run('adopt', '--yes')).toMatchObject({
      code: exitCodes.badInput,
      err: expect.stringContaining('No proposal waits for a review.\nThe newest is that of night 1'),
    })
    expect((await run('adopt', '--yes', '--night', '1')).err).toContain('was adopted already')

    const undone = await run('undo', '--yes')
    expect(undone.out).toMatch(/^Undoing what was adopted from night 1 on .*:\n/)
    expect(undone.out).toContain('skills/tests/SKILL.md: as before\n')
    expect(undone.out).toContain('skills/fresh/SKILL.md: removed, as it was not there before\n')
    expect(await texts()).toEqual({ skill: personsSkill, memory: personsMemory })
    expect(await run('undo', '--yes')).toMatchObject({
      code: exitCodes.badInput,
      err: expect.stringContaining('Nothing to undo: this project has no adopted proposal.'),
    })
    expect((await run('review')).out).toContain('undone since')
  })

  it('changes nothing in a non-interactive terminal', async () => {
    const before = await snapshot(world.project)
    const { code, err } = await run('adopt')
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain(
      'This changes your files and needs your consent, but there is no terminal to ask.\nPass --yes to agree.',
    )
    expect((await run('adopt', '--json')).code).toBe(exitCodes.badInput)
    expect(await snapshot(world.project)).toEqual(before)
    await run('adopt', '--yes')
    expect((await run('undo')).err).toContain('Pass --yes to agree.')
  })

  it('adopts one target, then the rest', async () => {
    const { out } = await run('adopt', '--yes', '--target', 'skill:fresh')
    expect(out).toContain('Adopted, measured:\n')
    expect((await texts()).skill).toBe(personsSkill)
    expect((await run('review')).out).toMatch(/adopted .*: skill:fresh\n/)
    const rest = await run('adopt', '--yes')
    expect(rest.out).toContain('Adopted, measured:\n  .claude/skills/tests')
    expect(rest.out).not.toContain('fresh')
  })

  it('says why a part is unmeasured', async () => {
    const { out } = await run('adopt', '--yes', '--target', 'skill:tests')
    expect(out).toContain(
      'unmeasured: skill:tests was measured together with memory:CLAUDE.md. Pass --measure to measure it first.',
    )
    expect(out).toContain('Adopted, unmeasured:')
    await run('undo', '--yes')
    const edit = await json('adopt', '--yes', '--edit', 'e2')
    expect(edit).toMatchObject({
      night: 1,
      label: 'unmeasured',
      measured: null,
      unmeasuredBecause: 'Only some of the edits were chosen, and the night measured all of them together.',
      receipt: { edits: ['e2'], changes: [{ name: 'skill:tests' }] },
    })
    const { skill } = await texts()
    expect(skill).toBe(personsSkill.replace('Old rule.', 'New rule.'))
  })

  it('keeps what the user wrote in between', async () => {
    await writeFile(world.files.memory, `${personsMemory}\nMine since.\n`)
    const { out } = await run('adopt', '--yes')
    expect(out).toContain('was changed around the region since it was measured.')
    expect(out).toContain('CLAUDE.md: region changed, your own changes kept\n')
    expect((await texts()).memory).toContain('Mine since.')
    await writeFile(world.files.memory, `Later.\n${(await texts()).memory}`)
    const undone = await run('undo', '--yes')
    expect(undone.out).toContain('CLAUDE.md: its region is as before\n')
    expect(undone.out).toContain('Your own text around the region is kept.')
    expect((await texts()).memory).toMatch(/^Later\.\n# Memory[\s\S]*Mine since\./)
  })

  it('refuses in one sentence, with nothing changed', async () => {
    const cases: Record<string, readonly [() => Promise<unknown>, RegExp]> = {
      'a changed region': [
        () => writeFile(world.files.skill, personsSkill.replace('Old', 'My')),
        /^error: The managed region of .* was changed since the proposal\.\n/,
      ],
      'a deleted target': [() => rm(world.files.memory), /CLAUDE\.md was deleted since the proposal\./],
      'a read-only target': [() => chmod(world.files.memory, 0o444), /CLAUDE\.md is read-only\./],
      'a link instead': [
        async () => {
          await rm(world.files.memory)
          await symlink(join(world.project, 'AGENTS.md'), world.files.memory)
          await writeFile(join(world.project, 'AGENTS.md'), personsMemory)
        },
        /CLAUDE\.md is a link now/,
      ],
    }
    for (const [name, [change, message]] of Object.entries(cases)) {
      await anew({})
      await change()
      const before = await snapshot(world.project)
      const { code, err } = await run('adopt', '--yes')
      expect({ name, code }).toEqual({ name, code: exitCodes.badInput })
      expect(err).toMatch(message)
      expect(await snapshot(world.project)).toEqual(before)
    }
    expect((await run('adopt', '--yes', '--target', 'skill:other')).err).toContain(
      'offers no target "skill:other"',
    )
    expect((await run('adopt', '--yes', '--edit', 'e5')).err).toContain('offers no edit "e5"')
  })

  it('needs --force if the region was changed since', async () => {
    await run('adopt', '--yes')
    const { memory } = await texts()
    await writeFile(world.files.memory, memory.replace('French', 'Danish'))
    const refused = await run('undo', '--yes')
    expect(refused).toMatchObject({
      code: exitCodes.badInput,
      err: expect.stringContaining('since it was adopted'),
    })
    expect(await json('undo', '--yes', '--force')).toMatchObject({ kind: 'undo', undoes: 1 })
    // The blank line before an appended region stays if the file was changed elsewhere.
    expect(await texts()).toEqual({ skill: personsSkill, memory: `${personsMemory}\n` })
  })

  it('recovers first from a stopped process, and says so', async () => {
    const state = join(world.kept.folder, 'adoption')
    await run('adopt', '--yes')
    const receipts = join(state, 'receipts')
    const [receipt = ''] = await readdir(receipts)
    await writeFile(join(state, 'journal.json'), await readFile(join(receipts, receipt), 'utf8'))
    expect((await run('status')).err).toContain('An adoption was stopped at its very end; it is complete:')
    await writeFile(join(state, 'journal.json'), await readFile(join(receipts, receipt), 'utf8'))
    await rm(join(receipts, receipt))
    const { err, code } = await run('review')
    expect(code).toBe(exitCodes.ok)
    expect(err).toContain('An adoption was stopped in the middle; all of it was put back as it was:')
    expect(await texts()).toEqual({ skill: personsSkill, memory: personsMemory })
  })

  it('writes only where the settings allow it', async () => {
    const { proposal } = { proposal: join(world.proposalFolder, 'proposal.json') }
    const given = JSON.parse(await readFile(proposal, 'utf8')) as { roots: string[] }
    await writeFile(proposal, JSON.stringify({ ...given, roots: [...given.roots, world.root] }))
    const { code, err } = await run('adopt', '--yes')
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain('which Sleep may not write to.')
  })
})

describe('a newer proposal that is damaged', () => {
  let newer: string
  beforeEach(async () => {
    const about = { number: 2, project: world.project, at: '2026-02-01T02:00:00Z' }
    const { folder } = await beginNight(world.kept.folder, { format: nightFormat, ...about })
    newer = join(folder, 'proposal')
    await makeProposal({ ...world, proposalFolder: newer }, same => ({ ...same, id: 'night-002' }))
    await endNight(folder, endOf())
  })
  const damage = () => writeFile(join(newer, 'skill.md'), 'Something else.\n')

  it('is reported rather than silently replaced by an older one, which can be named', async () => {
    await damage()
    const before = await snapshot(world.project)
    for (const command of [['review'], ['adopt', '--yes']]) {
      const { code, err } = await run(...command)
      expect(code).toBe(exitCodes.badInput)
      expect(err).toMatch(/The proposal of night 2 cannot be used: .*\n.*night 1 waits too: --night 1\.\n/)
    }
    expect(await snapshot(world.project)).toEqual(before)
    expect(await run('adopt', '--yes', '--night', '1')).toMatchObject({ code: exitCodes.ok })
  })

  it('does not bring an older one back once it was adopted', async () => {
    expect(await run('adopt', '--yes')).toMatchObject({ code: exitCodes.ok })
    await damage()
    const { code, err } = await run('review')
    expect(code).toBe(exitCodes.badInput)
    expect(err).not.toContain('--night 1')
    expect((await run('status')).out).toMatch(/^waits +nothing/m)
  })
})
