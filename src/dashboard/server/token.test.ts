import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InputError } from '../../core/errors/errors.js'
import { chooseToken } from './token.js'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'skillopt-token-'))
})
afterEach(() => rm(home, { recursive: true }))

const file = () => join(home, 'view', 'token')
const choose = (options: Partial<Parameters<typeof chooseToken>[0]> = {}) =>
  chooseToken({ host: '127.0.0.1', cwd: home, env: { SKILLOPT_HOME: home }, ...options })
const onPosix = it.skipIf(process.platform === 'win32')

describe('the stored token', () => {
  it('is created at the first start and reused at the next', async () => {
    const first = await choose()
    expect(first).toMatch(/^[\w-]{43}$/)
    expect(await choose()).toBe(first)
    expect(await readFile(file(), 'utf8')).toBe(`${first}\n`)
  })

  it('differs per home folder', async () => {
    const other = join(home, 'other')
    expect(await choose({ env: { SKILLOPT_HOME: other } })).not.toBe(await choose())
  })

  it('is replaced on request, and the new one is stored', async () => {
    const first = await choose()
    const second = await choose({ newToken: true })
    expect(second).not.toBe(first)
    expect(await choose()).toBe(second)
  })

  onPosix('is for its owner alone', async () => {
    await choose()
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    expect((await stat(join(home, 'view'))).mode & 0o777).toBe(0o700)
  })

  onPosix.each([0o640, 0o604, 0o660, 0o601])(
    'is refused once others may have read it: mode %o',
    async mode => {
      await choose()
      await chmod(file(), mode)
      await expect(choose()).rejects.toThrow(InputError)
      await expect(choose()).rejects.toMatchObject({
        message: expect.stringContaining('can be read by others'),
        hint: expect.stringContaining('--new-token'),
      })
      expect(await choose({ newToken: true })).toMatch(/^[\w-]{43}$/)
      await choose()
      expect((await stat(file())).mode & 0o777).toBe(0o600)
    },
  )

  onPosix('is not taken from where a link leads', async () => {
    await choose()
    const elsewhere = join(home, 'elsewhere')
    await writeFile(elsewhere, await readFile(file()), { mode: 0o600 })
    await rm(file())
    await symlink(elsewhere, file())
    await expect(choose()).rejects.toThrow(InputError)
  })

  it.runIf(process.getuid?.() === 0)('is not taken from another user', async () => {
    await choose()
    await chown(file(), 12_345, 12_345)
    await expect(choose()).rejects.toThrow('belongs to another user')
  })

  it.each(['', 'short', `${'x'.repeat(43)}\n${'y'.repeat(43)}`, `${'x'.repeat(42)}!`])(
    'is refused if it is damaged: %j',
    async text => {
      await mkdir(join(home, 'view'), { mode: 0o700 })
      await writeFile(file(), text, { mode: 0o600 })
      await expect(choose()).rejects.toThrow('is damaged')
    },
  )
})

describe('a token chosen by the user', () => {
  it('is used as given, and not stored', async () => {
    expect(await choose({ token: '12345678901234567890' })).toBe('12345678901234567890')
    expect(await choose()).not.toBe('12345678901234567890')
  })

  it.each(['', '1234567890123456789', '1234567890 1234567890', 'ä'.repeat(20), `${'x'.repeat(20)}\n`])(
    'is refused if it cannot be used: %j',
    async token => {
      await expect(choose({ token })).rejects.toThrow('cannot be used')
      // The rejected token may be a real secret with a stray blank, so the error must not contain it.
      if (token !== '') await expect(choose({ token })).rejects.not.toThrow(token)
    },
  )
})

describe('where other machines can reach it', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'desk.example'])(
    '%s requires a token chosen by the user',
    async host => {
      for (const newToken of [false, true])
        await expect(choose({ host, newToken })).rejects.toMatchObject({
          message: expect.stringContaining(`On ${host} other machines can reach the dashboard`),
          hint: expect.stringMatching(/SKILLOPT_VIEW_TOKEN.*Nothing is encrypted.*ssh -N -L/s),
        })
      await expect(readFile(file())).rejects.toThrow('ENOENT')
      expect(await choose({ host, token: 'x'.repeat(20) })).toBe('x'.repeat(20))
    },
  )

  it.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost'])('%s is this machine only', async host => {
    expect(await choose({ host })).toMatch(/^[\w-]{43}$/)
  })
})
