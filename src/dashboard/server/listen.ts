import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { safeHeaders } from './headers.js'

/** Binds the port before the app exists, because hosts and keys depend on the port. */
export async function listen(host: string, port: number): Promise<{ server: Server; port: number }> {
  const server = createServer()
  server.on('clientError', refuseGarbage)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return { server, port: (server.address() as AddressInfo).port }
}

export function answerWith(server: Server, app: Hono): void {
  const answer = getRequestListener(app.fetch, {
    // The process does more than serve pages, so its other parts must keep Node's own `Request` and
    // `Response`.
    overrideGlobalObjects: false,
  })
  server.on('request', (incoming, outgoing) => {
    setHeaders(outgoing)
    void answer(incoming, outgoing)
  })
}

function setHeaders(outgoing: ServerResponse): void {
  for (const [name, value] of Object.entries(safeHeaders)) outgoing.setHeader(name, value)
}

/** Handles requests that are not HTTP or have oversized headers. */
function refuseGarbage(_error: Error, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy()
  const headers = { ...safeHeaders, connection: 'close', 'content-length': '0' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('\r\n')}\r\n\r\n`)
}

/** Time that pending responses get to finish. */
const graceMs = 1000

export async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(cut)
}
