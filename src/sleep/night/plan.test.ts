import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endOf } from '../../../test/support/night.js'
import { sleepTask } from '../../../test/support/sleep-book.js'
import { nightFormat } from '../model/night-record.js'
import type { SleepTask } from '../model/sleep-task.js'
import type { Night } from '../nights/nights.js'
import { loadSettings } from '../settings/settings.js'
import { type NightTasks, type Planned, planNight } from './plan.js'

let root: string
let project: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-plan-')))
  project = join(root, 'shop')
  await mkdir(project)
})
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))

const models = { 'models.target': 'openai/small', 'models.optimizer': 'openai/large' }
const rubric = ['It is done.']
const tasks = [
  sleepTask('learn', { rubric }),
  sleepTask('judge', { rubric, split: 'val' }),
  sleepTask('keep', { rubric, split: 'test' }),
]

interface Asked extends Partial<NightTasks> {
  readonly flags?: Record<string, unknown>
  readonly earlier?: readonly Night[]
}

async function plan({ flags = {}, earlier = [], ...given }: Asked = {}): Promise<Planned> {
  const env = { HOME: join(root, 'home'), SKILLOPT_HOME: join(root, 'kept') }
  const settings = await loadSettings({ env, cwd: root, flags: { ...models, ...flags } })
  const place = { project: { root: project, folder: join(root, 'kept') }, folder: join(root, 'night') }
  return planNight(
    { tasks, sessions: 4, recurring: 3, mining: undefined, ...given },
    { ...place, settings, earlier, roots: [project], env, cwd: root },
  )
}

async function planned(asked: Asked = {}) {
  const found = await plan(asked)
  if ('outcome' in found) throw new Error(found.reason)
  return found
}

const ids = (given: readonly SleepTask[]) => given.map(({ id }) => id)

describe('nothing to learn', () => {
  const cases: readonly (readonly [string, Partial<NightTasks>, RegExp])[] = [
    ['no session', { tasks: [], sessions: 0, recurring: 0 }, /^No sessions were found/],
    ['nothing recurs', { tasks: [], recurring: 0 }, /^Nothing recurs/],
    ['what recurs has become no task', { tasks: [] }, /^Something recurs, but no task came of it/],
    ['nothing to learn from', { tasks: tasks.slice(1) }, /^No task is there to learn from/],
    ['nothing to judge by', { tasks: tasks.slice(0, 1) }, /^No task is there to judge by/],
    [
      'tasks that nothing can score',
      { tasks: [sleepTask('learn', { rubric }), sleepTask('judge', { split: 'val' })] },
      /1 more cannot be scored: give them a rubric/,
    ],
  ]
  it.each(cases)('%s', async (_name, given, reason) => {
    expect(await plan(given)).toEqual({
      outcome: 'nothing-to-learn',
      reason: expect.stringMatching(reason),
    })
  })
})

describe('a plan', () => {
  it('pins tasks, documents and models', async () => {
    await writeFile(join(project, 'CLAUDE.md'), '# Notes\n')
    const found = await planned({ flags: { 'sleep.memory': ['CLAUDE.md'] }, mining: '/runs/mining' })
    expect(found.plan).toMatchObject({
      format: nightFormat,
      sessions: 4,
      mining: '/runs/mining',
      roots: [project],
      commits: {},
      models: { target: 'openai/small', optimizer: 'openai/large', judge: 'openai/large' },
      memory: [{ name: 'memory:CLAUDE.md', text: '# Notes\n' }],
    })
    expect(ids(found.plan.tasks)).toEqual(['learn', 'judge', 'keep'])
    expect(found.plan.targets.map(({ name, tasks: own }) => [name, own.length])).toEqual([
      ['skill:skillopt-sleep-learned', 3],
      ['memory:CLAUDE.md', 3],
    ])
    // There are no notices about commits for a model that cannot use them.
    expect(found.notices).toEqual([])
  })

  it('has no judge if no task has a rubric', async () => {
    const checked = tasks.map(task => ({
      ...task,
      rubric: [],
      checks: [{ op: 'contains' as const, arg: 'x' }],
    }))
    const { plan: found } = await planned({ tasks: checked })
    expect(Object.keys(found.models)).toEqual(['target', 'optimizer'])
  })

  it('requires a target model', async () => {
    const nobody = { 'models.target': 'none/none', 'models.optimizer': 'none/none' }
    const unknown = tasks.map(task => ({ ...task, evidence: { ...task.evidence, sessions: ['unknown:1'] } }))
    await expect(plan({ flags: nobody, tasks: unknown })).rejects.toThrow('Nobody is named who could try')
  })

  it("includes the project's notes once if one is a link to the other", async () => {
    await writeFile(join(project, 'AGENTS.md'), '# Notes\n')
    await symlink('AGENTS.md', join(project, 'CLAUDE.md'))
    expect((await planned()).plan.memory).toHaveLength(1)
    await rm(join(project, 'CLAUDE.md'))
    await writeFile(join(root, 'secret'), 'not yours\n')
    await symlink(join(root, 'secret'), join(project, 'CLAUDE.md'))
    expect(JSON.stringify((await planned()).plan.memory)).not.toContain('not yours')
  })

  it('skips a skill without validation tasks and reports it', async () => {
    const skill = 'letters'
    await mkdir(join(project, '.claude/skills/letters'), { recursive: true })
    await writeFile(join(project, '.claude/skills/letters/SKILL.md'), '# Letters\n')
    const given = [...tasks, sleepTask('write', { rubric, skill })]
    const { plan: found, notices } = await planned({ flags: { 'sleep.fanOut': true }, tasks: given })
    expect(found.targets.map(({ name }) => name)).toEqual(['skill:skillopt-sleep-learned'])
    expect(notices).toEqual(['skill:letters is not taught: it has no task to judge by.'])
  })
})

describe('the fingerprint of a night', () => {
  const fingerprint = async (asked: Asked = {}) => (await planned(asked)).plan.fingerprint

  it('is stable as long as no relevant input changes', async () => {
    const first = await fingerprint()
    expect(await fingerprint()).toBe(first)
    expect(await fingerprint({ sessions: 9, recurring: 8 })).toBe(first)
    expect(await fingerprint({ flags: { 'limits.maxCalls': 9 } })).toBe(first)
  })

  it('changes with tasks, documents, models or settings', async () => {
    const more = [...tasks, sleepTask('more', { rubric })]
    const found = [
      await fingerprint(),
      await fingerprint({ tasks: more }),
      await fingerprint({ tasks: tasks.map(task => ({ ...task, rubric: ['It is done well.'] })) }),
      await fingerprint({ flags: { 'models.target': 'openai/other' } }),
      await fingerprint({ flags: { 'train.epochs': 5 } }),
      await fingerprint({ flags: { 'sleep.memory': ['CLAUDE.md'] } }),
    ]
    expect(new Set(found).size).toBe(found.length)
  })

  it('prevents the next night from repeating the same calls', async () => {
    const { plan: found } = await planned()
    const earlier: Night = {
      number: 7,
      folder: join(root, 'night'),
      plan: found,
      proposal: undefined,
      begun: { format: nightFormat, number: 7, project, at: '2026-01-31T02:00:00Z' },
      outcome: { ...endOf(), outcome: 'nothing-learned' },
    }
    expect(await plan({ earlier: [earlier] })).toEqual({
      outcome: 'nothing-new',
      reason: expect.stringContaining('night 7, which found nothing better'),
    })
    await writeFile(join(project, 'CLAUDE.md'), '# Notes\n')
    expect(await plan({ earlier: [earlier], flags: { 'sleep.memory': ['CLAUDE.md'] } })).toHaveProperty(
      'plan',
    )
  })
})
