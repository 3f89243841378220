import { afterEach } from 'vitest'
import { type LoopbackOptions, type LoopbackServer, startLoopbackServer } from '../../src/simulated/server.js'

const running: LoopbackServer[] = []

/** A loopback server that closes with the test. */
export async function serve(options: LoopbackOptions): Promise<LoopbackServer> {
  const server = await startLoopbackServer(options)
  running.push(server)
  return server
}

afterEach(async () => {
  for (const server of running.splice(0)) await server.close()
})

export function post(
  server: LoopbackServer,
  path: string,
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(`${server.url}${path}`, { method: 'POST', body: text, headers })
}

/** The response as untyped JSON: the assertions serve as its type. */
export async function jsonOf(response: Response | Promise<Response>) {
  return JSON.parse(await (await response).text())
}

/** Events of a stream, each with its name and data. */
export async function eventsOf(response: Response | Promise<Response>) {
  const stream = await (await response).text()
  return stream
    .split('\n\n')
    .filter(event => event !== '')
    .map(event => ({
      name: /^event: (.*)$/m.exec(event)?.[1],
      data: JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? 'null'),
    }))
}
