import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { marked } from '../../core/text/marked.js'
import { usualCharacter } from '../character.js'
import { answerAsOptimizer } from '../optimizer.js'

const prompt = readFileSync(new URL('../../trainer/stages/prompts/mine.md', import.meta.url), 'utf8')
const facts = '```\ntitle: Sparse Routing\nauthors: A Okafor, B Vogt\narxiv: 2403.91234v2\n```'
const lines = (values: readonly object[]): string => values.map(value => JSON.stringify(value)).join('\n')

function mined(complaints: readonly string[], request = `a footnote please:\n\n${facts}`, seed = 1) {
  const rework = lines(complaints.map(said => ({ kind: 'correction', request: 1, said })))
  const text = `Asked on 4 occasions.\n\n${marked({ rework, requests: lines([{ request: 1, text: request }]) })}`
  const reply = answerAsOptimizer(
    {
      model: 'optimizer',
      seed,
      messages: [
        { role: 'system', content: prompt },
        { role: 'user', content: text },
        // The empty reply makes this a repeated request, which always returns valid JSON.
        { role: 'assistant', content: '' },
      ],
    },
    usualCharacter,
  )
  return JSON.parse(reply.content ?? '') as { intent: string; rubric: string[]; skip: string | null }
}

describe('the simulated optimizer, asked to write a task', () => {
  it('takes the request without what was pasted, and a point from each complaint', () => {
    expect(mined(['no, first surname and et al.', 'I told you that the arXiv id has a version'])).toEqual({
      intent: 'A footnote please.',
      rubric: ['First surname and et al.', 'The arXiv id has a version.'],
      checks: [],
      skip: null,
    })
  })

  it('makes one point of complaints about the same thing', () => {
    const complaints = ['no, first surname and et al.', 'wrong, shorten them to the first one et al.']
    expect(mined(complaints).rubric).toEqual(['First surname and et al.'])
  })

  it('puts no quotation marks into a point: a judge would look for the words between them', () => {
    expect(mined(['no, it is "Okafor et al." there']).rubric).toEqual(["It is 'Okafor et al.' there."])
  })

  it('makes no task where nobody complained, or where nothing is left of the complaint', () => {
    expect(mined([])).toMatchObject({ rubric: [], skip: expect.stringContaining('would not have accepted') })
    expect(mined(['no!']).rubric).toEqual([])
  })

  it('overlooks a complaint now and then', () => {
    const seeds = Array.from({ length: 100 }, (_, seed) => seed)
    const seen = seeds.filter(seed => mined(['no, first et al.'], undefined, seed).rubric.length > 0).length
    expect(seen).toBeGreaterThan(75)
    expect(seen).toBeLessThan(100)
  })
})
