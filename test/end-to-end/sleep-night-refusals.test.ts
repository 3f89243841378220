import { spawnSync } from 'node:child_process'
import { chmod, link, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { LoopbackServer } from '../../src/testing.js'
import {
  answersInHouse,
  customs,
  houseTasks,
  saidBy,
  sleepHere,
  textAt,
  writeTasks,
} from '../support/sleep/house.js'
import { makeNightMachine, nightsOf, oneEpoch, writeSettings } from '../support/sleep/night-machine.js'
import { begin, type Machine, treeOf } from './sleep-support.js'
import { parcelServer, put } from './support.js'

/** What cannot be done is refused in one sentence: before it has cost anything where that can be, and nothing is lost. */

const skill = '.claude/skills/skillopt-sleep-learned/SKILL.md'
const { rule } = customs.ticket

let server: LoopbackServer
/** Done once, when the optimizer is asked for the first time: a night is well under way then. */
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
  ['that is a link to nowhere', () => linkTo(at('none.md')), /SKILL\.md is a link that leads nowhere/],
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

describe('a document that is changed while the night is at it', () => {
  it.each([
    ['deleted', () => rm(at(skill))],
    ['deleted with its folder', () => rm(at('.claude'), { recursive: true })],
    [
      'edited in the region',
      () => textAt(at(skill)).then(text => writeFile(at(skill), text.replace('old', 'new'))),
    ],
    [
      'edited around the region',
      () => textAt(at(skill)).then(text => writeFile(at(skill), `${text}\nMore.\n`)),
    ],
    ['read-only', () => chmod(at(skill), 0o444)],
    [
      'a link out',
      () =>
        rm(at(skill))
          .then(() => linkTo(join(machine.root, 'away.md')))
          .then(() => writeFile(join(machine.root, 'away.md'), 'x')),
    ],
  ])('%s', async (_name, change) => {
    await put(
      machine.project,
      skill,
      '# Mine\n\n<!-- SKILLOPT-SLEEP:LEARNED START -->\n- An old rule.\n<!-- SKILLOPT-SLEEP:LEARNED END -->\n',
    )
    meanwhile = async () => {
      await change()
    }
    const said = await night()
    console.log(
      _name,
      said,
      (await nightsOf(machine)).map(n => [n.outcome?.outcome, n.proposal]),
    )
    const again = await sleepHere(machine, ['review'])
    console.log('review', again.code, again.out, again.err)
    const ad = await sleepHere(machine, ['adopt', '--yes'])
    console.log('adopt', ad.code, ad.out, ad.err)
  })
})
