import { afterEach, describe, expect, it, vi } from 'vitest'
import { makeDashboardWorld, send } from '../../../../test/support/dashboard.js'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { exitCodes, InputError } from '../../../core/errors/errors.js'
import type { Dashboard, DashboardOptions } from '../../../dashboard/server/index.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'
import { type ViewFlags, view } from './view.js'

const url = 'http://127.0.0.1:7860/?token=abc'

interface Seen {
  readonly env?: Readonly<Record<string, string>>
  readonly flags?: ViewFlags
  readonly folders?: readonly string[]
  readonly dashboard?: Partial<Dashboard>
  readonly opens?: boolean
}

/** Runs the command with a stub dashboard until Ctrl-C. */
function started({ env = {}, flags = {}, folders = [], dashboard = {}, opens = true }: Seen = {}) {
  const io = fakeIo<Library>({ cwd: '/desk', env })
  const close = vi.fn(async () => undefined)
  const start = vi.fn(
    async (_options: DashboardOptions): Promise<Dashboard> => ({
      url,
      address: 'http://127.0.0.1:7860/',
      close,
      ...dashboard,
    }),
  )
  const open = vi.fn(async (_file: string) => opens)
  const ended = view(io, folders, { ...flags, start, openWith: open })
  const options = () => start.mock.calls[0]?.[0]
  const shown = () => expect.poll(() => io.out()).toContain('Press Ctrl-C to stop it.')
  return { io, close, start, open, ended, options, shown }
}

describe('view', () => {
  it('prints the address, and ends with the first Ctrl-C', async () => {
    const { io, close, ended, shown } = started()
    await shown()
    expect(io.out()).toBe(
      `The dashboard is at\n\n  ${url}\n\nPress Ctrl-C to stop it. Training runs continue.\n`,
    )
    expect(close).not.toHaveBeenCalled()
    io.interrupt()
    expect(await ended).toBe(exitCodes.ok)
    expect(close).toHaveBeenCalledTimes(1)
    expect({ err: io.err(), quits: io.quits }).toEqual({ err: '', quits: [] })
  })

  it('does not wait for connections after the second', async () => {
    let closed = () => {}
    const close = vi.fn(
      () =>
        new Promise<void>(resolve => {
          closed = resolve
        }),
    )
    const { io, ended, shown } = started({ dashboard: { close } })
    await shown()
    io.interrupt()
    await expect.poll(() => close.mock.calls.length).toBeGreaterThan(0)
    expect(io.quits).toEqual([])
    io.interrupt()
    expect(io.quits).toEqual([exitCodes.ok])
    closed()
    expect(await ended).toBe(exitCodes.ok)
  })

  it('passes its options on', async () => {
    const { io, options, shown, ended } = started({
      folders: ['a', 'b'],
      env: { HOME: '/person' },
      flags: { port: 7900, host: '::1', newToken: true },
    })
    await shown()
    expect(options()).toEqual({
      folders: ['a', 'b'],
      cwd: '/desk',
      env: { HOME: '/person' },
      port: 7900,
      host: '::1',
      newToken: true,
      token: undefined,
      onUnexpected: expect.any(Function),
    })
    io.interrupt()
    await ended
  })

  it('warns when others can reach it', async () => {
    const { io, shown, ended } = started({ dashboard: { warning: 'Nothing is encrypted.' } })
    await shown()
    expect(io.err()).toBe('warning: Nothing is encrypted.\n')
    io.interrupt()
    await ended
  })

  it('does not wait when it cannot start', async () => {
    const io = fakeIo<Library>()
    const start = async () => {
      throw new InputError('Another program uses port 7860.')
    }
    await expect(view(io, [], { start })).rejects.toThrow('Another program uses port 7860.')
    expect(io.out()).toBe('')
  })
})

describe('the token', () => {
  it.each([
    ['typed', { flags: { token: 'typed' }, env: { SKILLOPT_VIEW_TOKEN: 'set' } }, 'typed'],
    ['from the environment', { env: { SKILLOPT_VIEW_TOKEN: 'set' } }, 'set'],
    ['that is empty there is none', { env: { SKILLOPT_VIEW_TOKEN: '' } }, undefined],
  ])('%s', async (_name, seen, token) => {
    const { io, options, shown, ended } = started(seen)
    await shown()
    expect(options()?.token).toBe(token)
    io.interrupt()
    await ended
  })

  it.each([
    { flags: { token: 'typed', newToken: true as const } },
    { flags: { newToken: true as const }, env: { SKILLOPT_VIEW_TOKEN: 'set' } },
  ])('is not both given and new: %j', async seen => {
    const { ended, start } = started(seen)
    await expect(ended).rejects.toThrow(InputError)
    await expect(ended).rejects.toThrow('--new-token makes a token to be kept')
    expect(start).not.toHaveBeenCalled()
  })
})

describe('the browser', () => {
  it('is opened on request only, at the address with the token', async () => {
    const [without, asked] = [started(), started({ flags: { open: true } })]
    for (const each of [without, asked]) {
      await each.shown()
      each.io.interrupt()
      await each.ended
    }
    expect(without.open).not.toHaveBeenCalled()
    expect(asked.open.mock.calls).toEqual([[url]])
    expect(asked.options()).not.toHaveProperty('open')
    expect(asked.io.err()).toBe('')
  })

  it('does not stop the dashboard if it is missing', async () => {
    const { io, ended, close } = started({ flags: { open: true }, opens: false })
    await expect.poll(() => io.err()).toContain('copy the address into one')
    expect(close).not.toHaveBeenCalled()
    io.interrupt()
    expect(await ended).toBe(exitCodes.ok)
  })
})

describe('a mistake of ours', () => {
  const broken = new Error('it broke\u001b[2J')
  broken.stack = 'Error: it broke\n    at somewhere'

  it.each([
    [{}, 'This is a bug in skillopt. Set SKILLOPT_DEBUG=1 to see where.'],
    [{ SKILLOPT_DEBUG: '1' }, 'at somewhere'],
  ])('is told with %j, and the dashboard goes on', async (env, said) => {
    const { io, options, shown, close, ended } = started({ env })
    await shown()
    options()?.onUnexpected?.(broken)
    expect(io.err()).toContain('unexpected error: ')
    expect(io.err()).toContain('it broke')
    expect(io.err()).toContain(said)
    // Escape sequences in a message must not reach the terminal.
    expect(io.err()).not.toContain('\u001b')
    expect(close).not.toHaveBeenCalled()
    io.interrupt()
    await ended
  })
})

describe('the command', () => {
  let world: Awaited<ReturnType<typeof makeDashboardWorld>> | undefined
  afterEach(() => world?.end())

  it('serves a real dashboard until it is interrupted', async () => {
    world = await makeDashboardWorld()
    const { start } = world
    const io = fakeIo<Library>({ cwd: world.place('desk'), env: world.env })
    const ended = view(io, [], { port: 0, start })
    await expect.poll(() => io.out()).toContain('Press Ctrl-C to stop it.')
    const printed = /http:\S+/.exec(io.out())?.[0] ?? ''
    const address = new URL('/', printed).href
    const dashboard = { url: printed, address, close: async () => undefined }
    expect((await send(dashboard, { path: '/api/about' })).status).toBe(200)
    io.interrupt()
    expect(await ended).toBe(exitCodes.ok)
    await expect(send(dashboard, { path: '/api/about' })).rejects.toThrow('ECONNREFUSED')
  })

  it.each([
    [['--port', '65536'], '--port'],
    [['--port', '-1'], '--port'],
    [['--port', 'http'], '--port'],
    [['nowhere'], 'The folder nowhere does not exist.'],
  ])('refuses %j', async (args, message) => {
    world = await makeDashboardWorld()
    const io = fakeIo<Library>({ cwd: world.place('desk'), env: world.env })
    expect(await main(['view', ...args], io)).toBe(exitCodes.badInput)
    expect(io.err()).toContain(message)
  })
})
