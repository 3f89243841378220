import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, describe, expect } from 'vitest'
import { findChromium, startChromium } from '../chromium.js'
import { timeLimit } from '../support/time-limit.js'
import { type Started, start } from './support.js'

/** A user of the dashboard: the built command line and a real browser. */

const program = findChromium()
if (program === undefined) {
  const message = 'Tests of the dashboard look at it with Chromium, which is not here.'
  if (process.env.CI !== undefined) throw new Error(message)
  process.stderr.write(`\n!!! SKIPPED: ${message}\n\n`)
}
export const describeInBrowser = describe.skipIf(program === undefined)

let browser: Promise<Browser> | undefined
const contexts: BrowserContext[] = []
afterAll(async () => {
  await Promise.all(contexts.map(context => context.close()))
  await (await browser)?.close()
})

export interface Served {
  /** Includes the token. */
  readonly url: string
  readonly process: Started
  end(signal?: NodeJS.Signals): Promise<void>
}

export async function serve(
  cwd: string,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Served> {
  const started = start(['view', '--port', '0', ...args], { cwd, env })
  let said = ''
  started.child.stdout?.on('data', (chunk: string) => {
    said += chunk
  })
  await started.says(/http:\/\/\S+\s/)
  const url = /http:\/\/\S+/.exec(said)?.[0] ?? ''
  return {
    url,
    process: started,
    async end(signal = 'SIGINT') {
      started.child.kill(signal)
      await started.finished
    },
  }
}

export interface LookOptions {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
}

/** Opens the dashboard in a window by the printed address, and records everything that goes wrong in it. */
export async function look(
  url: string,
  { theme = 'light', width = 1280, height = 900 }: LookOptions = {},
): Promise<Page & { readonly misdeeds: string[] }> {
  browser ??= startChromium(program ?? '')
  const context = await (await browser).newContext({
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
  })
  contexts.push(context)
  const page = await context.newPage()
  page.setDefaultTimeout(timeLimit(60_000))
  const misdeeds: string[] = []
  const { origin } = new URL(url)
  page.on('pageerror', error => misdeeds.push(`error: ${error.message}`))
  page.on('console', message => {
    if (message.type() === 'error' && !/ERR_CONNECTION|Failed to load resource/.test(message.text()))
      misdeeds.push(`console: ${message.text()}`)
  })
  page.on('request', request => {
    if (!request.url().startsWith(`${origin}/`)) misdeeds.push(`asked for ${request.url()}`)
  })
  page.on('dialog', dialog => {
    misdeeds.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.goto(url)
  // The token must not remain where others could read it.
  await page.waitForURL(address => !address.search.includes('token'))
  return Object.assign(page, { misdeeds })
}

interface Finding {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/**
 * Checks the rules of WCAG 2.2 A and AA that can be automated, on a page at rest, unless the test keeps it
 * waiting.
 */
export async function expectAccessible(
  page: Page,
  what: string,
  { atRest = true }: { readonly atRest?: boolean } = {},
): Promise<void> {
  if (atRest) await expectAtRest(page, what)
  await page.evaluate(axe.source)
  const findings = await page.evaluate(async () => {
    const { axe: inPage } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: readonly Finding[] }> }
    }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const { violations } = await inPage.run({ runOnly: { type: 'tag', values: tags } })
    return violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`),
    }))
  })
  expect({ what, findings }).toEqual({ what, findings: [] })
}

// Code in the page has a document; the tests have none.
declare const document: {
  readonly documentElement: { readonly scrollWidth: number }
  readonly body: unknown
  querySelectorAll(selector: string): Iterable<{ readonly outerHTML: string; checkVisibility(): boolean }>
  getAnimations(): readonly { readonly playState: string; readonly pending: boolean }[]
  createTreeWalker(root: unknown, show: number): { nextNode(): { textContent: string | null } | null }
}
const textNodes = 4

/**
 * Waits until nothing loads or moves. Otherwise a slow machine would check a placeholder instead of the
 * page.
 */
async function expectAtRest(page: Page, what: string): Promise<void> {
  const restless = () => page.evaluate(findRestless)
  await expect.poll(restless, { message: `${what}: comes to rest`, timeout: timeLimit(60_000) }).toEqual([])
}

/** Runs in the page: finds elements that wait for the server or are being animated. */
function findRestless(): string[] {
  const awaited = [...document.querySelectorAll('[aria-busy="true"], .state[role="status"]')]
  const moving = document
    .getAnimations()
    .filter(({ playState, pending }) => pending || playState === 'running')
  return [
    ...awaited.filter(element => element.checkVisibility()).map(({ outerHTML }) => outerHTML.slice(0, 200)),
    ...moving.map(animation => `${animation} is ${animation.playState}`),
  ]
}

/** Nothing overflows sideways, so that nobody has to scroll in two directions. */
export async function expectToFit(page: Page, what: string): Promise<void> {
  await expectAtRest(page, what)
  const { wide, window } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    window: (globalThis as unknown as { innerWidth: number }).innerWidth,
  }))
  expect({ what, fits: wide <= window, wide, window }).toMatchObject({ what, fits: true })
}

const images = fileURLToPath(new URL('../../docs/images/', import.meta.url))

/** With UPDATE_DOCS, saves a screenshot of the page for the docs; local folder names are replaced. */
export async function picture(page: Page, name: string, folder?: string): Promise<void> {
  if (process.env.UPDATE_DOCS === undefined) return
  await expectAtRest(page, name)
  if (folder !== undefined) await page.evaluate(renameFolder, { folder, textNodes })
  await mkdir(images, { recursive: true })
  // Lets curves and fonts settle.
  await page.waitForTimeout(800)
  await page.screenshot({ path: join(images, `dashboard-${name}.png`) })
}

/** Runs in the page. */
function renameFolder({ folder, textNodes: show }: { folder: string; textNodes: number }): void {
  const texts = document.createTreeWalker(document.body, show)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
    text.textContent = text.textContent?.replaceAll(folder, '/home/ada') ?? ''
}
