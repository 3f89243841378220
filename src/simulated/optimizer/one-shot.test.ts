import { expect, it } from 'vitest'
import { loadPrompts } from '../../trainer/stages/prompts.js'
import { answerSimulated } from '../responder.js'
import { generateSplits } from '../world/generate.js'
import { readAdvice } from '../world/reading.js'
import { truth } from '../world/truth.js'

const { 'one-shot': prompt } = await loadPrompts()
const tasks = generateSplits({ all: 40 }, 11).all ?? []

function skillFrom(count: number, seed: number): string {
  const blocks = tasks.slice(0, count).map(({ question, answer }, index) => {
    const system = { role: 'system', content: '' }
    const reply = answerSimulated({
      model: 'target',
      messages: [system, { role: 'user', content: question }],
      seed,
    }).content
    const result = reply?.includes(`<answer>${answer}</answer>`) ? 'passed' : 'failed'
    return `<trajectory number="${index + 1}" result="${result}">\n[user]\n${question}\n[assistant]\n${reply}\n[feedback]\nExpected "${answer}".\n</trajectory>`
  })
  const user = `<trajectories>\n${blocks.join('\n')}\n</trajectories>`
  const messages = [
    { role: 'system', content: prompt.text },
    { role: 'user', content: user },
  ]
  const text = answerSimulated({ model: 'optimizer', messages, seed }).content ?? ''
  return /"new_skill": "((?:[^"\\]|\\.)*)"/.exec(text)?.[1]?.replaceAll('\\n', '\n') ?? ''
}

it('answers the bundled prompt with a skill that knows what the examples show, and no more', () => {
  const right = (skill: string) =>
    [...readAdvice(skill).statements].filter(([id, statements]) => statements.at(-1)?.value === truth[id])
      .length
  const seeds = Array.from({ length: 20 }, (_, index) => index)
  const mean = (count: number) =>
    seeds.reduce((sum, seed) => sum + right(skillFrom(count, seed)), 0) / seeds.length
  for (const seed of seeds) expect(skillFrom(8, seed)).toMatch(/^# How to answer\n/)
  expect(mean(0)).toBe(0)
  expect(mean(30)).toBeGreaterThan(mean(4))
  expect(mean(30)).toBeGreaterThan(1)
})
