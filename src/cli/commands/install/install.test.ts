import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type InstallWorld, installWorld, skill, tree } from '../../../../test/support/install-world.js'
import { bestText, finish, sampleLog } from '../../../../test/support/sample-run.js'
import { expectShown } from '../../../../test/support/shown-output.js'
import { agents } from '../../../agents/registry/install-targets.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { openDiskStore } from '../../../store/disk.js'

let world: InstallWorld
beforeEach(async () => {
  world = await installWorld()
})
afterEach(() => world.remove())

describe('skillopt install', () => {
  it.each(agents.map(({ id, projectFolder }) => [id, projectFolder]))(
    'puts a skill where %s reads it in a project',
    async (id, folder) => {
      const before = await world.snapshot()
      const { code, out } = await world.run('best_skill.md', '--to', id)
      expect(code).toBe(exitCodes.ok)
      expect(await world.text(`project/${folder}/sums/SKILL.md`)).toBe(skill)
      expect(out).toContain(`installed: ${folder}/sums/SKILL.md`)
      expect(out).toMatch(/To use it: .*sums/)
      expect((await world.run('--undo', '--to', id)).out).toContain('undone')
      expect(await world.snapshot()).toEqual(before)
    },
  )

  it.each([
    ['claude-code', '.claude/skills'],
    ['codex', '.codex/skills'],
    ['cursor', '.cursor/skills'],
    ['copilot', '.copilot/skills'],
    ['opencode', '.config/opencode/skills'],
    ['gemini', '.gemini/skills'],
    ['pi', '.pi/agent/skills'],
  ])('and %s for a person', async (id, folder) => {
    expect((await world.run('best_skill.md', '--to', id, '--user')).code).toBe(exitCodes.ok)
    expect(await world.text(`home/${folder}/sums/SKILL.md`)).toBe(skill)
    expect((await world.run('best_skill.md', '--undo', '--user')).code).toBe(exitCodes.ok)
    expect(await readdir(world.home)).toEqual([])
  })

  it('installs for several agents, or for none', async () => {
    const { out } = await world.run('best_skill.md', '--to', 'claude-code,codex', '--to', 'pi', '--json')
    const results = JSON.parse(out) as { agent: string; status: string; files: string[] }[]
    expect(results.map(({ agent, status }) => [agent, status])).toEqual([
      ['claude-code', 'installed'],
      ['codex', 'installed'],
      ['pi', 'installed'],
    ])
    await world.run('--undo')
    await world.put('project/.pi/skills/sums/SKILL.md', 'theirs')
    const before = await world.snapshot()
    const refused = await world.run('best_skill.md', '--to', 'claude-code', '--to', 'pi')
    expect(refused.code).toBe(exitCodes.badInput)
    expect(await world.snapshot()).toEqual(before)
  })

  it('reports an existing installation and writes no second receipt', async () => {
    const before = await world.snapshot()
    await world.run('best_skill.md', '--to', 'pi')
    expect((await world.run('best_skill.md', '--to', 'pi')).out).toContain('already there')
    await world.run('--undo', '--to', 'pi')
    expect(await world.snapshot()).toEqual(before)
    expect((await world.run('--undo', '--to', 'pi')).err).toContain('No installation found here')
  })

  it('replaces another skill only with --force, and restores it byte for byte', async () => {
    const theirs = Buffer.from([0xff, 0x00, 0x0d, 0x0a])
    await world.put('project/.claude/skills/sums/SKILL.md', theirs, 0o640)
    await world.put('project/.claude/skills/sums/scripts/own.sh', 'kept', 0o755)
    const before = await world.snapshot()
    const refused = await world.run('best_skill.md', '--to', 'claude-code')
    expect(refused.code).toBe(exitCodes.badInput)
    expect(refused.err).toContain('--force')
    expect(await world.snapshot()).toEqual(before)
    expect((await world.run('best_skill.md', '--to', 'claude-code', '--force')).code).toBe(exitCodes.ok)
    expect(await world.text('project/.claude/skills/sums/SKILL.md')).toBe(skill)
    expect(await world.text('project/.claude/skills/sums/scripts/own.sh')).toBe('kept')
    expect((await world.run('--undo', '--to', 'claude-code')).code).toBe(exitCodes.ok)
    expect(await world.snapshot()).toEqual(before)
  })

  it('undoes one installation after the other', async () => {
    await world.run('best_skill.md', '--to', 'codex')
    await world.put('project/better.md', skill.replace('Add them.', 'Add all of them.'))
    await world.run('better.md', '--to', 'codex', '--force')
    expect(await world.text('project/.agents/skills/sums/SKILL.md')).toContain('all of them')
    await world.run('--undo', '--to', 'codex')
    expect(await world.text('project/.agents/skills/sums/SKILL.md')).toBe(skill)
    await world.run('--undo', '--to', 'codex')
    expect(await readdir(world.project)).not.toContain('.agents')
  })

  it('does not undo an installation that was edited since, unless forced', async () => {
    await world.run('best_skill.md', '--to', 'codex')
    await world.put('project/.agents/skills/sums/SKILL.md', `${skill}\nMy own line.\n`)
    const refused = await world.run('--undo', '--to', 'codex')
    expect(refused.code).toBe(exitCodes.badInput)
    expect(refused.err).toContain('changed after the installation: SKILL.md')
    expect(await world.text('project/.agents/skills/sums/SKILL.md')).toContain('My own line')
    expect((await world.run('--undo', '--to', 'codex', '--force')).code).toBe(exitCodes.ok)
    expect(await readdir(world.project)).not.toContain('.agents')
  })

  it('keeps other files in a folder that it created', async () => {
    await world.run('best_skill.md', '--to', 'codex')
    await world.put('project/.agents/skills/theirs/SKILL.md', 'theirs')
    await world.run('--undo', '--to', 'codex')
    expect(Object.keys(await tree(join(world.project, '.agents')))).toEqual([
      'skills',
      'skills/theirs',
      'skills/theirs/SKILL.md',
    ])
  })

  it('needs to know which of several installations to undo', async () => {
    await world.run('best_skill.md', '--to', 'codex')
    await world.run('best_skill.md', '--to', 'codex', '--name', 'other')
    const unclear = await world.run('--undo', '--to', 'codex')
    expect(unclear.code).toBe(exitCodes.badInput)
    expect(unclear.err).toContain('sums, other')
    await world.run('--undo', '--to', 'codex', '--name', 'sums')
    expect(await readdir(join(world.project, '.agents/skills'))).toEqual(['other'])
  })

  it('writes nothing on a dry run', async () => {
    const before = await world.snapshot()
    expect((await world.run('best_skill.md', '--to', 'codex', '--dry-run')).out).toContain(
      'would be installed',
    )
    expect(await world.snapshot()).toEqual(before)
    await world.run('best_skill.md', '--to', 'codex')
    const installed = await world.snapshot()
    expect((await world.run('--undo', '--dry-run')).out).toContain('would be undone')
    expect(await world.snapshot()).toEqual(installed)
  })
})

describe('what is installed', () => {
  it('gets a frontmatter where it has none, and is otherwise as it was', async () => {
    const body =
      '# Reading Tables\r\n\r\nRead the **header** first.\r\n<!-- SLOW_UPDATE_START -->\r\nx\r\n<!-- SLOW_UPDATE_END -->'
    await world.put('project/plain.md', body)
    const { err } = await world.run('plain.md', '--to', 'pi')
    const written = await world.text('project/.pi/skills/reading-tables/SKILL.md')
    expect(written).toBe(
      `---\r\nname: reading-tables\r\ndescription: Read the header first.\r\n---\r\n\r\n${body}`,
    )
    expect(err).toContain('choose another with --name')
    expect(err).toContain('choose another with --description')
  })

  it('takes --name and --description', async () => {
    await world.run('best_skill.md', '--to', 'pi', '--name', 'adding', '--description', 'Adds: all.')
    expect(await world.text('project/.pi/skills/adding/SKILL.md')).toBe(
      '---\nname: adding\ndescription: "Adds: all."\n---\n# Sums\n\nAdd them.\n',
    )
  })

  it.each([
    ['an invalid name', skill.replace('name: sums', 'name: My Sums'), [], 'name: my-sums'],
    ['a name that would leave the folder', skill, ['--name', '../../evil'], 'is not a valid Agent Skill'],
    ['a broken frontmatter', '---\nname: a: b\n---\nText', [], 'cannot be read (line 2)'],
    ['bytes that are no text', Buffer.from([0x23, 0xff]), [], 'UTF-8'],
  ])('is never %s', async (_, content, words, message) => {
    await world.put('project/bad.md', content)
    const before = await world.snapshot()
    const { code, err } = await world.run('bad.md', '--to', 'pi', ...words)
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain(message)
    expect(await world.snapshot()).toEqual(before)
  })

  it('is the best skill of a run, or one of its versions, where a run is named', async () => {
    const folder = join(world.project, 'runs', 'sample-001')
    await mkdir(folder, { recursive: true })
    const log = finish(sampleLog())
    const store = await openDiskStore(folder)
    for (const blob of log.blobs.values()) store.put(blob)
    for (const event of log.events) await store.append(event)
    await store.flush()
    await store.close()
    await world.put('project/original/scripts/add.sh', 'add', 0o755)
    for (const named of ['sample-001', 'runs/sample-001', 'sample-001@v1']) {
      expect((await world.run(named, '--to', 'pi', '--with-folder', 'original')).code).toBe(exitCodes.ok)
      expect((await world.text('project/.pi/skills/sums/SKILL.md')).endsWith(bestText)).toBe(true)
      expect(await world.text('project/.pi/skills/sums/scripts/add.sh')).toBe('add')
      await world.run('--undo', '--to', 'pi')
    }
    const newest = await world.run('--to', 'pi', '--name', 'newest')
    expect(newest.err).toContain('Newest finished training run: runs/sample-001\n')
    expect((await world.text('project/.pi/skills/newest/SKILL.md')).endsWith(bestText)).toBe(true)
    expect((await world.run('@v9', '--to', 'pi')).err).toContain('It has v0 to v2.')
    expect((await world.run('sample-001@v9', '--to', 'pi')).code).toBe(exitCodes.badInput)
    expect((await world.run('sample-001', '--to', 'pi', '--with-folder')).err).toContain(
      '--with-folder <dir>',
    )
  })

  it('includes its supporting files, and nothing else from its folder', async () => {
    const named = `${skill}See forms.md and templates/ (not: notes).\n`
    await world.put('project/sums/SKILL.md', named)
    await world.put('project/sums/scripts/add.sh', '#!/bin/sh\n', 0o755)
    await world.put('project/sums/scripts/.env', 'KEY=secret')
    await world.put('project/sums/scripts/__pycache__/x.pyc', 'x')
    await world.put('project/sums/references/deep/table.bin', Buffer.from([0, 255]))
    await world.put('project/sums/templates/a.txt', 'a')
    await world.put('project/sums/LICENSE.txt', 'MIT')
    await world.put('project/sums/forms.md', 'forms')
    await world.put('project/sums/notes.md', 'private')
    await world.put('project/sums/.env', 'KEY=secret')
    await world.put('project/sums/skillopt.yaml', 'skill: SKILL.md')
    await world.put('project/sums/data/train.jsonl', '{}')
    const before = await world.snapshot()
    expect((await world.run('sums', '--to', 'cursor')).out).toContain('and 5 supporting files')
    expect(Object.keys(await tree(join(world.project, '.cursor/skills/sums')))).toEqual([
      'LICENSE.txt',
      'SKILL.md',
      'forms.md',
      'references',
      'references/deep',
      'references/deep/table.bin',
      'scripts',
      'scripts/add.sh',
      'templates',
      'templates/a.txt',
    ])
    expect((await stat(join(world.project, '.cursor/skills/sums/scripts/add.sh'))).mode & 0o777).toBe(0o755)
    await world.run('--undo')
    expect(await world.snapshot()).toEqual(before)
    await world.run('sums/SKILL.md', '--to', 'cursor')
    expect(await readdir(join(world.project, '.cursor/skills/sums'))).toEqual(['SKILL.md'])
    expect((await world.run('sums/SKILL.md', '--to', 'cursor', '--with-folder')).out).toContain(
      '5 supporting files',
    )
  })
})

describe('docs/installing-a-skill.md', () => {
  it('shows what is printed', async () => {
    await world.put(
      'project/my-skill-001',
      '---\nname: parcel-desk\ndescription: Answers. Use for parcels.\n---\n',
    )
    const installed = await world.run('my-skill-001', '--to', 'claude-code')
    expectShown('docs/installing-a-skill.md', 'install', installed.out.trimEnd())
    const undone = await world.run('--undo', '--to', 'claude-code', '--name', 'parcel-desk')
    expectShown('docs/installing-a-skill.md', 'undo', undone.out.trimEnd())
  })
})
