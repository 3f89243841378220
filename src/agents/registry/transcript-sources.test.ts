import { describe, expect, it } from 'vitest'
import { InputError } from '../../core/errors/errors.js'
import { listSources, loadSource } from './transcript-sources.js'

describe('sources by name', () => {
  it('are all that have a file', async () => {
    const sources = await listSources()
    const ids = sources.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted())
    expect(ids).toEqual(
      expect.arrayContaining(['claude-code', 'codex', 'copilot', 'gemini', 'opencode', 'pi']),
    )
    expect(await loadSource('codex')).toBe(sources[ids.indexOf('codex')])
  })

  it.each([
    ['opncode', 'Did you mean opencode? Available: '],
    ['nothing-like-it', 'Available: '],
    ['../draft', 'Available: '],
  ])('are refused where there is none called %s', async (id, hint) => {
    const refusal = await loadSource(id).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(InputError)
    expect((refusal as InputError).message).toContain(id)
    expect((refusal as InputError).hint).toMatch(new RegExp(`^${hint.replaceAll('?', '\\?')}`))
  })
})
