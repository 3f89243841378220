import { basename } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeDashboardWorld, openPage, writeRun } from '../../../../test/support/dashboard.js'
import { LogBuilder, sampleLog, seedHash } from '../../../../test/support/sample-run.js'
import { comparedAtMost, type RunComparison } from '../../contract/compare.js'
import type { RunSummary } from '../../contract/runs.js'

let world: Awaited<ReturnType<typeof makeDashboardWorld>>
let page: Awaited<ReturnType<typeof openPage>>
let ids: ReadonlyMap<string, string>
beforeAll(async () => {
  world = await makeDashboardWorld()
  const other = sampleLog()
  const [started] = other.events
  if (started?.type === 'run.started')
    other.events[0] = { ...started, body: { ...started.body, config: { name: 'other' } } }
  await writeRun(world.place('desk', 'runs', 'other'), other)
  const bare = new LogBuilder().start()
  const [text, origins] = [bare.put(''), bare.put('[]')]
  bare.add('skill.version', { version: 0, skill: seedHash, text, origins, because: 'seed' })
  await writeRun(world.place('desk', 'runs', 'bare'), bare)
  page = await openPage(await world.start())
  const runs = JSON.parse((await page.get('/api/runs')).body) as readonly RunSummary[]
  ids = new Map(runs.map(({ id, directory }) => [basename(directory), id]))
})
afterAll(() => world.end())

const idOf = (name: string) => ids.get(name) ?? 'none'

async function compare(...names: readonly string[]) {
  const { status, body } = await page.get(`/api/compare?${names.map(name => `run=${name}`).join('&')}`)
  return { status, ...(JSON.parse(body) as RunComparison & { readonly error?: string; hint?: string }) }
}

it('compares runs in the requested order', async () => {
  const both = await compare(idOf('other'), idOf('sums-001'))
  expect(both.runs.map(({ summary }) => summary.id)).toEqual([idOf('other'), idOf('sums-001')])
  expect(both.runs[0]).toMatchObject({
    seed: { lines: 3, tokens: expect.any(Number) },
    best: { lines: 4, tokens: expect.any(Number) },
    points: [{ step: 0 }, { step: 1 }, { step: 2 }],
  })
  expect(both.runs[0]?.best?.tokens).toBeGreaterThan(both.runs[0]?.seed?.tokens ?? 0)
  expect(both.settings.find(({ path }) => path === 'name')).toEqual({
    path: 'name',
    values: ['"other"', '"sample"'],
  })
  expect(both.settings.find(({ path }) => path === 'train.epochs')?.values).toEqual([null, '2'])
})

it('reports no lines for an empty skill, and omits what does not exist yet', async () => {
  const { runs } = await compare(idOf('bare'))
  expect(runs).toMatchObject([{ points: [], seed: { lines: 0, tokens: 0 } }])
  expect(runs[0]).not.toHaveProperty('best')
})

it('lists a run once even if it is named twice', async () => {
  const { runs, settings } = await compare(idOf('bare'), idOf('bare'))
  expect({ count: runs.length, settings }).toEqual({ count: 1, settings: [] })
})

it('refuses no runs, too many runs and unknown runs', async () => {
  expect(await compare()).toMatchObject({ status: 400, error: 'No run was named to compare.' })
  const many = Array.from({ length: comparedAtMost + 1 }, (_, index) => `run-${index}`)
  expect(await compare(...many)).toMatchObject({
    status: 400,
    error: '13 runs are too many for one chart.',
    hint: 'Choose 12 or fewer.',
  })
  expect(await compare(idOf('bare'), 'nobody')).toMatchObject({
    status: 404,
    error: 'There is no such run here.',
  })
})
