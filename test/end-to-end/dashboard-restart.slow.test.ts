import { appendFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { count, plural } from '../../src/core/view/figures.js'
import { openDiskStore } from '../../src/store/disk.js'
import { lockRunDirectory } from '../../src/store/lock.js'
import { finish, sampleLog } from '../support/sample-run.js'
import { describeInBrowser, look, serve } from './dashboard-support.js'
import { eventsOf, skillopt, temporaryFolder } from './support.js'

/** A server that dies and comes back, and one that cannot start. */

async function desk() {
  const cwd = await temporaryFolder()
  return { cwd, env: { HOME: join(cwd, 'home'), SKILLOPT_HOME: join(cwd, 'home', '.skillopt') } }
}

/** A run that grows on demand, by whole events or by part of one. */
async function growingRun(directory: string) {
  const log = sampleLog()
  // More events than a page gets one by one when it reconnects.
  const many = log.events.length
  for (let number = 0; number < 3_000; number += 1) log.call('rollout', 2, 2)
  finish(log)
  const lock = await lockRunDirectory(directory)
  const store = await openDiskStore(directory)
  for (const text of log.blobs.values()) store.put(text)
  let written = 0
  for (; written < 20; written += 1) {
    const event = log.events[written]
    if (event !== undefined) await store.append(event)
  }
  await store.flush()
  await store.close()

  let half = ''
  const lineOf = (at: number) => `${JSON.stringify(log.events[at])}\n`
  const write = (text: string) => appendFile(join(directory, 'events.jsonl'), text)
  return {
    log,
    many,
    end: () => lock.release(),
    async growTo(length: number) {
      const lines = Array.from({ length: length - written }, (_, index) => lineOf(written + index)).join('')
      await write(lines.slice(half.length))
      half = ''
      written = length
    },
    /** As when the reader reads while the writer is in the middle of a line. */
    async growByHalf() {
      half = lineOf(written).slice(0, 30)
      await write(half)
    },
  }
}

const mainText = (page: Page) => page.evaluate<string>('document.querySelector("main").innerText')

/** Difference between two pages, once both are rendered. */
async function difference(one: Page, other: Page): Promise<string> {
  const [left, right] = await Promise.all([mainText(one), mainText(other)])
  return left === right ? '' : `${left}\n\n—— and ——\n\n${right}`
}

describeInBrowser('a dashboard that is killed', () => {
  it('comes back, and its open page shows all of the log, each event once, without a reload', async () => {
    const { cwd, env } = await desk()
    const directory = join(cwd, 'runs', 'grown-001')
    const { log, many, growTo, growByHalf, end } = await growingRun(directory)
    const first = await serve(cwd, env)
    const { port } = new URL(first.url)
    const page = await look(first.url)
    await page.getByRole('link', { name: 'sample-run' }).click()
    await page.getByRole('navigation', { name: 'Run' }).getByRole('link', { name: 'Spending' }).click()
    await page.evaluate('globalThis.stayed = true')
    const calls = page.locator('.stat', { hasText: 'Calls' }).locator('.stat-value')
    const connection = page.locator('.connection')
    const expectCallsOf = (length: number) =>
      expect.poll(() => calls.textContent()).toBe(count(callsUntil(length)))
    const callsUntil = (length: number) => log.view(length).spending.total.calls
    await expectCallsOf(20)
    await growTo(40)
    await expectCallsOf(40)
    await connection.getByText('live').waitFor()

    // Missed events are sent one by one.
    await growByHalf()
    await first.end('SIGKILL')
    await connection.getByText('reconnecting…').waitFor()
    await growTo(60)
    const second = await serve(cwd, env, '--port', port)
    await expectCallsOf(60)
    await connection.getByText('live').waitFor()
    await growTo(70)
    await expectCallsOf(70)

    // So many events are missed that the page reloads everything; some are written while the server starts.
    await second.end('SIGKILL')
    await connection.getByText('reconnecting…').waitFor()
    await growTo(many + 5_500)
    const starting = serve(cwd, env, '--port', port)
    for (let length = many + 5_600; length < log.events.length; length += 100) {
      await growTo(length)
      await sleep(20)
    }
    const third = await starting
    await growTo(log.events.length)
    await end()
    await page.locator('.run-nav .badge', { hasText: 'finished' }).waitFor()
    await expectCallsOf(log.events.length)
    expect(await eventsOf(directory)).toEqual(log.events)

    // Equal to a freshly opened page, and to the folded log.
    const fresh = await look(third.url)
    const { attempts, spending } = log.view()
    for (const [name, figures] of [
      ['Spending', [count(spending.total.calls), count(spending.total.tries)]],
      ['Overview', ['2 of 2', plural(spending.total.calls, 'call')]],
      ['Trajectories', [plural(attempts.scored + attempts.failed, 'attempt')]],
    ] as const) {
      await page.getByRole('navigation', { name: 'Run' }).getByRole('link', { name }).click()
      await fresh.goto(page.url())
      for (const figure of figures) await expect.poll(() => mainText(fresh)).toContain(figure)
      await expect.poll(() => difference(page, fresh)).toBe('')
    }
    expect(await page.evaluate('stayed')).toBe(true)
    expect(page.misdeeds).toEqual([])
    await third.end()
  })
})

describe('a port that is taken', () => {
  it('by another dashboard is reported with its address', async () => {
    const { cwd, env } = await desk()
    const served = await serve(cwd, env)
    const port = Number(new URL(served.url).port)
    const { code, stdout, stderr } = await skillopt(['view', '--port', String(port)], { cwd, env })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`A SkillOpt dashboard runs on port ${port} already.`)
    expect(stderr).toMatch(/Open the address that it printed.*--port \d+/)
    await served.end()
    expect((await served.process.finished).code).toBe(0)
  })

  it.each([
    ['says nothing', () => undefined],
    ['says something else', (answer: (text: string) => void) => answer('220 mail\r\n')],
  ])('by a program that %s: it is said, and another one is named', async (_what, speak) => {
    const { cwd, env } = await desk()
    const other = createServer(socket => {
      socket.on('error', () => socket.destroy())
      speak(text => socket.end(text))
    })
    await new Promise<void>(ready => other.listen(0, '127.0.0.1', ready))
    const { port } = other.address() as { port: number }
    const { code, stdout, stderr } = await skillopt(['view', '--port', String(port)], { cwd, env })
    other.close()
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`Another program uses port ${port}.`)
    expect(stderr).toMatch(/--port \d+/)
    expect(stderr).not.toMatch(/EADDRINUSE|\n\s+at /)
  })
})
