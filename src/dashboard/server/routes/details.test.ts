import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeDashboardWorld, openPage, writeRun } from '../../../../test/support/dashboard.js'
import { testTrials, trialsLog } from '../../../../test/support/trials-run.js'

let world: Awaited<ReturnType<typeof makeDashboardWorld>>
let page: Awaited<ReturnType<typeof openPage>>
beforeAll(async () => {
  world = await makeDashboardWorld()
  await writeRun(world.place('desk', 'runs', 'trials-001'), testTrials(trialsLog()))
  page = await openPage(await world.start())
})
afterAll(() => world.end())

async function tested(name: string): Promise<unknown> {
  const runs = JSON.parse((await page.get('/api/runs')).body) as readonly { id: string; directory: string }[]
  const id = runs.find(({ directory }) => directory.endsWith(name))?.id ?? ''
  return JSON.parse((await page.get(`/api/runs/${id}/tested`)).body)
}

it('compares the best skill with the initial one on the test split, task by task', async () => {
  expect(await tested('trials-001')).toEqual({
    tested: { tasks: 10, better: 8, worse: 0, difference: expect.objectContaining({ mean: 0.8 }) },
  })
})

it('has nothing to compare where scores of single tasks are not recorded', async () => {
  expect(await tested('sums-001')).toEqual({ tested: null })
})
