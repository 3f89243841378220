import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { holderOf } from '../../src/store/lock.js'
import { timeLimit } from '../support/time-limit.js'
import { describeInBrowser, look, picture, serve } from './dashboard-support.js'
import { eventsOf, ofType, temporaryFolder, writeProject } from './support.js'

/** A user starts a training in the dashboard, and stops and resumes it there. */

describeInBrowser('a training', { timeout: timeLimit(240_000) }, () => {
  let cwd: string
  let env: Record<string, string>
  beforeEach(async () => {
    cwd = await temporaryFolder()
    env = { HOME: join(cwd, 'home'), SKILLOPT_HOME: join(cwd, 'home', '.skillopt') }
    await writeProject(join(cwd, 'desk'), {
      sizes: { train: 40, val: 40, test: 20 },
      // Long enough to be stopped on any machine.
      config: { train: { epochs: 2, batchSize: 6, stopWhenSolved: false, patience: 0, focus: 1 } },
    })
  })

  // A training left behind by a failed test would keep running.
  afterEach(async () => {
    const holder = await holderOf(join(cwd, 'runs', 'parcels-001'))
    if (holder !== undefined) process.kill(holder.pid, 'SIGKILL')
  })

  it('is started from the form, stopped and resumed; closing the dashboard ends nothing', async () => {
    const served = await serve(cwd, env)
    const page = await look(served.url)
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    await page.getByRole('heading', { name: 'Train a skill' }).waitFor()
    const own = page.locator('#launch-project option', { hasText: 'desk' })
    await page.locator('#launch-project').selectOption((await own.getAttribute('value')) ?? '')
    await page.getByRole('searchbox', { name: 'Search in options' }).fill('train.epochs')
    const epochs = page.getByRole('textbox', { name: 'train.epochs' })
    await epochs.fill('no number')
    await page
      .getByText(/train\.epochs/)
      .first()
      .waitFor()
    expect(await page.getByRole('button', { name: /^Start/ }).count()).toBe(0)
    await picture(page, 'launch-light')
    await epochs.fill('60')
    await page.getByRole('button', { name: /^Start/ }).click()
    await page.getByRole('heading', { name: 'parcels-001', level: 1 }).waitFor()
    await page.locator('.run-nav .badge', { hasText: 'running' }).waitFor()

    // Errors of a page whose server is gone are expected.
    expect(page.misdeeds).toEqual([])
    await served.end('SIGKILL')
    const again = await serve(cwd, env)
    const second = await look(again.url)
    await second.getByRole('link', { name: 'parcels-001' }).click()
    await second.locator('.run-nav .badge', { hasText: 'running' }).waitFor()
    await second.getByRole('button', { name: 'Stop…' }).click()
    await second.getByRole('button', { name: 'Stop', exact: true }).click()
    await second.locator('.run-nav .badge', { hasText: 'interrupted' }).waitFor()
    const stops = ofType(await eventsOf(join(cwd, 'runs', 'parcels-001')), 'run.stopped')
    expect(stops.map(({ body }) => body.reason)).toEqual(['interrupted'])

    await second.getByRole('button', { name: 'Resume…' }).click()
    await second.getByRole('button', { name: 'Resume', exact: true }).click()
    await second.locator('.run-nav .badge', { hasText: 'running' }).waitFor()
    await second.getByRole('button', { name: 'Stop…' }).click()
    await second.getByRole('button', { name: 'Stop', exact: true }).click()
    await second.locator('.run-nav .badge', { hasText: 'interrupted' }).waitFor()
    expect(second.misdeeds).toEqual([])
    await again.end()
  })
})
