import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeNightWorld, type NightWorld } from '../support/night.js'
import { timeLimit } from '../support/time-limit.js'
import {
  describeInBrowser,
  expectAccessible,
  expectToFit,
  type LookOptions,
  look,
  picture,
  type Served,
  serve,
} from './dashboard-support.js'
import { skillopt, writeProject } from './support.js'

/** Every view in light and dark themes, on a desktop, on a phone, and at 200% zoom. */

let world: NightWorld
let served: Served
let run = ''
let attempt = 0
let project = ''

const looks: Readonly<Record<string, LookOptions>> = {
  'in the light': { theme: 'light' },
  'in the dark': { theme: 'dark' },
  'on a phone': { theme: 'light', width: 360, height: 740 },
  // A window of 1280 pixels at 200% has room for 640.
  'at 200%': { theme: 'dark', width: 640, height: 450 },
}

/** Views, each with the element that must be visible before it is checked. */
const views = (): readonly (readonly [name: string, path: string, sight: string])[] => [
  ['runs', '/', 'table tbody tr'],
  ['compare', `/compare?run=${run}`, 'figure.chart'],
  ['overview', `/runs/${run}`, '.stats'],
  ['gate and edits', `/runs/${run}/gate?step=1`, 'table tbody tr'],
  ['a decision', `/runs/${run}/gate/1`, 'table tbody tr'],
  ['skill', `/runs/${run}/skill#L3`, '#provenance h2'],
  ['changes', `/runs/${run}/skill?to=best&from=seed&as=changes`, 'main section'],
  ['trajectories', `/runs/${run}/trajectories`, 'table tbody tr'],
  ['an attempt', `/runs/${run}/trajectories/${attempt}`, 'main article'],
  ['a comparison', `/runs/${run}/trajectories/compare?task=val-001&from=seed&to=last`, 'main h2'],
  ['spending', `/runs/${run}/spending`, 'table tbody tr'],
  ['settings', `/runs/${run}/settings`, 'main h2, main table'],
  ['train', '/launch', '#launch-project'],
  ['sleep', `/sleep/${project}`, '.stats'],
  ['a night', `/sleep/${project}/nights/1`, '#decision'],
  ['tasks of sleep', `/sleep/${project}/tasks`, 'main h1'],
  ['the log of sleep', `/sleep/${project}/log`, 'main h1'],
  ['nothing', '/nowhere', 'main h2'],
]

describeInBrowser('every view', { timeout: timeLimit(180_000) }, () => {
  beforeAll(async () => {
    world = await makeNightWorld()
    const { project: cwd, env } = world
    await writeProject(join(cwd, 'desk'), { sizes: { train: 40, val: 40, test: 20 } })
    const trained = await skillopt(['train', 'desk', '--yes', '--quiet'], { cwd, env })
    expect(trained).toMatchObject({ code: 0 })
    served = await serve(cwd, env)
    const page = await look(served.url)
    const link = page.getByRole('link', { name: 'parcels-001' })
    run = ((await link.getAttribute('href')) ?? '').split('/').at(-1) ?? ''
    const told = async (path: string) => (await page.request.get(new URL(path, served.url).href)).json()
    attempt = (await told(`/api/runs/${run}/attempts?limit=1`)).lines[0].seq
    project = (await told('/api/sleep')).projects[0].id
  })
  afterAll(async () => {
    await served?.end()
    await world?.end()
  })

  it.each(Object.entries(looks))('%s', async (name, how) => {
    const page = await look(served.url, how)
    for (const [view, path, sight] of views()) {
      await page.goto(new URL(path, served.url).href)
      await page.locator(sight).filter({ visible: true }).first().waitFor()
      const what = `${view}, ${name}`
      // A zoomed page has the elements of a narrow one.
      if (name !== 'at 200%') await expectAccessible(page, what)
      await expectToFit(page, what)
    }
    if (name === 'in the dark') {
      await page.goto(new URL(`/runs/${run}/skill`, served.url).href)
      await page
        .getByRole('button', { name: /step \d+ · / })
        .last()
        .click()
      await page.locator('#provenance h3').waitFor()
      await picture(page, 'skill-dark')
    }
    expect(page.misdeeds).toEqual([])
  })

  it.each(['light', 'dark'] as const)('a proposal whose preview is awaited, in the %s', async theme => {
    const page = await look(served.url, { theme })
    // Held while the test looks, so that the server's speed does not matter.
    let answer = () => {}
    const looked = new Promise<void>(resolve => {
      answer = resolve
    })
    await page.route('**/preview', async route => {
      await looked
      await route.continue()
    })
    await page.goto(new URL(`/sleep/${project}/nights/1`, served.url).href)
    await page.locator('[aria-busy=true] > .diff').first().waitFor()
    await expectAccessible(page, `a proposal whose preview is awaited, in the ${theme}`, { atRest: false })
    answer()
    await page.locator('#decision').getByText('measured', { exact: true }).waitFor()
    expect(page.misdeeds).toEqual([])
  })

  it('by keys alone: from the runs to a decision, and back', async () => {
    const page = await look(served.url)
    await page.getByRole('link', { name: 'parcels-001' }).waitFor()
    await tabTo(page, 'parcels-001')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'parcels-001', level: 1 }).waitFor()
    // Screen readers announce the new page.
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    await tabTo(page, 'Gate & edits')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/gate$/)
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    await page.keyboard.press('/')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search')
  })

  it('a proposal is reviewed, adopted in part, and taken back', async () => {
    // Adoption creates one of these files.
    const files = () =>
      Promise.all(Object.values(world.files).map(file => readFile(file, 'utf8').catch(() => undefined)))
    const before = await files()
    const page = await look(served.url, { height: 1100 })
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Sleep' }).click()
    await page
      .getByRole('link', { name: /review|proposal/i })
      .first()
      .click()
    const decision = page.locator('#decision')
    await decision.getByText('measured', { exact: true }).waitFor()
    await picture(page, 'proposal-light', world.root)
    await expectAccessible(page, 'a proposal')

    // A proposal without one of its edits has not been measured.
    await page.locator('.sleep-edit input[type=checkbox]').first().uncheck()
    await decision.getByText('unmeasured', { exact: true }).waitFor()
    await decision.getByRole('button', { name: 'Adopt…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Adopt', exact: true }).waitFor()
    await expectAccessible(page, 'the question before an adoption')
    await dialog.getByRole('button', { name: 'Adopt', exact: true }).click()
    await page
      .getByText(/^Adopted/)
      .first()
      .waitFor()
    expect(await files()).not.toEqual(before)

    await page.getByRole('button', { name: 'Take back…' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take back', exact: true }).click()
    await expect.poll(files).toEqual(before)
    await page.getByText('Taken back.', { exact: true }).first().waitFor()
    expect(page.misdeeds).toEqual([])
  })
})

// Runs in the page.
declare const document: {
  readonly activeElement: {
    readonly tagName: string
    readonly textContent: string | null
    getAttribute(name: string): string | null
  } | null
}

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let pressed = 0; pressed < 80; pressed += 1) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate(() => document.activeElement?.textContent ?? '')).trim() === name) return
  }
  throw new Error(`The key Tab does not lead to ${name}.`)
}
