import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { edits, personsMemory, personsSkill, regions, snapshot } from '../../../test/support/adoption.js'
import { fakeIo } from '../../../test/support/fake-io.js'
import { endOf, makeNightWorld, type NightWorld } from '../../../test/support/night.js'
import { exitCodes } from '../../core/errors.js'
import type { ProposalEdit } from '../../core/proposal.js'
import { beginNight } from '../../sleep/nights.js'
import type { Library } from '../library.js'
import { main } from '../main.js'

let world: NightWorld
beforeEach(async () => {
  world = await makeNightWorld()
})
afterEach(() => world.end())

async function run(...argv: string[]) {
  const io = fakeIo<Library>({ cwd: world.project, env: world.env })
  const code = await main(['sleep', ...argv], io)
  return { code, out: io.out(), err: io.err() }
}

async function json(...argv: string[]): Promise<unknown> {
  const { code, out, err } = await run(...argv, '--json')
  expect({ code, err }).toEqual({ code: exitCodes.ok, err: '' })
  expect(out.trimEnd()).not.toContain('\n')
  return JSON.parse(out)
}

/** Another world in place of the usual one. */
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
    expect(out).toContain('The gate accepted it: Better on held-out tasks.')
    expect(out).toContain('skill:tests  .claude/skills/tests/SKILL.md\n')
    expect(out).toContain(
      'On 1 task that the night had not seen, together with memory:CLAUDE.md: 50.0% (40.0% to 60.0%) → 50.0% (40.0% to 60.0%): 0.0 points',
    )
    expect(out).toContain('  -- Old rule.\n')
    expect(out).toContain('  +- New rule.\n')
    expect(out).toContain('  --- no such file yet\n')
    expect(out).toContain('edit e2 replaces "Old rule." by\n      New rule.\n    why: It failed.\n')
    expect(out).toContain(
      'because of 1 task in 1 session, 2026-10-01 to 2026-10-07:\n      t1: Run the tests of the project.',
    )
    expect(out).toContain('1 edit tried and rejected\n  e5 adds "- Harm.": It failed.\n')
    expect(out).toContain('To adopt it: skillopt sleep adopt --night 1\n')
    expect(out).toContain('--target skill:tests\n')
    expect(out).toContain('--edit e1; with --measure')
    expect(out).not.toContain('SIMULATED')
  })

  it('leaves everything as it is', async () => {
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
    expect(out).toMatch(/^Night 1 {2} SIMULATED {3}proposed/)
    expect(out).toContain('The gate did not accept it: It does worse.')
    expect(out).toContain('It was not accepted, so it cannot be adopted.')
  })

  it('lets nothing of a model act on the terminal or stay unseen', async () => {
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

  it('warns of what is hidden in the text itself', async () => {
    const { proposed } = await hiddenProposal('- Good rule.\u200b\u202e')
    const { out } = await run('review')
    expect(out).toContain('warning: There are 2 characters in it that one does not see: ⟨U+200B⟩, ⟨U+202E⟩.')
    expect(out).toContain('+- Good rule.⟨U+200B⟩⟨U+202E⟩')
    expect(await json('review')).toMatchObject({
      targets: [{ warning: expect.stringContaining('U+202E') }, { warning: null }, { warning: null }],
    })
    const adopted = await run('adopt', '--yes')
    expect(adopted.out).toContain('⟨U+200B⟩')
    expect(adopted.out).toContain('Do not adopt what you cannot explain.')
    expect(await readFile(world.files.skill, 'utf8')).toBe(proposed)
  })

  it('cuts what is long on the screen only, and says so', async () => {
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
    expect(out).toMatch(/cannot be adopted as it is: The managed region of .*SKILL\.md was changed since/)
    expect(out).toContain('Be long.')
  })

  it('refuses what is not there', async () => {
    expect(await run('review', '--night', '9')).toMatchObject({
      ...{ code: exitCodes.badInput, out: '' },
      err: 'error: There is no night 9 in this project.\nNights with a proposal: 1.\n',
    })
    await beginNight(world.kept.folder, {
      ...{ format: 'skillopt.sleep.night.v1', number: 2, project: world.project, at: '2026-02-01T02:00:00Z' },
    })
    expect((await run('review', '--night', '2')).err).toContain('Night 2 proposed nothing.')
    expect((await run('review', '--night', 'x')).code).toBe(exitCodes.badInput)
    await writeFile(join(world.proposalFolder, 'skill.md'), 'something else')
    expect((await run('review')).err).toContain('skill.md was changed since it was proposed.')
    await rm(world.kept.folder, { recursive: true })
    expect((await run('review')).err).toContain('`skillopt sleep run` looks for something to propose')
    expect(await readdir(join(world.root, 'kept', 'sleep', 'projects'))).toEqual([])
  })

  it('tells the same as JSON', async () => {
    expect(await json('review')).toMatchObject({
      ...{ night: 1, id: 'night-1', simulated: false, verdict: { accepted: true } },
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

/** Replaces what is proposed for the skill by a region with this text. */
async function hiddenProposal(text: string): Promise<{ proposed: string }> {
  const file = join(world.proposalFolder, 'skill.md')
  const proposed = (await readFile(file, 'utf8')).replace('- New rule.', text)
  const { sha256 } = await import('../../adopt/index.js')
  await writeFile(file, proposed)
  const manifest = join(world.proposalFolder, 'proposal.json')
  const proposal = JSON.parse(await readFile(manifest, 'utf8')) as { targets: { after: string }[] }
  const targets = proposal.targets.map((target, index) =>
    index === 0 ? { ...target, after: sha256(proposed) } : target,
  )
  await writeFile(manifest, JSON.stringify({ ...proposal, targets }))
  return { proposed }
}

describe('adopt and undo', () => {
  const texts = async () => ({
    skill: await readFile(world.files.skill, 'utf8'),
    memory: await readFile(world.files.memory, 'utf8'),
  })

  it('adopts all of it, once, and takes it back', async () => {
    const adopted = await run('adopt', '--yes')
    expect({ code: adopted.code, err: adopted.err }).toEqual({ code: exitCodes.ok, err: '' })
    expect(adopted.out).toContain('  +- New rule.\n')
    expect(adopted.out).toMatch(
      /Adopted, measured:\n {2}\.claude\/skills\/tests\/SKILL\.md: region changed\n/,
    )
    expect(adopted.out).toContain('skills/fresh/SKILL.md: made\nTo take it back: skillopt sleep undo')
    expect((await texts()).skill).toContain('- New rule.')
    expect(await run('adopt', '--yes')).toMatchObject({
      code: exitCodes.badInput,
      err: expect.stringContaining('No proposal waits for a review.\nThe newest is that of night 1'),
    })
    expect((await run('adopt', '--yes', '--night', '1')).err).toContain('was adopted already')

    const undone = await run('undo', '--yes')
    expect(undone.out).toMatch(/^What was adopted from night 1 on .* is taken back:\n/)
    expect(undone.out).toContain('skills/tests/SKILL.md: as before\n')
    expect(undone.out).toContain('skills/fresh/SKILL.md: removed, as it was not there before\n')
    expect(await texts()).toEqual({ skill: personsSkill, memory: personsMemory })
    expect(await run('undo', '--yes')).toMatchObject({
      code: exitCodes.badInput,
      err: expect.stringContaining('There is no adoption in this project that could be taken back.'),
    })
    expect((await run('review')).out).toContain('and taken back since')
  })

  it('changes nothing where nobody can be asked', async () => {
    const before = await snapshot(world.project)
    const { code, err } = await run('adopt')
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain(
      'This changes files of yours, and there is no terminal to ask.\nPass --yes to agree.',
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
      'unmeasured: skill:tests was measured together with memory:CLAUDE.md. --measure tries it first.',
    )
    expect(out).toContain('Adopted, unmeasured:')
    await run('undo', '--yes')
    const edit = await json('adopt', '--yes', '--edit', 'e2')
    expect(edit).toMatchObject({
      ...{ night: 1, label: 'unmeasured', measured: null },
      unmeasuredBecause: 'Only some of the edits were chosen, and the night measured all of them together.',
      receipt: { edits: ['e2'], changes: [{ name: 'skill:tests' }] },
    })
    const { skill } = await texts()
    expect(skill).toBe(personsSkill.replace('Old rule.', 'New rule.'))
  })

  it('keeps what the person wrote in between', async () => {
    await writeFile(world.files.memory, `${personsMemory}\nMine since.\n`)
    const { out } = await run('adopt', '--yes')
    expect(out).toContain('was changed around the region since it was measured.')
    expect(out).toContain('CLAUDE.md: region changed, your own changes kept\n')
    expect((await texts()).memory).toContain('Mine since.')
    await writeFile(world.files.memory, `Later.\n${(await texts()).memory}`)
    const undone = await run('undo', '--yes')
    expect(undone.out).toContain('CLAUDE.md: its region is as before\n')
    expect(undone.out).toContain('What you wrote around the region since is still there.')
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

  it('needs force where the region was changed since', async () => {
    await run('adopt', '--yes')
    const { memory } = await texts()
    await writeFile(world.files.memory, memory.replace('French', 'Danish'))
    const refused = await run('undo', '--yes')
    expect(refused).toMatchObject({
      code: exitCodes.badInput,
      err: expect.stringContaining('since it was adopted'),
    })
    expect(await json('undo', '--yes', '--force')).toMatchObject({ kind: 'undo', undoes: 1 })
    expect(await texts()).toEqual({ skill: personsSkill, memory: personsMemory })
  })

  it('settles first what a stopped process left, and says so', async () => {
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

describe('status', () => {
  it('says how the last night went, what waits and where things are', async () => {
    const { code, out, err } = await run('status')
    expect({ code, err }).toEqual({ code: exitCodes.ok, err: '' })
    expect(out).toContain(`${world.project}\n`)
    expect(out).toMatch(/last night +night 1, \S+ \S+ \(.* ago\): it learned something\n/)
    expect(out).toContain('Two documents learned something.\n')
    expect(out).toContain('4 sessions, 3 tasks; 40 calls, 12,345 tokens, cost $0.25, 1 min 05 s\n')
    expect(out).toContain(
      'skill:tests: 50.0% (40.0% to 60.0%) → 75.0% (65.0% to 85.0%) on 12 fresh tasks. Two edits were accepted.',
    )
    expect(out).toMatch(
      /waits +the proposal of night 1, since .*: 4 edits for skill:tests, memory:CLAUDE\.md/,
    )
    expect(out).toMatch(/adopted +nothing\n/)
    expect(out).toMatch(/tasks +none\n/)
    expect(out).toMatch(/schedule +none: `skillopt sleep schedule`/)
    expect(out).toContain(world.kept.folder)
  })

  it('says "unknown" where nobody knows what it cost', async () => {
    await anew({ outcome: { spent: { calls: 3, tokens: 0, cost: 0, unknown: 3, activeMs: 1000 } } })
    expect((await run('status')).out).toContain('3 calls, unknown tokens, cost unknown, 1 s')
    await anew({
      outcome: {
        ...endOf(),
        outcome: 'nothing-learned',
        spent: { ...endOf().spent, calls: 0 },
        simulated: true,
      },
    })
    expect((await run('status')).out).toMatch(
      /nothing was better than what is there {2}SIMULATED [\s\S]*no model was asked/,
    )
  })

  it('tells a stopped night from one at work', async () => {
    const begun = { format: 'skillopt.sleep.night.v1', number: 2, project: world.project } as const
    await beginNight(world.kept.folder, { ...begun, at: '2026-02-01T02:00:00Z' })
    expect((await run('status')).out).toMatch(
      /under way +night 2, begun .*, was stopped: `skillopt sleep run` goes on/,
    )
    const { lockNights } = await import('../../sleep/lock.js')
    const lock = await lockNights(world.kept.folder)
    try {
      expect((await run('status')).out).toMatch(/night 2, begun .*: at work\n/)
      expect(await json('status')).toMatchObject({ openNight: { number: 2, isAtWork: true } })
    } finally {
      await lock.release()
    }
  })

  it('says what was changed since, and what was adopted', async () => {
    await writeFile(world.files.memory, `${personsMemory}More.\n`)
    await rm(world.files.skill)
    const { out } = await run('status')
    expect(out).toContain('CLAUDE.md was changed since, around the region')
    expect(out).toContain('SKILL.md was deleted since.')
    await run('adopt', '--yes', '--target', 'skill:fresh')
    expect((await run('status')).out).toMatch(
      /adopted +night 1, .*, measured: \.claude\/skills\/fresh\/SKILL\.md\n/,
    )
    expect(await json('status')).toMatchObject({
      ...{ adopted: { night: 1, label: 'measured' }, lastNight: { number: 1, outcome: 'proposed' } },
      waiting: { night: 1, targets: ['skill:tests', 'memory:CLAUDE.md'] },
      ...{ schedule: null, tasks: { splits: { train: 0 } } },
    })
  })

  it('knows all projects, and says what to do first where there is nothing', async () => {
    const desk = join(world.root, 'desk')
    await mkdir(desk)
    const first = await run('status', '--project', desk)
    expect(first.out).toContain('Nothing is known of it yet. `skillopt sleep harvest --dry-run`')
    const all = await run('status', '--all')
    expect(all.out).toMatch(
      /^project +last night +waits +schedule\n.*project +it learned something +night 1\n$/,
    )
    await mkdir(join(world.root, 'kept', 'sleep', 'projects', 'strange'))
    expect((await run('status', '--all')).err).toContain('strange does not say which project it is about.')
    await rm(join(world.root, 'kept'), { recursive: true })
    expect((await run('status', '--all')).out).toContain('Sleep knows no project yet.')
  })

  it('goes on where something is damaged, and says what', async () => {
    await writeFile(join(world.proposalFolder, 'proposal.json'), '{')
    await writeFile(join(world.kept.folder, 'tasks.json'), '{')
    const { code, err, out } = await run('status')
    expect(code).toBe(exitCodes.ok)
    expect(err).toMatch(/warning: .*tasks\.json is damaged[\s\S]*warning: .*proposal\.json is damaged/)
    expect(out).toContain('waits       nothing for a review')
  })
})
