import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { exitCodes } from '../../src/core/errors/errors.js'
import { personsMemory, personsSkill, snapshot } from '../support/adoption.js'
import { makeNightWorld, type NightWorld } from '../support/night.js'
import { key, skillopt } from './support.js'

/** From a hand-made night to a person's files and back, with the built command line. */

let world: NightWorld
beforeEach(async () => {
  world = await makeNightWorld()
})
afterEach(() => world.end())

const sleep = (...argv: string[]) =>
  skillopt(['sleep', ...argv], { cwd: world.project, env: { ...world.env, ...key } })

it('reviews, adopts all, refuses to do so again, and takes it back', async () => {
  const before = await snapshot(world.project)
  const review = await sleep('review')
  expect(review).toMatchObject({ code: exitCodes.ok, stderr: '' })
  expect(review.stdout).toContain('Adopt all:   skillopt sleep adopt --night 1')
  expect((await sleep('adopt')).code).toBe(exitCodes.badInput)
  expect(await snapshot(world.project)).toEqual(before)

  expect(await sleep('adopt', '--yes')).toMatchObject({ code: exitCodes.ok, stderr: '' })
  expect(await readFile(world.files.skill, 'utf8')).toContain('- New rule.')
  expect((await sleep('adopt', '--yes', '--night', '1')).stderr).toContain('was adopted already')
  expect((await sleep('status')).stdout).toMatch(/adopted +night 1, .*, measured: /)

  expect(await sleep('undo', '--yes')).toMatchObject({ code: exitCodes.ok, stderr: '' })
  expect(await snapshot(world.project)).toEqual(before)
})

it('adopts one target or one edit, and keeps what a person wrote since', async () => {
  await writeFile(world.files.memory, `${personsMemory}\nMine since.\n`)
  const one = await sleep('adopt', '--yes', '--target', 'memory:CLAUDE.md')
  expect(one.stdout).toContain('Adopted, unmeasured:\n  CLAUDE.md: region changed, your own changes kept')
  expect(await readFile(world.files.memory, 'utf8')).toMatch(/Mine since\.[\s\S]*Answer in French\./)
  const edit = await sleep('adopt', '--yes', '--edit', 'e2')
  expect(edit.code).toBe(exitCodes.ok)
  expect(await readFile(world.files.skill, 'utf8')).toBe(personsSkill.replace('Old rule.', 'New rule.'))
})

const spoiled: Record<string, readonly [(world: NightWorld) => Promise<unknown>, RegExp]> = {
  'a region that was changed': [
    ({ files }) => writeFile(files.skill, personsSkill.replace('Old', 'My')),
    /^error: The managed region of .* was changed since the proposal\.\nNothing was changed\./,
  ],
  'a target that became a link': [
    async ({ files, project }) => {
      await rm(files.memory)
      await writeFile(join(project, 'AGENTS.md'), personsMemory)
      await symlink(join(project, 'AGENTS.md'), files.memory)
    },
    /^error: .*CLAUDE\.md is a link now/,
  ],
  'a target that is read-only': [
    ({ files }) => chmod(files.memory, 0o444),
    /^error: .*CLAUDE\.md is read-only\./,
  ],
  'a target that was deleted': [({ files }) => rm(files.memory), /^error: .*CLAUDE\.md was deleted since/],
}

it.each(Object.entries(spoiled))('refuses %s in one sentence', async (_, [spoil, says]) => {
  await spoil(world)
  const before = await snapshot(world.project)
  const { code, stderr } = await sleep('adopt', '--yes')
  expect(code).toBe(exitCodes.badInput)
  expect(stderr).toMatch(says)
  expect(await snapshot(world.project)).toEqual(before)
})

it.skipIf(process.platform !== 'linux')('schedules a night with cron', async () => {
  const bin = join(world.root, 'bin')
  const crontab = join(world.root, 'crontab')
  await mkdir(bin)
  await writeFile(
    join(bin, 'crontab'),
    `#!/bin/sh\ncase "$1" in\n-l) if [ -f ${crontab} ]; then /bin/cat ${crontab}; else echo "no crontab for me" >&2; exit 1; fi ;;\n-) /bin/cat > ${crontab} ;;\nesac\n`,
  )
  await chmod(join(bin, 'crontab'), 0o755)
  world = { ...world, env: { ...world.env, PATH: bin } }
  const model = ['--target', 'openai-compatible/m', '--set', 'models.target.endpoint=http://127.0.0.1:9/v1']
  const uncapped = await sleep('schedule', ...model)
  expect(uncapped).toMatchObject({
    code: exitCodes.badInput,
    stderr: expect.stringContaining('needs a limit'),
  })
  const scheduled = await sleep('schedule', ...model, '--max-calls', '50', '--at', '04:05')
  expect(scheduled.code).toBe(exitCodes.ok)
  expect(await readFile(crontab, 'utf8')).toMatch(/^5 4 \* \* \* .*run-night\.js/m)
  expect((await sleep('status')).stdout).toContain('every night at 04:05 by cron')
  expect((await sleep('unschedule')).stdout).toContain('Removed from cron')
  expect(await readFile(crontab, 'utf8')).toBe('')
})
