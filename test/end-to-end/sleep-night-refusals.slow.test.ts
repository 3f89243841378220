import { execFile, spawnSync } from 'node:child_process'
import { chmod, link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bookOf } from '../../src/experiment/measure.js'
import type { LoopbackServer } from '../../src/testing/index.js'
import {
  answersInHouse,
  customs,
  houseTasks,
  type Said,
  saidBy,
  sleepHere,
  textAt,
  writeTasks,
} from '../support/sleep/house.js'
import { makeNightMachine, nightsOf, oneEpoch, writeSettings } from '../support/sleep/night-machine.js'
import { begin, type Machine, treeOf } from './sleep-support.js'
import { parcelServer, put } from './support.js'

/**
 * Impossible requests are refused in one sentence, before they cost anything if possible, and nothing is
 * lost.
 */

const skill = '.claude/skills/skillopt-sleep-learned/SKILL.md'
const { rule } = customs.ticket
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

let server: LoopbackServer
/** Runs once at the first optimizer request, when a night is well under way. */
let meanwhile: (() => Promise<void>) | undefined
beforeAll(async () => {
  const house = answersInHouse()
  server = await parcelServer({
    respond: async request => {
      if (saidBy(request, 'system').includes('failure_summary')) {
        const act = meanwhile
        meanwhile = undefined
        await act?.()
      }
      return house(request)
    },
  })
})

let machine: Machine
let file: string
beforeEach(async () => {
  machine = await makeNightMachine()
  await writeSettings(machine, server.url, { sleep: { memory: ['CLAUDE.md'] }, more: oneEpoch })
  file = await writeTasks(machine, houseTasks('ticket'))
})

const night = (...more: readonly string[]) =>
  sleepHere(machine, ['run', '--yes', '--quiet', '--tasks-file', file, ...more])
const at = (name: string) => join(machine.project, name)
const outsideOfKept = () => treeOf(machine.root, path => path.startsWith(machine.kept))

async function secondName(): Promise<void> {
  await put(machine.project, 'other.md', '# Mine\n')
  await mkdir(join(at(skill), '..'), { recursive: true })
  await link(at('other.md'), at(skill))
}

async function linkTo(target: string): Promise<void> {
  await mkdir(join(at(skill), '..'), { recursive: true })
  await symlink(target, at(skill))
}

const targets: readonly (readonly [name: string, make: () => Promise<unknown>, message: RegExp])[] = [
  [
    'that is read-only',
    () => put(machine.project, skill, '# Mine\n').then(() => chmod(at(skill), 0o444)),
    /SKILL\.md is read-only/,
  ],
  [
    'that is a link out of the project',
    () =>
      put(machine.root, 'away/SKILL.md', '# Away\n').then(() => linkTo(join(machine.root, 'away/SKILL.md'))),
    /SKILL\.md leads to \S+away\/SKILL\.md, outside of the folders/,
  ],
  ['that is a link to nowhere', () => linkTo(at('none.md')), /SKILL\.md is a broken link/],
  ['that is a folder', () => mkdir(at(skill), { recursive: true }), /SKILL\.md is a folder/],
  ['that has a second name', secondName, /SKILL\.md has a second name/],
  [
    'that is no text',
    () => put(machine.project, skill, '').then(() => writeFile(at(skill), Buffer.from([0x23, 0xff, 0xfe]))),
    /SKILL\.md is not UTF-8 text/,
  ],
  [
    'whose markers are broken',
    () => put(machine.project, 'CLAUDE.md', '# Notes\n\n<!-- SKILLOPT-SLEEP:LEARNED START -->\n- mine\n'),
    /CLAUDE\.md, line 3: .*START.* has no end/,
  ],
  [
    'in which a code block is never closed',
    () => put(machine.project, 'CLAUDE.md', '# Notes\n\n```\nmine\n'),
    /CLAUDE\.md, line 3: this code block is never closed/,
  ],
]

describe('a document', () => {
  it.each(targets)('%s is refused before anything is paid for', async (_name, make, message) => {
    await make()
    const before = await outsideOfKept()
    const asked = server.counters.requests
    const said = await night()
    expect(said).toMatchObject({ code: 2, out: '' })
    expect(said.err).toMatch(message)
    expect(said.err.trimEnd().split('\n').length).toBeLessThanOrEqual(3)
    expect(server.counters.requests).toBe(asked)
    expect(await outsideOfKept()).toEqual(before)
  })
})

describe('a document that is changed during the night', () => {
  const region =
    '<!-- SKILLOPT-SLEEP:LEARNED START -->\n- An old rule.\n<!-- SKILLOPT-SLEEP:LEARNED END -->\n'
  const rewrite = async (from: string, to: string) =>
    writeFile(at(skill), (await textAt(at(skill))).replace(from, to))
  const away = () => join(machine.root, 'away.md')
  const changed = /SKILL\.md was changed while the night ran/
  const cases: readonly (readonly [string, () => Promise<unknown>, RegExp])[] = [
    ['is deleted', () => rm(at(skill)), changed],
    ['is edited in its region', () => rewrite('old', 'new'), changed],
    ['is edited elsewhere', () => rewrite('# Mine', '# Ours'), changed],
    ['loses a marker', () => rewrite('<!-- SKILLOPT-SLEEP:LEARNED END -->\n', ''), changed],
    ['is made read-only', () => chmod(at(skill), 0o444), /SKILL\.md is read-only/],
    [
      'becomes a link out of the project',
      async () => {
        await writeFile(away(), 'not yours\n')
        await rm(at(skill))
        await linkTo(away())
      },
      /SKILL\.md leads to \S+away\.md, outside of the folders/,
    ],
  ]
  it.each(cases)('%s: the person’s word stands, and it is said', async (_name, change, message) => {
    await put(machine.project, skill, `# Mine\n\n${region}`)
    let left: Record<string, string> = {}
    meanwhile = async () => {
      await change()
      left = await outsideOfKept()
    }
    const said = await night()
    expect(said.out).toMatch(message)
    expect([0, 2]).toContain(said.code)
    expect(await outsideOfKept()).toEqual(left)
    const [slept] = await nightsOf(machine)
    expect(slept?.proposal).toBeUndefined()
    expect(slept?.outcome?.outcome).toMatch(/^(nothing-learned|refused)$/)
    expect(await sleepHere(machine, ['adopt', '--yes'])).toMatchObject({ code: 2 })
    expect(await outsideOfKept()).toEqual(left)
  })

  it('is what the next night begins from', async () => {
    await put(machine.project, skill, `# Mine\n\n${region}`)
    meanwhile = () => rewrite('old', 'new')
    await night()
    expect(await night()).toMatchObject({ code: 0 })
    expect(await sleepHere(machine, ['adopt', '--yes'])).toMatchObject({ code: 0 })
    expect(await textAt(at(skill))).toMatch(/- A?n? ?new rule\.[\s\S]*GH and its number/)
  })

  it('is not overwritten if it was adopted from an earlier night', async () => {
    expect(await night()).toMatchObject({ code: 0 })
    const more = await writeTasks(machine, [...houseTasks('ticket'), ...houseTasks('greeting')])
    let adopted: { code: number } | undefined
    meanwhile = async () => {
      adopted = await sleepHere(machine, ['adopt', '--yes'])
    }
    const said = await sleepHere(machine, ['run', '--yes', '--quiet', '--tasks-file', more])
    expect(adopted).toMatchObject({ code: 0 })
    expect(said.out).toMatch(/SKILL\.md was changed while the night ran/)
    expect(await textAt(at(skill))).toContain(rule)
    expect(await sleepHere(machine, ['undo', '--yes'])).toMatchObject({ code: 0 })
  })
})

describe('two nights at once', () => {
  it('of one project: the second is refused in a sentence, and the first goes on', async () => {
    let second: Awaited<ReturnType<typeof night>> | undefined
    meanwhile = async () => {
      second = await night()
    }
    const first = begin(machine, ['sleep', 'run', '--yes', '--quiet', '--tasks-file', file])
    expect(await first.finished).toMatchObject({ code: 0, stderr: '' })
    expect(second).toMatchObject({ code: 2, out: '' })
    expect(second?.err).toMatch(
      /^error: A night of this project is under way already\. .* process \d+ since .*\n.*\n$/,
    )
    expect((await nightsOf(machine)).map(({ outcome }) => outcome?.outcome)).toEqual(['proposed'])
  })

  it('of two projects do not interfere', async () => {
    const other = { ...machine, project: join(machine.root, 'work', 'shop') }
    await mkdir(other.project)
    const tasks = join(machine.root, 'other.json')
    await writeFile(tasks, JSON.stringify(bookOf(other.project, houseTasks('greeting'))))
    let second: Awaited<ReturnType<typeof night>> | undefined
    meanwhile = async () => {
      second = await sleepHere(other, ['run', '--yes', '--quiet', '--tasks-file', tasks])
    }
    const first = begin(machine, ['sleep', 'run', '--yes', '--quiet', '--tasks-file', file])
    expect(await first.finished).toMatchObject({ code: 0 })
    expect(second).toMatchObject({ code: 0 })
    expect(await sleepHere(other, ['review'])).toMatchObject({ code: 0 })
    expect((await sleepHere(machine, ['review'])).out).toContain(rule)
  })
})

/** Mounts need a machine that allows unprivileged user namespaces. */
const namespaces = spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0

describe.skipIf(!namespaces)('a machine that cannot be written to', () => {
  const nightInside = (script: string) => {
    const command = [process.execPath, main, 'sleep', 'run', '--yes', '--quiet', '--tasks-file', file]
    const args = ['--map-root-user', '--mount', 'sh', '-c', script, 'sh', ...command]
    const env = { PATH: process.env.PATH ?? '', NO_COLOR: '1', ...machine.env }
    return new Promise<Said>(done => {
      const child = execFile('unshare', args, { cwd: machine.project, env }, (_error, out, err) =>
        done({ code: child.exitCode ?? -1, out, err }),
      )
    })
  }

  it('a full disk pauses the night, and the same command resumes once there is room', async () => {
    const projects = join(machine.kept, 'sleep', 'projects')
    const saved = join(machine.root, 'saved')
    await mkdir(projects, { recursive: true })
    await mkdir(saved)
    const before = await outsideOfKept()
    const asked = server.counters.requests
    for (const size of ['16k', '100k']) {
      // Data on the small disk is saved for the next one.
      const mounted = `mount -t tmpfs -o size=${size} tmpfs ${projects} && cp -a ${saved}/. ${projects}`
      const { code, err } = await nightInside(
        `${mounted}; "$@"; code=$?; cp -a ${projects}/. ${saved}; exit $code`,
      )
      expect({ code, err }).toEqual({
        code: 3,
        err: expect.stringMatching(
          /(could not be written|Can.t write the run.s files to \S+): the disk is full/,
        ),
      })
    }
    await rename(saved, projects)
    expect(await night()).toMatchObject({ code: 0, err: '' })
    expect((await nightsOf(machine)).map(({ outcome }) => outcome?.outcome)).toEqual(['proposed'])
    // Only calls that the full disk could not record are repeated.
    expect(server.counters.requests - asked).toBeLessThan(90)
    expect({ ...(await outsideOfKept()), saved: before.saved }).toEqual(before)
  })

  it('a folder that cannot be written is refused before anything is paid for', async () => {
    await put(machine.project, skill, '# Mine\n')
    const asked = server.counters.requests
    const { project } = machine
    const mounted = `mount --bind ${project} ${project} && mount -o remount,bind,ro ${project}`
    const { code, err } = await nightInside(`${mounted} && cd ${project} && exec "$@"`)
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(/(SKILL|CLAUDE)\.md could not be changed: the folder \S+ cannot be written/),
    })
    expect(server.counters.requests).toBe(asked)
  })
})

describe('what is asked for wrongly', () => {
  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['an unknown option', ['--everything'], /unknown option '--everything'/],
    ['a word too much', ['now'], /too many arguments/],
    ['a project that is not there', ['--project', 'nowhere'], /The project nowhere does not exist/],
    ['a config that is not there', ['--config', 'none.yaml'], /none\.yaml/],
    ['a setting that is none', ['--set', 'sleep.autoAdopted=true'], /sleep\.autoAdopted/],
    ['a simulated target', ['--target', 'simulated/target'], /The target is simulated/],
    ['an unknown provider', ['--target', 'opnai/x'], /opnai/],
    ['a skill whose name leaves the project', ['--set', 'sleep.skill=..'], /sleep\.skill/],
    [
      'a skill that is no SKILL.md',
      ['--set', 'sleep.skill=notes/README.md'],
      /a skill is a file called SKILL\.md/,
    ],
    ['notes that are none', ['--set', 'sleep.memory=[README.md]'], /sleep\.memory/],
    ['a cap on a price that nobody knows', ['--max-cost', '1'], /price/],
    ['tasks that are not there', ['--tasks-file', 'none.yaml'], /none\.yaml/],
  ]
  it.each(cases)('%s', async (_name, more, message) => {
    const before = await outsideOfKept()
    const asked = server.counters.requests
    const said = await night(...more)
    expect(said).toMatchObject({ code: 2, out: '' })
    expect(said.err).toMatch(message)
    expect(said.err.trimEnd().split('\n').length).toBeLessThanOrEqual(3)
    expect(server.counters.requests).toBe(asked)
    expect(await outsideOfKept()).toEqual(before)
  })

  it('tasks that nobody has reviewed, or of another project', async () => {
    const book = bookOf(machine.project, houseTasks('ticket'))
    const asked = server.counters.requests
    await writeFile(file, JSON.stringify({ ...book, reviewed: false }))
    expect((await night()).err).toMatch(/reviewed/)
    await writeFile(file, JSON.stringify({ ...book, project: '/elsewhere' }))
    expect((await night()).err).toMatch(/tasks of another project, \/elsewhere/)
    expect(server.counters.requests).toBe(asked)
  })

  it('no target for the tasks, and no terminal to confirm the cost', async () => {
    const none = { models: {}, ...oneEpoch }
    await writeSettings(machine, server.url, { more: none as never })
    expect(await night()).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Nobody is named who could try/),
    })
    await writeSettings(machine, server.url, { more: oneEpoch })
    const said = await sleepHere(machine, ['run', '--tasks-file', file])
    expect(said).toMatchObject({
      code: 2,
      err: expect.stringMatching(/needs your consent, but there is no terminal to ask/),
    })
    // No night has begun, so there is nothing to resume.
    expect((await nightsOf(machine)).filter(({ plan }) => plan !== undefined)).toEqual([])
  })
})
