import { describe, expect, it } from 'vitest'
import { fakeRun, scoredAttempt } from '../../../test/fake-run.js'
import type { Attempt } from '../../core/task/task.js'
import { shortenTurns, type Turn, transcript } from './render.js'

const lengthOf = (turns: readonly Turn[]) => turns.flat().join('').length

describe('a long attempt, for reflection', () => {
  it('is unchanged if it fits', () => {
    const turns = [
      ['[user]', 'u'.repeat(500)],
      ['[tool]', 't'.repeat(488)],
    ]
    expect(shortenTurns(turns, 1000)).toBe(turns)
  })

  it('loses the middle of its longest texts, and nothing of the short ones', () => {
    const printed = `${'a'.repeat(5000)}${'b'.repeat(5000)}`
    const shown = shortenTurns(
      [
        ['[user]', 'Look.'],
        ['[tool]', printed],
        ['[assistant]', 'Done.'],
      ],
      2000,
    )
    expect(shown[0]).toEqual(['[user]', 'Look.'])
    expect(shown[2]).toEqual(['[assistant]', 'Done.'])
    expect(shown[1]?.[1]).toMatch(/^a{900,}\n\(8,\d{3} characters left out here\)\nb{900,}$/)
    expect(lengthOf(shown)).toBeLessThanOrEqual(2000)
  })

  it('says how much is missing', () => {
    const [[, text = ''] = []] = shortenTurns([['[tool]', 'x'.repeat(9000)]], 1000)
    const [, missing = ''] = /\((.*) characters/.exec(text) ?? []
    const kept = text.replace(/\n.*\n/, '').length
    expect(kept + Number(missing.replace(',', ''))).toBe(9000)
  })

  it('divides the room among the texts that need it', () => {
    const shown = shortenTurns([['s'.repeat(100)], ['m'.repeat(3000)], ['l'.repeat(90_000)]], 5100)
    expect(shown.map(([piece = '']) => piece.length)).toEqual([100, 2498, 2500])
  })

  it('never splits a character', () => {
    for (const before of ['', 'a', 'ab']) {
      const [[text = ''] = []] = shortenTurns([[`${before}${'😀'.repeat(2000)}`]], 1000)
      expect(text).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/)
    }
  })

  it('keeps its beginning and its end if there are too many turns', () => {
    const turns = Array.from({ length: 1000 }, (_, index) => [`[tool] ${index}`, 'x'.repeat(400)])
    const shown = shortenTurns(turns, 10_000)
    expect(shown[0]?.[0]).toBe('[tool] 0')
    expect(shown.at(-1)?.[0]).toBe('[tool] 999')
    const left = shown.length - 1
    expect(shown).toContainEqual([`(${1000 - left} messages left out here)`])
    expect(lengthOf(shown)).toBeLessThanOrEqual(10_100)
    expect(left).toBeGreaterThan(20)
  })

  it('is still complete in the log', async () => {
    const run = fakeRun(() => ({}))
    const file = run.put(`first line\n${'filler\n'.repeat(30_000)}last line`)
    const attempt: Attempt = {
      ...scoredAttempt(run, 'a', 0),
      messages: [
        { role: 'user', text: 'Read it.' },
        {
          role: 'assistant',
          text: '',
          toolCalls: [{ id: '1', name: 'read', arguments: '{"path":"big.txt"}' }],
        },
        { role: 'tool', blob: file, toolCallId: '1' },
        { role: 'assistant', text: 'I have read it.' },
      ],
    }
    const shown = await transcript(run, attempt)
    expect(shown.length).toBeLessThan(41_000)
    expect(shown).toContain('-> read({"path":"big.txt"})\n[tool]\nfirst line\n')
    expect(shown).toContain('last line\n[assistant]\nI have read it.')
    expect(shown).toMatch(/\(170,\d{3} characters left out here\)/)
    expect((await run.get(file)).length).toBeGreaterThan(200_000)
  })
})
