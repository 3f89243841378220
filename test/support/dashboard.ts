import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { changeHeader, type DashboardSession } from '../../src/dashboard/contract/session.js'
import { type Dashboard, type DashboardOptions, startDashboard } from '../../src/dashboard/server/index.js'
import { openDiskStore } from '../../src/store/disk.js'
import { finish, type LogBuilder, sampleLog } from './sample-run.js'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Sent {
  readonly method?: string
  /** Sent verbatim, without normalisation. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export const pageText = '<!doctype html><title>the page</title>'
export const scriptText = `const sum = ${'1 + '.repeat(2000)}1\n`

/** A folder with one finished run and its own pages, and dashboards on it. */
export async function makeDashboardWorld() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-dashboard-')))
  const place = (...parts: string[]) => join(root, ...parts)
  await mkdir(place('web', 'assets'), { recursive: true })
  await writeFile(place('web', 'index.html'), pageText)
  await writeFile(place('web', 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  await writeFile(place('web', 'assets', 'app-Xy12.js'), scriptText)
  await writeFile(place('secret.txt'), 'nobody may read this')
  await writeRun(place('desk', 'runs', 'sums-001'), finish(sampleLog()))

  const env = { HOME: place('person'), SKILLOPT_HOME: place('kept') }
  const dashboards: Dashboard[] = []
  const start = async (options: Partial<DashboardOptions> = {}) => {
    const ways = { folders: [], cwd: place('desk'), env, port: 0, webFolder: place('web') }
    const dashboard = await startDashboard({ ...ways, ...options })
    dashboards.push(dashboard)
    return dashboard
  }
  const end = async () => {
    await Promise.all(dashboards.map(dashboard => dashboard.close()))
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  }
  return { root, place, env, start, end }
}

export async function writeRun(directory: string, log: LogBuilder): Promise<void> {
  await mkdir(directory, { recursive: true })
  const store = await openDiskStore(directory)
  for (const text of log.blobs.values()) store.put(text)
  for (const event of log.events) await store.append(event)
  await store.flush()
  await store.close()
}

/** Sends one request over its own connection. */
export function send(
  { address }: Dashboard,
  { method = 'GET', path, headers = {}, body }: Sent,
): Promise<Answer> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: hostname.replace(/[[\]]/g, ''),
        port,
        method,
        path,
        agent: false,
        headers: { host: `${hostname}:${port}`, ...headers },
      },
      response => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        )
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

/** Sends raw bytes and returns everything until the server closes the connection. */
export function sendRaw({ address }: Dashboard, text: string): Promise<string> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    let said = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      said += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(said))
  })
}

/**
 * Sends requests like a dashboard page: with the cookie and, for changes, the origin and the page's token.
 */
export async function openPage(dashboard: Dashboard) {
  const entered = await send(dashboard, {
    path: new URL(dashboard.url).pathname + new URL(dashboard.url).search,
  })
  const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
  const session = JSON.parse((await send(dashboard, { path: '/api/session', headers: { cookie } })).body)
  const { changeToken } = session as DashboardSession
  const origin = dashboard.address.replace(/\/$/, '')
  const change = { cookie, origin, [changeHeader]: changeToken, 'content-type': 'application/json' }
  return {
    cookie,
    session: session as DashboardSession,
    /** Headers for requests that change something. */
    change,
    get: (path: string, headers = {}) => send(dashboard, { path, headers: { cookie, ...headers } }),
    post: (path: string, body: unknown = {}) =>
      send(dashboard, { method: 'POST', path, headers: change, body: JSON.stringify(body) }),
  }
}
