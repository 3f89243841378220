import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { holderOf } from '../../src/store/lock.js'
import { timeLimit } from '../support/time-limit.js'
import { describeInBrowser, expectAccessible, look, picture, serve } from './dashboard-support.js'
import { type Finished, jsonOf, start, temporaryFolder, textOf, writeProject } from './support.js'

/** A user follows a training in the dashboard, from its start to the lines that it wrote. */

interface Summary {
  readonly best: { readonly version: number; readonly score: number }
  readonly baseline: { readonly score: number }
}

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

  it('is watched from start to finish, its decisions and lines are read, its attempts compared', async () => {
    const served = await serve(cwd, env)
    const page = await look(served.url)
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    await page.getByRole('heading', { name: /no runs/i }).waitFor()
    await expectAccessible(page, 'no runs yet')

    const training = start(['train', 'desk', '--yes', '--quiet', '--set', 'train.epochs=3'], { cwd, env })
    const ended: { finished?: Finished } = {}
    void training.finished.then(finished => Object.assign(ended, { finished }))
    await page.getByRole('link', { name: 'parcels-001' }).click()
    await page.getByRole('heading', { name: 'parcels-001', level: 1 }).waitFor()
    // While it runs: the stage and the progress.
    await page.locator('.run-nav .badge', { hasText: 'running' }).waitFor()
    await page
      .getByRole('heading', { name: /step \d+|stages|at work/i })
      .first()
      .waitFor()
    expect(ended.finished).toBeUndefined()
    await page.getByRole('link', { name: 'Step 1' }).first().waitFor()
    await page.locator('.run-nav .badge', { hasText: 'finished' }).waitFor({ timeout: timeLimit(90_000) })
    expect((await training.finished).code).toBe(0)

    const { best, baseline } = (await jsonOf(join(cwd, 'runs', 'parcels-001'), 'summary.json')) as Summary
    const percent = (score: number) => `${(100 * score).toFixed(1)}%`
    const stats = page.locator('.stats').first()
    await expect
      .poll(() => stats.textContent())
      .toContain(`${percent(baseline.score)} → ${percent(best.score)}`)
    await page.getByRole('heading', { name: 'On the test split' }).waitFor()
    await picture(page, 'run-light')

    // A gate decision and its evidence.
    await page.getByRole('link', { name: 'Step 1' }).first().click()
    await page.getByRole('heading', { name: 'Step 1', level: 2 }).waitFor()
    await page.getByRole('heading', { name: 'Task by task' }).waitFor()
    expect(await page.getByRole('table', { name: /task/i }).last().getByRole('row').count()).toBe(41)
    await picture(page, 'gate-light')
    await page.getByRole('link', { name: 'side by side' }).first().click()
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    expect(new URL(page.url()).pathname).toMatch(/\/trajectories\/compare$/)
    await page.goBack()

    // The best skill and the origin of a line.
    await page.getByRole('navigation', { name: 'Run' }).getByRole('link', { name: 'Skill' }).click()
    const text = await textOf(join(cwd, 'runs', 'parcels-001'), 'best_skill.md')
    const line = page.getByRole('button', { name: /step \d+ · / }).last()
    await line.click()
    const source = page.locator('#provenance')
    await source.getByRole('heading', { name: /^Step \d+, epoch \d+$/ }).waitFor()
    await source.getByText(/^validation|: validation \d/).waitFor()
    await source.getByRole('link', { name: 'The decision and its evidence' }).waitFor()
    await source
      .getByText(/train-\d+/)
      .first()
      .waitFor()
    await source
      .getByRole('link', { name: /^Attempt \d+/ })
      .first()
      .waitFor()
    expect(new URL(page.url()).hash).toMatch(/^#L\d+$/)
    const lines = text.trimEnd().split('\n')
    for (const words of lines.filter(one => one.startsWith('- ')))
      await page.getByText(words.slice(2), { exact: false }).first().waitFor()

    // Its diff to the seed, side by side and inline.
    await page.getByText('Changes', { exact: true }).click()
    await page.getByText('Side by side', { exact: false }).first().waitFor()
    await page.locator('.diff .diff-added').first().waitFor()
    await page.getByText('Side by side', { exact: true }).click()
    await page.waitForURL(/side/)
    await page.locator('.diff .diff-added').first().waitFor()

    // An attempt as a conversation.
    await page.getByRole('navigation', { name: 'Run' }).getByRole('link', { name: 'Trajectories' }).click()
    await page.getByRole('searchbox').first().fill('train-001')
    await page
      .getByRole('link', { name: /train-001/ })
      .first()
      .click()
    await page
      .getByText(/assistant|agent/i)
      .first()
      .waitFor()
    expect(page.misdeeds).toEqual([])
    await served.end()
    expect((await served.process.finished).code).toBe(0)
  })

  it('with an invalid log is shown as such', async () => {
    await mkdir(join(cwd, 'runs', 'torn-001'), { recursive: true })
    await writeFile(join(cwd, 'runs', 'torn-001', 'events.jsonl'), 'no\nlog\n')
    const served = await serve(cwd, env)
    const page = await look(served.url)
    await page.locator('.badge', { hasText: 'unreadable' }).waitFor()
    await page.getByRole('link', { name: 'torn-001' }).click()
    await page
      .getByRole('alert')
      .getByText(/line 1 cannot be read/)
      .waitFor()
    await expectAccessible(page, 'a run that cannot be read')
    await served.end()
  })
})
