import { createServer as createWebServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { makeDashboardWorld } from '../../../test/support/dashboard.js'
import { InputError } from '../../core/errors/errors.js'
import { cannotListen } from './port-taken.js'

const servers: Server[] = []
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(servers.splice(0).map(server => new Promise(resolve => server.close(resolve))))
})

async function portOf(server: Server): Promise<number> {
  servers.push(server.on('connection', socket => sockets.push(socket)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const failure = (code: string) => Object.assign(new Error(`listen ${code}`), { code })
const taken = (port: number) => cannotListen(failure('EADDRINUSE'), '127.0.0.1', port)

describe('a port that is taken', () => {
  it('by a dashboard: says so, and what to do', async () => {
    const world = await makeDashboardWorld()
    try {
      const { address } = await world.start()
      const port = Number(new URL(address).port)
      const refused = world.start({ port })
      await expect(refused).rejects.toThrow(InputError)
      await expect(refused).rejects.toMatchObject({
        message: `A SkillOpt dashboard runs on port ${port} already.`,
        hint: expect.stringContaining(`--port ${port === 65_535 ? port - 1 : port + 1}`),
      })
    } finally {
      await world.end()
    }
  })

  it.each([
    ['another site', createWebServer((_, response) => response.end('<html>'))],
    ['something like it', createWebServer((_, response) => response.end(' {"dashboard":"skillopt"}'))],
    ['who speaks no HTTP', createServer(socket => socket.end('220 mail ready\r\n'))],
    ['who hangs up', createServer(socket => socket.destroy())],
    [
      'who never stops talking',
      createWebServer((_, response) => {
        const timer = setInterval(() => response.write('x'.repeat(500)), 1)
        response.on('close', () => clearInterval(timer))
      }),
    ],
    ['who says nothing', createServer(socket => socket.on('error', () => undefined).resume())],
  ])('by %s', async (_name, server) => {
    const port = await portOf(server)
    const error = await taken(port)
    expect(error).toBeInstanceOf(InputError)
    expect(error.message).toBe(`Another program uses port ${port}.`)
    expect(error).toMatchObject({ hint: expect.stringContaining('--port') })
  })

  it('the last one there is: names the one before', async () => {
    expect(await taken(65_535)).toMatchObject({
      hint: expect.stringContaining('--port 65534'),
      cause: { code: 'EADDRINUSE' },
    })
  })
})

describe('other reasons', () => {
  it.each([
    ['EACCES', 80, 'The system does not let you use port 80.', 'from 1024 on'],
    ['EADDRNOTAVAIL', 7860, 'This machine has no address 192.0.2.1.', 'Leave out --host'],
    ['ENOTFOUND', 7860, 'This machine has no address 192.0.2.1.', 'Leave out --host'],
    ['EAI_AGAIN', 7860, 'This machine has no address 192.0.2.1.', 'Leave out --host'],
  ])('%s', async (code, port, message, hint) => {
    const error = await cannotListen(failure(code), '192.0.2.1', port)
    expect(error).toBeInstanceOf(InputError)
    expect(error).toMatchObject({ message, hint: expect.stringContaining(hint), cause: { code } })
  })

  it('passes unknown errors through unchanged', async () => {
    const odd = failure('EMFILE')
    expect(await cannotListen(odd, '127.0.0.1', 7860)).toBe(odd)
    expect(await cannotListen('a text', '127.0.0.1', 7860)).toEqual(new Error('a text'))
  })
})

it('refuses at startup an address that this machine does not have', async () => {
  const world = await makeDashboardWorld()
  try {
    const started = world.start({ host: '192.0.2.1', token: 'a-token-of-mine-that-is-long' })
    await expect(started).rejects.toThrow('This machine has no address 192.0.2.1.')
  } finally {
    await world.end()
  }
})
