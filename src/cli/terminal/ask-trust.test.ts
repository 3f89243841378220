import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeIo } from '../../../test/support/fake-io.js'
import type { TrustRequest } from '../../project/trust.js'
import type { Library } from '../library.js'
import { trustFor } from './ask-trust.js'

const prompts = vi.hoisted(() => ({ select: vi.fn(), isCancel: (value: unknown) => value === 'cancelled' }))
vi.mock('@clack/prompts', () => prompts)
afterEach(() => prompts.select.mockReset())

const request: TrustRequest = {
  file: '/nowhere/clone/skillopt.yaml',
  items: [{ option: 'evaluation.gate', value: './a\u001b[2Kgate.mjs', effect: 'code' }],
  hasChanged: false,
}

async function ask(flags: { readonly trust?: true; readonly json?: boolean }, tty = true) {
  const io = fakeIo<Library>({ tty })
  const trust = trustFor(io, flags)
  if (trust === true) throw new Error('Nobody was asked.')
  return { answer: await trust(request), said: io.out() }
}

describe('whether a project is trusted', () => {
  it.each([
    ['as-is', 'as-is'],
    ['always', 'always'],
    ['no', 'no'],
    ['cancelled', 'no'],
  ])('is asked at a terminal: %s', async (given, expected) => {
    prompts.select.mockResolvedValue(given)
    const { answer, said } = await ask({})
    expect(answer).toBe(expected)
    expect(said).toContain('clone/skillopt.yaml can do this on your machine:\n  evaluation.gate: ')
    expect(said).not.toContain('\u001b[2K')
  })

  it('is refused first in the list of answers, so that Enter alone trusts nothing', async () => {
    prompts.select.mockResolvedValue('no')
    await ask({})
    const [{ options }] = prompts.select.mock.calls[0] as [{ options: { value: string }[] }]
    expect(options[0]?.value).toBe('no')
  })

  it.each([
    ['without a terminal', {}, false],
    ['where JSON is printed', { json: true }, true],
  ])('is not asked %s, but refused with what to do', async (_when, flags, tty) => {
    await expect(ask(flags, tty)).rejects.toMatchObject({
      message: expect.stringContaining('clone/skillopt.yaml is not trusted yet'),
      hint: expect.stringContaining('run `skillopt trust clone`, or pass --trust in a script'),
    })
    expect(prompts.select).not.toHaveBeenCalled()
  })

  it('needs no answer with --trust', () => {
    expect(trustFor(fakeIo<Library>(), { trust: true })).toBe(true)
  })
})
