import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { findChromium, startChromium } from '../test/chromium.js'
import { measureLive } from './dashboard-live.js'
import { makeLog } from './dashboard-log.js'
import { type ServedDashboard, serve } from './dashboard-server.js'
import { quantile } from './figures.js'
import { watchProcesses } from './harvest-memory.js'
import { count, met, saveResult, table } from './table.js'

/**
 * Measures the dashboard on a large run and on a fast-writing one: `dashboard [--quick]`. `--quick` uses a
 * tenth of the events and watches the live run for a shorter time. Each run is opened three times, with a
 * freshly started server and a fresh browser context; the median is reported.
 */

const isQuick = process.argv.includes('--quick')
const shape = { rollouts: 200, validations: 200, callsPerAttempt: 4, judgedOneIn: 2 }
const steps = isQuick ? 25 : 250
const targets = { openMs: 1_500, memory: 300e6, framesPerSecond: 50, firstLoad: 250e3 }

const program = findChromium()
if (program === undefined) {
  console.error('This benchmark looks at pages: install Chromium, or name one with SKILLOPT_CHROMIUM.')
  process.exit(2)
}

interface Opened {
  readonly what: string
  readonly ms: number
}

/** Time from the first request until the requested content is visible. */
async function open(
  browser: Browser,
  { url }: ServedDashboard,
  path: string,
  sight: string,
): Promise<number> {
  const context = await browser.newContext()
  const page = await context.newPage()
  try {
    // Signs in first, so that signing in is not measured.
    await page.goto(new URL('/icon.svg', url).href)
    await context.request.get(url)
    const began = performance.now()
    await page.goto(new URL(path, url).href)
    await page.locator(sight).filter({ visible: true }).first().waitFor({ timeout: 120_000 })
    return performance.now() - began
  } finally {
    await context.close()
  }
}

/** Bytes over the wire for the list of runs in a browser with an empty cache. */
async function firstLoad(browser: Browser, { url }: ServedDashboard): Promise<number> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(url)
  await page.locator('main h1').waitFor()
  // Streams never end, so wait a fixed time; all other responses arrive immediately.
  await page.waitForTimeout(1_500)
  await context.close()
  return bytes
}

const root = await mkdtemp(join(tmpdir(), 'skillopt-dashboard-'))
const browser = await startChromium(program)
try {
  const directory = join(root, 'runs', 'desk-001')
  await mkdir(directory, { recursive: true })
  const made = await makeLog(directory, { ...shape, steps })
  console.log(
    `A run with ${count(made.events)} events and ${count(made.attempts)} attempts: a log of ${count(made.bytes / 1e6)} MB, texts of ${count(made.textBytes / 1e6)} MB.\n`,
  )
  const opened: Opened[] = []
  const memory: { readonly what: string; readonly bytes: number }[] = []
  const watched = async (what: string, work: (served: ServedDashboard) => Promise<void>) => {
    const served = await serve(root)
    const stop = new AbortController()
    const most = watchProcesses(served.pid, stop.signal)
    try {
      await work(served)
    } finally {
      stop.abort()
      memory.push({ what, bytes: await most })
      await served.close()
    }
  }

  await watched('reading it for the first time', async served => {
    const [run] = await served.runs()
    const ms = await open(browser, served, `/runs/${run?.id}`, '.stats')
    opened.push({ what: 'the first time (the whole log is read)', ms })
  })
  const times: number[] = []
  for (let round = 0; round < 3; round += 1) {
    await watched(`opening it, round ${round + 1}`, async served => {
      const [run] = await served.runs()
      times.push(await open(browser, served, `/runs/${run?.id}`, '.stats'))
    })
  }
  opened.push({ what: 'a run', ms: quantile(times, 0.5) })
  await watched('looking at all of its pages', async served => {
    const [run] = await served.runs()
    const base = `/runs/${run?.id}`
    const pages = [
      ['its attempts', `${base}/trajectories`, 'table tbody tr'],
      ['a decision of its gate', `${base}/gate/${steps}`, 'table tbody tr'],
      ['its skill', `${base}/skill`, 'main h2'],
      ['the list of runs', '/', 'table tbody tr'],
    ] as const
    for (const [what, path, sight] of pages)
      opened.push({ what, ms: await open(browser, served, path, sight) })
  })

  const size = await (async () => {
    const served = await serve(root)
    try {
      return await firstLoad(browser, served)
    } finally {
      await served.close()
    }
  })()

  const live = await measureLive(browser, join(root, 'live'), isQuick ? 5 : 15)

  const isFirst = ({ what }: Opened) => what.startsWith('the first time')
  const judged = (what: string) => what === 'a run'
  console.log(
    table(
      ['opened', 'time', 'of 1.5 s', ''],
      opened.map(one => [
        one.what,
        `${count(one.ms)} ms`,
        (one.ms / targets.openMs).toFixed(2),
        judged(one.what) ? met(one.ms < targets.openMs) : isFirst(one) ? 'once' : '',
      ]),
    ),
  )
  console.log(
    `\n${table(
      ['most memory of the server while', 'memory', 'of 300 MB', ''],
      memory.map(({ what, bytes }) => [
        what,
        `${count(bytes / 1e6)} MB`,
        (bytes / targets.memory).toFixed(2),
        met(bytes < targets.memory),
      ]),
    )}`,
  )
  console.log(
    `\nA live run at ${count(live.eventsPerSecond)} events a second: ${live.framesPerSecond.toFixed(1)} frames a second, ${(live.framesPerSecond / targets.framesPerSecond).toFixed(2)} of 50: ${met(live.framesPerSecond >= targets.framesPerSecond)}. The longest took ${count(live.longestFrameMs)} ms.`,
  )
  console.log(
    `First load: ${count(size / 1e3)} kB compressed, ${(size / targets.firstLoad).toFixed(2)} of 250 kB: ${met(size < targets.firstLoad)}.`,
  )
  if (!isQuick) saveResult('dashboard', { targets, made, opened, times, memory, live, firstLoad: size })
} finally {
  await browser.close()
  await rm(root, { recursive: true, force: true, maxRetries: 5 })
}
