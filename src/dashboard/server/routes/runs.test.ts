import { appendFile, rename, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeDashboardWorld, openPage } from '../../../../test/support/dashboard.js'
import { finish, LogBuilder, sampleLog } from '../../../../test/support/sample-run.js'
import type { RunEvent } from '../../../core/log/event.js'
import { forView } from '../../../core/log/view-event.js'
import { foldEvent, type RunView } from '../../../core/view/fold.js'
import { eventsFile } from '../../../store/disk.js'
import type { RunSnapshot } from '../../contract/runs.js'
import type { Dashboard } from '../index.js'

let world: Awaited<ReturnType<typeof makeDashboardWorld>>
let dashboard: Dashboard
beforeEach(async () => {
  world = await makeDashboardWorld()
  dashboard = await world.start()
})
afterEach(() => world.end())

const whole = finish(sampleLog())
const file = () => world.place('desk', 'runs', 'sums-001', eventsFile)
const lines = (events: readonly RunEvent[]) => events.map(event => `${JSON.stringify(event)}\n`).join('')

interface Said {
  readonly name: string
  readonly data: unknown
  readonly id: string | undefined
}

/** A page's event stream: the messages so far, and a way to await the next one with a given name. */
async function listen(at: Dashboard, path: string, lastEventId?: string) {
  const { cookie } = await openPage(at)
  const headers = { cookie, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) }
  const said: Said[] = []
  let wake = () => {}
  const asked = get(new URL(path, at.address), { headers, agent: false }, response => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1]
        const [name, data] = [field('event'), field('data')]
        if (name !== undefined && data !== undefined)
          said.push({ name, data: JSON.parse(data), id: field('id') })
      }
      wake()
    })
    response.on('error', () => undefined)
  })
  asked.on('error', () => undefined)
  let taken = 0
  return {
    said,
    async next(name: string): Promise<Said> {
      for (;;) {
        const found = said.slice(taken).findIndex(message => message.name === name)
        if (found !== -1) {
          taken += found + 1
          return said[taken - 1] as Said
        }
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    },
    close: () => asked.destroy(),
  }
}

async function runId(): Promise<string> {
  const page = await openPage(dashboard)
  const [only] = JSON.parse((await page.get('/api/runs')).body) as readonly { readonly id: string }[]
  return only?.id ?? ''
}

it('snapshot plus events yield the view of the whole log', async () => {
  await writeFile(file(), lines(whole.events.slice(0, 30)))
  const stream = await listen(dashboard, `/api/runs/${await runId()}/live`)
  const { data } = await stream.next('snapshot')
  let view: RunView = (data as RunSnapshot).view
  expect(view).toEqual(JSON.parse(JSON.stringify(whole.view(30))))
  for (const event of whole.events.slice(30)) await appendFile(file(), lines([event]))
  while (view.events < whole.events.length) {
    const { data: events } = await stream.next('events')
    view = (events as readonly RunEvent[]).reduce(foldEvent, view)
  }
  expect(JSON.parse(JSON.stringify(view))).toEqual(JSON.parse(JSON.stringify(whole.view())))
  stream.close()
})

it('a page that reconnects after a server restart misses no event', async () => {
  await writeFile(file(), lines(whole.events.slice(0, 20)))
  const path = `/api/runs/${await runId()}/live`
  const first = await listen(dashboard, path)
  const { id } = await first.next('snapshot')
  await appendFile(file(), lines(whole.events.slice(20, 25)))
  const { id: seen = id } = await first.next('events')
  await dashboard.close()
  await appendFile(file(), lines(whole.events.slice(25, 40)))
  dashboard = await world.start()
  const second = await listen(dashboard, path, seen)
  const heard: RunEvent[] = []
  while (heard.length < 15) heard.push(...((await second.next('events')).data as readonly RunEvent[]))
  const from = Number(seen?.split('-')[0])
  expect(heard).toEqual(whole.events.slice(from, from + heard.length).map(forView))
  expect(second.said.some(({ name }) => name === 'snapshot')).toBe(false)
  second.close()
})

it.each([
  ['an id of another log', '12-00000000'],
  ['an id from the future', '999999-12345678'],
  ['no id of ours', '../../etc/passwd'],
])('a client that reconnects with %s gets a new snapshot', async (_name, seen) => {
  const stream = await listen(dashboard, `/api/runs/${await runId()}/live`, seen)
  const { data } = await stream.next('snapshot')
  expect((data as RunSnapshot).view.events).toBe(whole.events.length)
  stream.close()
})

it('sends a new snapshot when the log is replaced', async () => {
  const stream = await listen(dashboard, `/api/runs/${await runId()}/live`)
  await stream.next('snapshot')
  const other = new LogBuilder()
  other.at = 5
  other.start({ run: 'another' })
  await writeFile(`${file()}.new`, lines(other.events))
  await rename(`${file()}.new`, file())
  const { data } = await stream.next('snapshot')
  expect((data as RunSnapshot).view).toMatchObject({ run: 'another', events: 2 })
  stream.close()
})

it('sends the run list again when a run makes progress', async () => {
  await writeFile(file(), lines(whole.events.slice(0, 30)))
  const stream = await listen(dashboard, '/api/runs/live')
  const state = (data: unknown) => (data as readonly { readonly state: string }[])[0]?.state
  let latest = state((await stream.next('runs')).data)
  expect(latest).not.toBe('finished')
  await appendFile(file(), lines(whole.events.slice(30)))
  while (latest !== 'finished') latest = state((await stream.next('runs')).data)
  stream.close()
})
