import { describe, expect, it } from 'vitest'
import { sleepTask } from '../../../test/support/sleep-book.js'
import { dreamText } from '../../sleep/dreams/dream.js'
import { variantProblem } from '../../sleep/dreams/variants.js'
import { variantGuard } from '../../sleep/mining/held-out.js'
import { dreamReply } from '../../trainer/stages/contracts.js'
import { loadPrompts } from '../../trainer/stages/prompts.js'
import { answerSimulated } from '../responder.js'

const { dream: prompt } = await loadPrompts()
const paper = sleepTask('papers', {
  intent: 'Cite a paper.',
  rubric: ['Has at most 120 characters.'],
  examples: [
    {
      text: 'Cite this in 120 characters:\n\n```\ntitle: On Rivers\nauthors: Ada Bellamy, Jan Bellamy\narxiv: 2401.00017v2\ndate: 2024-02-28\n```',
    },
    { text: 'cite that one too, it is number 7' },
  ],
})

/** Use seeds for which the first reply is valid JSON. */
function variantsOf(task: typeof paper, count: number, seed: number): readonly string[] {
  const messages = [
    { role: 'system', content: prompt.text },
    { role: 'user', content: dreamText(task, count) },
  ]
  const text = answerSimulated({ model: 'optimizer', messages, seed }).content ?? ''
  return dreamReply.parse(
    JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1).replace(/,\n\}$/, '\n}')),
  ).variants
}

describe('the simulated optimizer', () => {
  it('varies numbers, names and openings, and keeps what the rubric is about', () => {
    for (let seed = 0; seed < 40; seed += 1) {
      const [first = '', second = '', third = ''] = variantsOf(paper, 3, seed)
      expect(first).toMatch(
        /Cite this in 120 characters:\n\n```\ntitle: On \w+\nauthors: (?!Ada)\w+ (?!Bellamy)(\w+), (?!Jan)\w+ \1\narxiv: \d{4}\.\d{5}v\d\ndate: 2024-02-(?:0[1-9]|1\d|2[0-8])\n```$/,
      )
      expect(first).not.toContain('2401.00017v2')
      expect(second).toMatch(/cite that one too, it is number [^7]$/)
      expect(third).not.toBe(first)
    }
  })

  it('makes variants that are accepted', async () => {
    const other = sleepTask('soup', { split: 'val', examples: [{ text: 'cook a soup for six' }] })
    const { problems } = variantGuard([paper, other])
    for (let seed = 0; seed < 20; seed += 1) {
      const variants = variantsOf(paper, 2, seed)
      expect(variants.map(text => variantProblem(text, paper, []))).toEqual([undefined, undefined])
      expect(await problems(paper, variants)).toEqual([undefined, undefined])
    }
  })

  it('has none where there is no request, and reads only what is one', () => {
    const asked = (content: string) =>
      JSON.parse(
        answerSimulated({
          model: 'optimizer',
          messages: [
            { role: 'system', content: prompt.text },
            { role: 'user', content },
          ],
          seed: 1,
        }).content ?? '',
      )
    expect(asked('Variations wanted: 3.')).toEqual({ variants: [] })
    const odd = 'Variations wanted: 1.\n\n[begin requests abc]\nno JSON\n"number 5"\n[end requests abc]'
    expect(asked(odd).variants).toEqual([expect.stringMatching(/number [^5]$/)])
  })
})
