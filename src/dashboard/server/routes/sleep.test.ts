import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Hono } from 'hono'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { edits, personsMemory, personsSkill, snapshot } from '../../../../test/support/adoption.js'
import { makeNightWorld, type NightWorld } from '../../../../test/support/night.js'
import { shownBook } from '../../../../test/support/sleep-book.js'
import { updateBook } from '../../../sleep/book/book.js'
import type { ProposalEdit } from '../../../sleep/model/proposal.js'
import { forceHint } from '../../../sleep/model/wording.js'
import { beginNight } from '../../../sleep/nights/nights.js'
import { openProject } from '../../../sleep/settings/places.js'
import type { RunSummary } from '../../contract/runs.js'
import type {
  SleepChoice,
  SleepNight,
  SleepOverview,
  SleepPreview,
  SleepProjects,
  SleepTaskDetail,
  SleepTasks,
} from '../../contract/sleep.js'
import type { ServerContext } from '../context.js'
import { tellNothingThere, tellProblem } from '../problems.js'
import { sleepRoutes } from './sleep.js'

let world: NightWorld
let end: AbortController
let unexpected: unknown[]
/** The default app, started in the project. */
let usual: Hono
beforeEach(async () => {
  world = await makeNightWorld()
  end = new AbortController()
  unexpected = []
  usual = appFor()
})
afterEach(async () => {
  end.abort()
  await world.end()
  expect(unexpected).toEqual([])
})

async function anew(options: Parameters<typeof makeNightWorld>[0]): Promise<void> {
  await world.end()
  world = await makeNightWorld(options)
  usual = appFor()
}

const nightRun = (project: string, id: string, name: string): RunSummary => ({
  id,
  name,
  directory: `kept/nights/001/runs/${name}`,
  state: 'finished',
  kind: 'train',
  simulated: false,
  environment: 'sleep-tasks',
  models: {},
  startedAt: 0,
  lastAt: 0,
  activeMs: 0,
  epoch: 1,
  epochs: 1,
  step: 1,
  steps: 1,
  calls: 0,
  tokens: 0,
  unknownUsage: 0,
  cost: 0,
  unknownCost: 0,
  spark: [],
  sleep: { project, night: 1 },
})

function appFor(given: Partial<Pick<ServerContext, 'cwd' | 'folders'>> = {}): Hono {
  const context: ServerContext = {
    runs: {
      list: async () => [
        nightRun(world.project, 'run-7', 'skill-tests'),
        nightRun(world.project, 'run-8', 'mining'),
        nightRun('/another/project', 'run-9', 'skill-tests'),
      ],
      watch: () => () => undefined,
      open: async () => {
        throw new Error('no run is opened here')
      },
      close: async () => undefined,
    },
    cwd: world.project,
    folders: [world.project],
    env: world.env,
    signal: end.signal,
    ...given,
  }
  const app = new Hono()
  app.onError(tellProblem(error => unexpected.push(error)))
  app.notFound(tellNothingThere)
  return app.route('/api', sleepRoutes(context))
}

async function get<T>(path: string, app = usual): Promise<T> {
  const response = await app.request(`/api/sleep${path}`)
  expect({ path, status: response.status }).toEqual({ path, status: 200 })
  return (await response.json()) as T
}

async function send(path: string, body: unknown, app = usual) {
  const response = await app.request(`/api/sleep${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as { error?: string; hint?: string } & Record<string, unknown>
  return { status: response.status, ...answer }
}

async function projectId(app = usual): Promise<string> {
  const { projects } = await get<SleepProjects>('', app)
  return projects[0]?.id ?? ''
}

const all: SleepChoice = { targets: ['skill:tests', 'memory:CLAUDE.md', 'skill:fresh'] }

async function seenOf(id: string, choice: SleepChoice): Promise<string> {
  const { seen } = (await send(`/${id}/nights/1/preview`, choice)) as unknown as SleepPreview
  return seen
}

const texts = async () => ({
  skill: await readFile(world.files.skill, 'utf8'),
  memory: await readFile(world.files.memory, 'utf8'),
})

describe('projects', () => {
  it('shows the one here, and those that Sleep knows in the chosen folders', async () => {
    const { projects, elsewhere } = await get<SleepProjects>('')
    expect(projects).toMatchObject([
      { isHere: true, isKnown: true, lastNight: { number: 1, outcome: 'proposed' }, waiting: 1 },
    ])
    expect(elsewhere).toBe(0)

    const outside = appFor({ cwd: world.root, folders: [] })
    const seenFromAbove = await get<SleepProjects>('', outside)
    expect(seenFromAbove.projects.map(({ folder, isHere }) => [folder, isHere])).toEqual([
      [world.root, true],
      ['project', false],
    ])
  })

  it('does not show what lies elsewhere, nor answer for it', async () => {
    const id = await projectId()
    const app = appFor({ cwd: join(world.project, '.claude'), folders: [] })
    const { projects, elsewhere } = await get<SleepProjects>('', app)
    expect(projects).toMatchObject([{ isHere: true, isKnown: false }])
    expect(elsewhere).toBe(1)
    expect((await app.request(`/api/sleep/${id}`)).status).toBe(404)
  })

  it('finds no unknown ids, nights or tasks', async () => {
    const id = await projectId()
    const before = await snapshot(world.root)
    const forged = ['x', '..', '%2e%2e', '..%2f..%2fetc', encodeURIComponent(world.project), '%00']
    for (const name of forged) {
      for (const path of [`/${name}`, `/${name}/tasks`, `/${id}/tasks/${name}`, `/${id}/nights/${name}`]) {
        const response = await usual.request(`/api/sleep${path}`)
        expect({ path, status: response.status }).toEqual({ path, status: 404 })
      }
      expect(await send(`/${name}/undo`, { receipt: 1, force: true })).toMatchObject({ status: 404 })
    }
    for (const night of ['0', '2', '-1', '1.0', '001', '1e0', '99999999'])
      expect((await usual.request(`/api/sleep/${id}/nights/${night}`)).status).toBe(404)
    expect(await snapshot(world.root)).toEqual(before)
  })
})

describe('a project', () => {
  it('matches `sleep status`, and links the runs of its nights', async () => {
    const overview = await get<SleepOverview>(`/${await projectId()}`)
    expect(overview).toMatchObject({
      line: { waiting: 1, problems: [] },
      waiting: { night: 1, edits: 4, targets: all.targets, changed: [], simulated: false },
      nights: [
        {
          number: 1,
          proposal: 'waits',
          end: { outcome: 'proposed', sessions: 4, tasks: 3, spent: { calls: 40, cost: 0.25 } },
          targets: [{ name: 'skill:tests', status: 'learned', run: 'run-7', test: { tasks: 12 } }],
        },
      ],
      receipts: [],
      commands: { run: 'skillopt sleep run' },
    })
  })

  it('names the project in commands where the dashboard was started elsewhere', async () => {
    const app = appFor({ cwd: world.root, folders: [] })
    const { projects } = await get<SleepProjects>('', app)
    const { commands } = await get<SleepOverview>(`/${projects[1]?.id}`, app)
    expect(commands.unschedule).toBe('skillopt sleep unschedule --project project')
  })

  it('is empty if Sleep does not know it', async () => {
    const app = appFor({ cwd: join(world.project, '.claude') })
    const overview = await get<SleepOverview>(`/${await projectId(app)}`, app)
    expect(overview).toMatchObject({ line: { isKnown: false }, nights: [], receipts: [] })
    expect(overview.waiting).toBeUndefined()
  })

  it('shows an interrupted night, and later changes of the files', async () => {
    await beginNight(world.kept.folder, {
      format: 'skillopt.sleep.night.v1',
      number: 2,
      project: world.project,
      at: '2026-02-01T02:00:00Z',
    })
    await writeFile(world.files.memory, `${personsMemory}Mine.\n`)
    const overview = await get<SleepOverview>(`/${await projectId()}`)
    expect(overview.openNight).toMatchObject({ number: 2, isAtWork: false })
    expect(overview.nights.map(({ number }) => number)).toEqual([2, 1])
    expect(overview.waiting?.changed[0]).toContain('was changed since, around the region')
  })

  it('reports damage, and shows the rest', async () => {
    await writeFile(join(world.kept.folder, 'tasks.json'), '{')
    await writeFile(join(world.proposalFolder, 'proposal.json'), '{}')
    const id = await projectId()
    const overview = await get<SleepOverview>(`/${id}`)
    expect(overview.line.problems).toHaveLength(2)
    expect(overview.nights).toMatchObject([{ number: 1, proposal: 'damaged' }])
    expect((await get<SleepNight>(`/${id}/nights/1`)).problem).toContain('cannot be used')
  })

  it('shows the end of the log of its nights', async () => {
    const id = await projectId()
    expect(await get(`/${id}/log`)).toMatchObject({ isWhole: true })
    await writeFile(join(world.kept.folder, 'nights.log'), `${'x'.repeat(70_000)}\nthe end\u001b[2J\n`)
    expect(await get(`/${id}/log`)).toMatchObject({ isWhole: false, text: 'the end⟨U+001B⟩[2J\n' })
  })
})

describe('tasks', () => {
  it('have their evidence, examples and checks; dropped ones too', async () => {
    const { root, folder } = await openProject('.', { env: world.env, cwd: world.project })
    await updateBook(folder, root, () => {
      const book = shownBook(root)
      const [first, ...rest] = book.tasks
      if (first === undefined) throw new Error('the book is empty')
      const { id, intent } = first
      const dropped = [{ id, intent, at: '2026-10-09T00:00:00Z', requestIds: ['r'], task: first }]
      return { ...book, tasks: rest, dropped, sessions: { codex: 3 } }
    })
    const id = await projectId()
    const { tasks, sessions } = await get<SleepTasks>(`/${id}/tasks`)
    expect(sessions).toEqual([{ source: 'codex', sessions: 3 }])
    expect(tasks.map(task => [task.id, task.split, task.droppedAt !== undefined])).toEqual([
      ['update-the-changelog', 'val', false],
      ['review-a-migration', 'test', false],
      ['write-commit-messages', 'train', true],
    ])
    const detail = await get<SleepTaskDetail>(`/${id}/tasks/write-commit-messages`)
    expect(detail).toMatchObject({
      line: { occasions: 6, requests: 7, sessions: 2, days: 4, reworked: 2 },
      rubric: ['The subject names what changes for users.', 'The body says why.'],
      checks: ['max_chars 400'],
      period: '2026-10-01 to 2026-10-07',
      examples: [{ session: 'claude-code:41c2', text: 'commit this with a good message' }, {}],
      failures: [{ kind: 'correction' }],
      commands: { restore: 'skillopt sleep tasks restore write-commit-messages' },
    })
  })

  it('say which edits were made from them', async () => {
    const { root, folder } = await openProject('.', { env: world.env, cwd: world.project })
    await updateBook(folder, root, book => {
      const [task] = shownBook(root).tasks
      return task === undefined ? book : { ...book, tasks: [{ ...task, id: 't1' }] }
    })
    const id = await projectId()
    const detail = await get<SleepTaskDetail>(`/${id}/tasks/t1`)
    expect(detail.taught).toEqual([{ night: 1, edits: 5 }])
    const { proposal } = await get<SleepNight>(`/${id}/nights/1`)
    expect(proposal?.edits[0]?.tasks).toEqual([
      { id: 't1', isKept: true, intent: 'Run the tests of the project.' },
    ])
  })
})

describe('a proposal', () => {
  it('has diffs, measures and evidence for each edit', async () => {
    const { proposal, night, plan, mining } = await get<SleepNight>(`/${await projectId()}/nights/1`)
    expect(night).toMatchObject({ number: 1, proposal: 'waits' })
    expect(mining).toBe('run-8')
    expect(plan).toMatchObject({ sessions: 4, tasks: { real: 3, dream: 0, recalled: 0 } })
    expect(proposal).toMatchObject({
      verdict: { accepted: true, reason: 'Better on held-out tasks.' },
      open: all.targets,
      targets: [
        {
          name: 'skill:tests',
          path: join('.claude', 'skills', 'tests', 'SKILL.md'),
          isNew: false,
          measures: [{ on: 'On tasks that the night had not seen', together: ['memory:CLAUDE.md'] }],
        },
        { name: 'memory:CLAUDE.md' },
        { name: 'skill:fresh', isNew: true, diff: { before: '' } },
      ],
    })
    expect(proposal?.targets[0]?.diff.before).toContain('- Old rule.\n')
    expect(proposal?.targets[0]?.diff.after).toContain('- New rule.\n')
    expect(proposal?.edits[1]).toMatchObject({
      id: 'e2',
      op: 'replace',
      anchor: 'Old rule.',
      content: 'New rule.',
      why: 'It failed.',
      status: 'proposed',
      sessions: 1,
      period: '2026-10-01 to 2026-10-07',
    })
    expect(proposal?.edits.map(({ status }) => status).at(-1)).toBe('rejected')
  })

  it('says why it cannot be adopted as it is', async () => {
    await writeFile(world.files.skill, personsSkill.replace('Old', 'My'))
    const id = await projectId()
    const { proposal } = await get<SleepNight>(`/${id}/nights/1`)
    expect(proposal?.targets[0]?.problem).toContain('was changed since the proposal.')
    expect(proposal?.changed[0]).toContain('only single edits can be adopted')
    expect(await send(`/${id}/nights/1/preview`, all)).toMatchObject({ status: 400 })
    const single = { targets: ['skill:tests'], edits: ['e1'] }
    expect(await send(`/${id}/nights/1/preview`, single)).toMatchObject({ status: 200 })
  })

  it('shows markup as text and makes invisible characters visible', async () => {
    const nasty = '<img src=x onerror=alert(1)>\u202e\u200b\u001b]0;x\u0007'
    const hidden: ProposalEdit = { ...(edits[0] as ProposalEdit), id: 'x', content: nasty, why: nasty }
    await anew({ change: proposal => ({ ...proposal, edits: [...edits, hidden] }) })
    const { proposal } = await get<SleepNight>(`/${await projectId()}/nights/1`)
    const edit = proposal?.edits.at(-1)
    expect(edit?.content).toBe('<img src=x onerror=alert(1)>⟨U+202E⟩⟨U+200B⟩⟨U+001B⟩]0;x⟨U+0007⟩')
    expect(edit?.warning).toContain('4 characters in it that one does not see')
    expect(JSON.stringify(proposal)).not.toMatch(/[\u200b\u202e]/)
  })

  it('that was not accepted offers nothing', async () => {
    await anew({ change: one => ({ ...one, verdict: { accepted: false, reason: 'It does worse.' } }) })
    const id = await projectId()
    const { proposal, night } = await get<SleepNight>(`/${id}/nights/1`)
    expect(proposal).toMatchObject({ open: [], verdict: { accepted: false } })
    expect(night.proposal).toBe('not accepted')
    expect(await send(`/${id}/nights/1/preview`, all)).toMatchObject({ status: 400 })
  })
})

describe('preview', () => {
  it('shows exactly the choice, changes nothing, and says what was not measured', async () => {
    const id = await projectId()
    const before = await snapshot(world.root)
    const whole = (await send(`/${id}/nights/1/preview`, all)) as unknown as SleepPreview
    expect(whole.unmeasured).toBeUndefined()
    expect(whole.changes.map(({ name, isNew }) => [name, isNew])).toEqual([
      ['skill:tests', false],
      ['memory:CLAUDE.md', false],
      ['skill:fresh', true],
    ])
    const part = { targets: ['skill:tests'], edits: ['e2'] }
    const single = (await send(`/${id}/nights/1/preview`, part)) as unknown as SleepPreview
    expect(single.unmeasured).toContain('Only some of the edits were chosen')
    expect(single.changes).toHaveLength(1)
    expect(single.changes[0]?.after).not.toContain('Run them twice')
    expect(single.seen).not.toBe(whole.seen)
    expect(single.measureCommand).toBe('skillopt sleep adopt --night 1 --edit e2 --measure --max-cost 1')
    expect(await snapshot(world.root)).toEqual(before)
  })

  it('refuses an invalid choice', async () => {
    const id = await projectId()
    const bodies = [
      {},
      { targets: 'skill:tests' },
      { targets: [] },
      { targets: ['skill:other'] },
      { targets: ['skill:tests'], edits: [] },
      { targets: ['skill:tests'], edits: ['e3'] },
      { targets: ['skill:tests'], edits: ['e5'] },
      { ...all, folder: '/etc' },
    ]
    for (const body of bodies)
      expect(await send(`/${id}/nights/1/preview`, body)).toMatchObject({ status: 400 })
  })
})

describe('adopt and undo', () => {
  it('adopts the preview once, and undoes it byte for byte', async () => {
    const id = await projectId()
    const before = await snapshot(world.project)
    const adopted = await send(`/${id}/nights/1/adopt`, { choice: all, seen: await seenOf(id, all) })
    expect(adopted).toMatchObject({
      status: 200,
      receipt: { number: 1, kind: 'adopt', label: 'measured', night: 1, stands: true, isNewest: true },
    })
    expect((await texts()).skill).toContain('- New rule.')
    const overview = await get<SleepOverview>(`/${id}`)
    expect(overview.waiting).toBeUndefined()
    expect(overview.nights[0]?.proposal).toBe('adopted')
    expect(overview.receipts[0]?.files.map(({ how }) => how)).toEqual([
      'region changed',
      'region changed',
      'made',
    ])

    const again = await send(`/${id}/nights/1/preview`, all)
    expect(again).toMatchObject({ status: 400, error: expect.stringContaining('was adopted already') })
    const forced = await send(`/${id}/nights/1/adopt`, { choice: all, seen: '0'.repeat(64) })
    expect(forced).toMatchObject({ status: 400, error: expect.stringContaining('was adopted already') })

    expect(await send(`/${id}/undo`, { receipt: 2, force: false })).toMatchObject({ status: 400 })
    const undone = await send(`/${id}/undo`, { receipt: 1, force: false })
    expect(undone).toMatchObject({ status: 200, receipt: { number: 2, kind: 'undo', undoes: 1 } })
    expect(await snapshot(world.project)).toEqual(before)
    expect(await send(`/${id}/undo`, { receipt: 1, force: false })).toMatchObject({ status: 400 })
    expect((await get<SleepOverview>(`/${id}`)).waiting?.night).toBe(1)
  })

  it('refuses an outdated preview', async () => {
    const id = await projectId()
    const seen = await seenOf(id, all)
    await writeFile(world.files.memory, `${personsMemory}Mine since.\n`)
    const before = await snapshot(world.project)
    const stale = await send(`/${id}/nights/1/adopt`, { choice: all, seen })
    expect(stale).toMatchObject({ status: 400, error: expect.stringContaining('not what was shown') })
    const other: SleepChoice = { targets: ['skill:tests'], edits: ['e1'] }
    expect(await send(`/${id}/nights/1/adopt`, { choice: other, seen })).toMatchObject({ status: 400 })
    expect(await snapshot(world.project)).toEqual(before)
    const adopted = await send(`/${id}/nights/1/adopt`, { choice: all, seen: await seenOf(id, all) })
    expect(adopted).toMatchObject({ status: 200, receipt: { label: 'unmeasured' } })
    expect((await texts()).memory).toContain('Mine since.')
  })

  it('adopts single edits, labelled unmeasured', async () => {
    const id = await projectId()
    const choice: SleepChoice = { targets: ['skill:tests'], edits: ['e2'] }
    const adopted = await send(`/${id}/nights/1/adopt`, { choice, seen: await seenOf(id, choice) })
    expect(adopted).toMatchObject({ status: 200, receipt: { label: 'unmeasured', edits: ['e2'] } })
    expect((await texts()).skill).toBe(personsSkill.replace('Old rule.', 'New rule.'))
    const { night, proposal } = await get<SleepNight>(`/${id}/nights/1`)
    expect(night.proposal).toBe('adopted in part')
    expect(proposal?.open).toEqual(['memory:CLAUDE.md', 'skill:fresh'])
  })

  it('undoes a changed region only by force', async () => {
    const id = await projectId()
    await send(`/${id}/nights/1/adopt`, { choice: all, seen: await seenOf(id, all) })
    const { memory } = await texts()
    await writeFile(world.files.memory, memory.replace('French', 'Danish'))
    const refused = await send(`/${id}/undo`, { receipt: 1, force: false })
    expect(refused).toMatchObject({
      status: 400,
      error: expect.stringContaining('since it was adopted'),
      hint: forceHint,
    })
    expect(await send(`/${id}/undo`, { receipt: 1, force: true })).toMatchObject({ status: 200 })
    expect((await texts()).skill).toBe(personsSkill)
  })

  it('reports an interrupted adoption, and settles it on request', async () => {
    const id = await projectId()
    await send(`/${id}/nights/1/adopt`, { choice: all, seen: await seenOf(id, all) })
    const state = join(world.kept.folder, 'adoption')
    const receipt = await readFile(join(state, 'receipts', '000001.json'), 'utf8')
    await writeFile(join(state, 'journal.json'), receipt)
    const before = await snapshot(world.root)
    expect((await get<SleepOverview>(`/${id}`)).unfinished).toContain('or was stopped in the middle')
    expect(await snapshot(world.root)).toEqual(before)
    expect(await send(`/${id}/settle`, {})).toMatchObject({
      settled: expect.stringContaining('it is complete'),
    })
    expect((await get<SleepOverview>(`/${id}`)).unfinished).toBeUndefined()
  })

  it('writes only where the settings allow it', async () => {
    const file = join(world.proposalFolder, 'proposal.json')
    const given = JSON.parse(await readFile(file, 'utf8')) as { roots: string[] }
    await writeFile(file, JSON.stringify({ ...given, roots: [...given.roots, world.root] }))
    const id = await projectId()
    expect(await send(`/${id}/nights/1/preview`, all)).toMatchObject({
      status: 400,
      error: expect.stringContaining('which Sleep may not write to.'),
    })
  })
})

describe('live', () => {
  it('tells when something changes, and ends with the server', async () => {
    const id = await projectId()
    const response = await usual.request('/api/sleep/live')
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    if (reader === undefined) throw new Error('the stream has no body')
    expect((await reader.read()).value).toContain(': here')
    await send(`/${id}/nights/1/adopt`, { choice: all, seen: await seenOf(id, all) })
    expect((await reader.read()).value).toContain('event: changed\n')
    end.abort()
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
      expect(chunk.value).toContain('event: changed\n')
  })
})
