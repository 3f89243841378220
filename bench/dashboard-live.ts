import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import type { RunEvent } from '../src/core/log/event.js'
import { openDiskStore } from '../src/store/disk.js'
import { trainingEvents } from './dashboard-events.js'
import { serve } from './dashboard-server.js'

const eventsPerSecond = 500
const writtenEveryMs = 20

export interface LiveFigures {
  readonly eventsPerSecond: number
  readonly framesPerSecond: number
  readonly longestFrameMs: number
}

/** Measures a browser's frame rate on the page of a run that writes 500 events a second. */
export async function measureLive(browser: Browser, root: string, seconds: number): Promise<LiveFigures> {
  const directory = join(root, 'runs', 'live-001')
  await mkdir(directory, { recursive: true })
  const store = await openDiskStore(directory)
  const shape = { steps: 400, rollouts: 20, validations: 20, callsPerAttempt: 4, judgedOneIn: 2 }
  const events = trainingEvents(shape, text => store.put(text), process.pid)
  let written = 0
  const write = async (count: number) => {
    const batch: RunEvent[] = []
    for (let at = 0; at < count; at += 1) {
      const { done, value } = events.next()
      if (done === true) throw new Error('The made-up training is over before the measurement is.')
      batch.push(value)
    }
    await Promise.all(batch.map(event => store.append(event)))
    written += count
  }
  // Start with some finished steps, as when a user returns to a run.
  await write(20_000)
  const served = await serve(root)
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  try {
    const [run] = await served.runs()
    const page = await context.newPage()
    await page.goto(served.url)
    await page.goto(new URL(`/runs/${run?.id}`, served.url).href)
    await page.locator('.stats').first().waitFor()
    let isWriting = true
    const began = performance.now()
    const before = written
    const writing = (async () => {
      while (isWriting) {
        const due = before + ((performance.now() - began) / 1000) * eventsPerSecond
        await write(Math.max(0, Math.round(due - written)))
        await sleep(writtenEveryMs)
      }
    })()
    // Exclude the time of opening the page.
    await sleep(2_000)
    const from = { written, at: performance.now() }
    const figures = page.locator('.stats').first()
    const shownBefore = await figures.textContent()
    const frames = await page.evaluate(countFrames, seconds * 1000)
    if ((await figures.textContent()) === shownBefore)
      throw new Error('The page shows the same figures as before: it does not follow the run.')
    const rate = (written - from.written) / ((performance.now() - from.at) / 1000)
    isWriting = false
    await writing
    return {
      eventsPerSecond: rate,
      framesPerSecond: frames.count / (frames.ms / 1000),
      longestFrameMs: frames.longest,
    }
  } finally {
    await context.close()
    await served.close()
    await store.close()
  }
}

declare const requestAnimationFrame: (callback: (now: number) => void) => void

/** Runs in the page. */
function countFrames(ms: number): Promise<{ count: number; ms: number; longest: number }> {
  return new Promise(resolve => {
    let [count, longest] = [0, 0]
    const began = performance.now()
    let last = began
    const frame = (now: number) => {
      count += 1
      longest = Math.max(longest, now - last)
      last = now
      if (now - began < ms) requestAnimationFrame(frame)
      else resolve({ count, ms: now - began, longest })
    }
    requestAnimationFrame(frame)
  })
}
