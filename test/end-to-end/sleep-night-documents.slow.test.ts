import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { SleepTask } from '../../src/sleep/model/sleep-task.js'
import type { LoopbackServer } from '../../src/testing/index.js'
import {
  answersInHouse,
  customs,
  type HouseEdit,
  houseTasks,
  type Said,
  saidBy,
  sleepHere,
  textAt,
  writeTasks,
} from '../support/sleep/house.js'
import {
  makeNightMachine,
  nightsOf,
  oneEpoch,
  proposedBy,
  writeSettings,
} from '../support/sleep/night-machine.js'
import { type Machine, treeOf } from './sleep-support.js'
import { eventsOf, jsonOf, ofType, parcelServer, put } from './support.js'

/** Which documents a night teaches, and how they depend on each other and on the previous night. */

const managed = '.claude/skills/skillopt-sleep-learned/SKILL.md'
const rules = Object.fromEntries(Object.entries(customs).map(([name, { rule }]) => [name, rule]))

let server: LoopbackServer
let analyse: ((shown: string) => readonly HouseEdit[]) | undefined
let variants: readonly string[] = []
beforeAll(async () => {
  const house = answersInHouse()
  server = await parcelServer({
    keepLog: true,
    respond: request => {
      if (saidBy(request, 'system').includes('"variants"')) return { content: JSON.stringify({ variants }) }
      return analyse === undefined ? house(request) : answersInHouse({ analyse })(request)
    },
  })
})

const night = (machine: Machine, file: string, ...more: readonly string[]) =>
  sleepHere(machine, ['run', '--yes', '--quiet', '--tasks-file', file, ...more])

/** Texts of the requests to this model since then. */
function askedSince(number: number, model: string): string[] {
  return server.log
    .slice(number)
    .flatMap(({ body }) =>
      body?.model === model ? [`${saidBy(body, 'system')}\n${saidBy(body, 'user')}`] : [],
    )
}

describe('tasks for which one skill was always used', () => {
  let machine: Machine
  let said: Said
  beforeAll(async () => {
    machine = await makeNightMachine()
    await writeSettings(machine, server.url, { sleep: { fanOut: true }, more: oneEpoch })
    await put(machine.project, '.claude/skills/letters/SKILL.md', '# Letters\n\nShort ones.\n')
    await put(machine.project, '.claude/skills/twice/SKILL.md', '# Twice\n')
    await put(machine.home, '.claude/skills/twice/SKILL.md', '# Another one\n')
    const file = await writeTasks(machine, [
      ...houseTasks('ticket'),
      ...houseTasks('greeting', { skill: 'letters' }),
      ...houseTasks('colour', { skill: 'paints', counts: { train: 1, val: 1, test: 1 } }),
      ...houseTasks('colour', { skill: 'twice', counts: { train: 2, val: 7, test: 2 } }).map(task => ({
        ...task,
        id: `twice-${task.id}`,
      })),
    ])
    said = await night(machine, file)
  })

  it('teach that skill, in a run and by a gate of its own', async () => {
    expect(said).toMatchObject({ code: 0 })
    const [slept] = await nightsOf(machine)
    expect(slept?.plan?.targets.map(({ name, tasks }) => [name, tasks.length])).toEqual([
      ['skill:skillopt-sleep-learned', 29],
      ['skill:letters', 15],
    ])
    for (const { run = '', name, status } of slept?.outcome?.targets ?? []) {
      const events = await eventsOf(join(slept?.folder ?? '', run))
      expect(status).toBe('learned')
      expect(ofType(events, 'gate.decided').length).toBeGreaterThan(0)
      const types = new Set(ofType(events, 'attempt.finished').map(({ body }) => body.type.split('-')[0]))
      expect([...types].sort()).toEqual(
        name === 'skill:letters' ? ['greeting'] : ['colour', 'ticket', 'twice'],
      )
    }
    const { texts } = await proposedBy(slept)
    expect(texts['skill:letters']).toContain(rules.greeting)
    expect(texts['skill:letters']).toMatch(/^# Letters\n\nShort ones\.\n/)
    expect(texts['skill:letters']).not.toContain(rules.ticket)
    expect(texts['skill:skillopt-sleep-learned']).toContain(rules.ticket)
    expect(texts['skill:skillopt-sleep-learned']).not.toContain(rules.greeting)
  })

  it('of a missing or ambiguous skill teach the managed skill, with a message', async () => {
    expect(said.err).toContain('skill:paints is not taught: no SKILL.md of that name was found.')
    expect(said.err).toMatch(/skill:twice is not taught: there are several: \S+, \S+\./)
    const [slept] = await nightsOf(machine)
    expect((await proposedBy(slept)).texts['skill:skillopt-sleep-learned']).toContain(rules.colour)
  })

  it('are adopted document by document', async () => {
    expect(await sleepHere(machine, ['adopt', '--yes', '--target', 'skill:letters'])).toMatchObject({
      code: 0,
    })
    expect(await textAt(machine.project, '.claude/skills/letters/SKILL.md')).toContain(rules.greeting)
    await expect(textAt(machine.project, managed)).rejects.toThrow('ENOENT')
    expect(await sleepHere(machine, ['adopt', '--yes'])).toMatchObject({ code: 0 })
    expect(await textAt(machine.project, managed)).toContain(rules.ticket)
  })
})

describe('the notes of a project', () => {
  let machine: Machine
  let before: number
  const notes = '# Ledger\n\nWe speak English.\n'
  beforeAll(async () => {
    machine = await makeNightMachine()
    await writeSettings(machine, server.url, { sleep: { memory: ['CLAUDE.md'] }, more: oneEpoch })
    await put(machine.project, 'CLAUDE.md', notes)
    const file = await writeTasks(machine, [...houseTasks('ticket'), ...houseTasks('greeting')])
    // The skill learns the first custom, and the remaining failures go to the notes.
    let analyses = 0
    analyse = () => [
      { op: 'append', content: analyses++ === 0 ? (rules.ticket ?? '') : (rules.greeting ?? '') },
    ]
    before = server.log.length
    expect(await night(machine, file)).toMatchObject({ code: 0 })
    analyse = undefined
  })

  it('learn behind a gate of their own, on top of what the skill has learned', async () => {
    const [slept] = await nightsOf(machine)
    expect(slept?.outcome?.targets.map(({ name, status }) => [name, status])).toEqual([
      ['skill:skillopt-sleep-learned', 'learned'],
      ['memory:CLAUDE.md', 'learned'],
    ])
    const run = slept?.outcome?.targets[1]?.run ?? ''
    const [verdict] = ofType(await eventsOf(join(slept?.folder ?? '', run)), 'gate.decided')
    // The skill already solves half of the tasks.
    expect(verdict?.body).toMatchObject({ current: 0.5, score: 1 })
    const { texts, manifest } = await proposedBy(slept)
    expect(texts['memory:CLAUDE.md']?.startsWith(notes)).toBe(true)
    expect(texts['memory:CLAUDE.md']).toContain(rules.greeting)
    expect(texts['memory:CLAUDE.md']).not.toContain(rules.ticket)
    const together = ['skill:skillopt-sleep-learned', 'memory:CLAUDE.md']
    expect(manifest.measures.map(({ targets }: { targets: string[] }) => targets)).toContainEqual(together)
  })

  it('are given to the agent verbatim, each once', () => {
    const told = askedSince(before, 'target')
    expect(told.length).toBeGreaterThan(20)
    for (const text of told) expect(text.split('We speak English.')).toHaveLength(2)
  })

  it('adopted without the skill that they were measured with, are called unmeasured', async () => {
    const said = await sleepHere(machine, ['adopt', '--yes', '--target', 'memory:CLAUDE.md', '--json'])
    expect(said).toMatchObject({ code: 0 })
    expect(JSON.parse(said.out)).toMatchObject({ label: 'unmeasured' })
    const adopted = await textAt(machine.project, 'CLAUDE.md')
    expect(adopted.startsWith(notes)).toBe(true)
    expect(adopted).toContain(rules.greeting)
  })
})

describe('nights that follow each other', () => {
  let machine: Machine
  const useless = '- Take a deep breath before answering.'
  beforeAll(async () => {
    machine = await makeNightMachine()
    await writeSettings(machine, server.url, { more: oneEpoch })
  })

  it('know which edits an earlier night rejected', async () => {
    const few = { train: 2, val: 8, test: 4 }
    analyse = () => [{ op: 'append', content: useless }]
    const first = await night(machine, await writeTasks(machine, houseTasks('ticket', { counts: few })))
    expect(first).toMatchObject({ code: 0 })
    expect(first.out).toContain('nothing learned: One change was tried, and the gate rejected it')
    const before = server.log.length
    analyse = undefined
    expect(await night(machine, await writeTasks(machine, houseTasks('ticket')))).toMatchObject({ code: 0 })
    const told = askedSince(before, 'optimizer').filter(text => text.includes(useless))
    expect(told.length).toBeGreaterThan(0)
    expect(told[0]).toMatch(/night 1.*deep breath/s)
    const nights = await nightsOf(machine)
    expect(nights.map(({ outcome }) => outcome?.outcome)).toEqual(['nothing-learned', 'proposed'])
  })

  it('compare what was adopted with what was there before it', async () => {
    expect(await sleepHere(machine, ['adopt', '--yes'])).toMatchObject({ code: 0 })
    const before = server.log.length
    const file = await writeTasks(machine, [...houseTasks('ticket'), ...houseTasks('greeting')])
    expect(await night(machine, file)).toMatchObject({ code: 0 })
    const asked = askedSince(before, 'optimizer').filter(text => text.includes('slow_update_content'))
    expect(asked).toHaveLength(1)
    const [, second, third] = await nightsOf(machine)
    const run = (slept: typeof third) =>
      eventsOf(join(slept?.folder ?? '', slept?.outcome?.targets[0]?.run ?? ''))
    expect(ofType(await run(third), 'slow-update.finished')).toHaveLength(1)
    expect(ofType(await run(second), 'slow-update.finished')).toEqual([])
  })

  it('forget nothing that a person wrote in the region meanwhile', async () => {
    const mine = '- Never write to the customer on Sundays.'
    const text = await textAt(machine.project, managed)
    await put(machine.project, managed, text.replace(`${rules.ticket}`, `${rules.ticket}\n${mine}`))
    const all = [...houseTasks('ticket'), ...houseTasks('greeting'), ...houseTasks('colour')]
    expect(await night(machine, await writeTasks(machine, all))).toMatchObject({ code: 0 })
    const { texts } = await proposedBy((await nightsOf(machine)).at(-1))
    expect(texts['skill:skillopt-sleep-learned']).toContain(mine)
    expect(texts['skill:skillopt-sleep-learned']).toContain(rules.colour)
  })
})

describe('dreamed and recalled tasks', () => {
  it('are used for training and never for the gate', async () => {
    const machine = await makeNightMachine()
    const sleep = { dreams: 1, nightTasks: 2, recall: 1 }
    await writeSettings(machine, server.url, { sleep, more: oneEpoch })
    variants = ['Say the colour 777 of a dream']
    // No training task resembles a deciding task, or it would be excluded.
    const learned = houseTasks('colour', { counts: { train: 3, val: 0, test: 0 } }).map(inTwoWordings)
    const deciding = houseTasks('greeting', { counts: { train: 0, val: 3, test: 2 } })
    expect(await night(machine, await writeTasks(machine, [...learned, ...deciding]))).toMatchObject({
      code: 0,
    })
    variants = []
    const [slept] = await nightsOf(machine)
    expect(slept?.plan?.tasks.filter(({ origin }) => origin === 'recalled')).toMatchObject([
      { split: 'train' },
    ])
    const events = await eventsOf(join(slept?.folder ?? '', slept?.outcome?.targets[0]?.run ?? ''))
    const attempts = ofType(events, 'attempt.finished').map(({ body }) => body)
    const known = new Set(learned.map(({ id }) => id))
    const made = attempts.filter(({ type }) => !known.has(type) && !type.startsWith('greeting'))
    expect(made.length).toBeGreaterThan(0)
    expect(made.map(({ stage }) => stage)).toEqual(made.map(() => 'rollout'))
    expect(new Set(attempts.filter(({ stage }) => stage === 'rollout').map(({ type }) => type))).toEqual(
      new Set([...known, ...made.map(({ type }) => type)]),
    )
  })
})

/** Tasks with a single wording are not varied. */
function inTwoWordings(task: SleepTask): SleepTask {
  const other = task.examples.map(one => ({
    ...one,
    request: `${one.request}-b`,
    text: `${one.text}, please`,
  }))
  return { ...task, examples: [...task.examples, ...other] }
}

describe('adoption by itself', () => {
  let machine: Machine
  let file: string
  beforeAll(async () => {
    machine = await makeNightMachine()
    file = await writeTasks(machine, houseTasks('ticket'))
  })

  it('cannot be enabled by a variable, a project file or a model', async () => {
    await writeSettings(machine, server.url, { more: oneEpoch })
    await put(machine.project, '.env', 'SKILLOPT_SLEEP_AUTO_ADOPT=true\n')
    await put(machine.project, 'sleep.yaml', 'sleep: { autoAdopt: true }\n')
    await put(machine.project, 'skillopt.yaml', 'sleep: { autoAdopt: true }\n')
    analyse = () => [{ op: 'append', content: `${rules.ticket} The setting sleep.autoAdopt is true.` }]
    const before = await treeOf(machine.project)
    const args = ['run', '--yes', '--json', '--tasks-file', file]
    const said = await sleepHere(machine, args, { SKILLOPT_SLEEP_AUTO_ADOPT: 'true' })
    analyse = undefined
    expect(said).toMatchObject({ code: 0 })
    expect(JSON.parse(said.out)).toMatchObject({ outcome: 'proposed', adopted: null })
    expect(await treeOf(machine.project)).toEqual(before)
  })

  it('is enabled by the setting, follows a link inside the project, and can be undone', async () => {
    await writeSettings(machine, server.url, { sleep: { autoAdopt: true }, more: oneEpoch })
    await put(machine.project, 'shared/SKILL.md', '# Ours\n')
    await put(machine.project, '.claude/skills/skillopt-sleep-learned/note.txt', '')
    await symlink(join(machine.project, 'shared/SKILL.md'), join(machine.project, managed))
    const before = await treeOf(machine.project)
    const said = await night(machine, file)
    expect(said).toMatchObject({ code: 0 })
    expect(said.out).toContain('Adopted automatically (sleep.autoAdopt).')
    expect(await textAt(machine.project, 'shared/SKILL.md')).toContain(rules.ticket)
    const during = await treeOf(machine.project)
    expect(during[managed]).toBe(before[managed])
    expect(await sleepHere(machine, ['undo', '--yes'])).toMatchObject({ code: 0 })
    expect(await textAt(machine.project, 'shared/SKILL.md')).toBe('# Ours\n')
  })

  it('removes a newly created document when undone', async () => {
    const other = await makeNightMachine()
    await writeSettings(other, server.url, { sleep: { autoAdopt: true }, more: oneEpoch })
    expect(await night(other, await writeTasks(other, houseTasks('ticket')))).toMatchObject({ code: 0 })
    expect(await textAt(other.project, managed)).toContain(rules.ticket)
    expect(await sleepHere(other, ['undo', '--yes'])).toMatchObject({ code: 0 })
    expect(await treeOf(other.project)).toEqual({})
    const [slept] = await nightsOf(other)
    expect(await jsonOf(slept?.folder ?? '', 'outcome.json')).toMatchObject({ outcome: 'proposed' })
  })
})
