import { createServer, request as forward } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** A minimal forward proxy: plain requests in absolute form, tunnels for the rest. */
export interface TinyProxy {
  readonly url: string
  readonly port: number
  /** Requests seen: `POST http://…` or `CONNECT host:port`. */
  readonly seen: readonly string[]
  close(): Promise<void>
}

export async function startProxy(): Promise<TinyProxy> {
  const seen: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url}`)
    const onward = forward(
      incoming.url ?? '',
      { method: incoming.method, headers: incoming.headers },
      answer => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  server.on('connect', (incoming, client: Socket) => {
    seen.push(`CONNECT ${incoming.url}`)
    const [host, port] = (incoming.url ?? '').split(':')
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.pipe(client)
      client.pipe(upstream)
    })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    close: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await closed
    },
  }
}
