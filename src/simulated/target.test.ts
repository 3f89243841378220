import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { answerSimulated } from './responder.js'
import { unknownTask } from './target.js'
import { conventionIds, conventions } from './world/conventions.js'
import { generateSplits } from './world/generate.js'
import { answerTagRule, harmfulAdvice, phrasingsOf } from './world/phrasing.js'
import { truth } from './world/truth.js'

const tasks = generateSplits({ all: 480 }, 11).all ?? []

function reply(skill: string, question: string, seed = 0): string {
  const messages = [
    { role: 'system', content: `You work at a desk.\n\n## Skill\n\n${skill}` },
    { role: 'user', content: question },
  ]
  return answerSimulated({ model: 'target', messages, seed }).content ?? ''
}

function shareRight(skill: string, seed = 0): number {
  const right = tasks.filter(task =>
    reply(skill, task.question, seed).includes(`<answer>${task.answer}</answer>`),
  )
  return right.length / tasks.length
}

/** All rules of the house, each in its n-th wording. */
function perfectSkill(wording: number): string {
  const rules = conventionIds.map(id => {
    const phrasings = phrasingsOf(id, truth[id])
    return `- ${phrasings[wording % phrasings.length]}`
  })
  return [`- ${answerTagRule}`, ...rules].join('\n')
}

describe('the simulated target', () => {
  it.each([0, 1, 2])('follows a complete skill, in wording %i', wording => {
    const share = shareRight(perfectSkill(wording))
    expect(share).toBeGreaterThanOrEqual(0.9)
    expect(share).toBeLessThan(0.98)
  })

  it('does badly without a skill, and better with the seed skill of the example', () => {
    const seedSkill = readFileSync(new URL('../../examples/quickstart/SKILL.md', import.meta.url), 'utf8')
    const none = shareRight('')
    const seed = shareRight(seedSkill)
    expect(none).toBeLessThan(0.2)
    expect(seed).toBeGreaterThan(0.2)
    expect(seed).toBeLessThan(0.42)
  })

  it('is hurt by a wrong rule and by a missing one', () => {
    const perfect = perfectSkill(0)
    const wrong = perfect.replace('divided by 4000', 'divided by 6000')
    expect(wrong).not.toBe(perfect)
    expect(shareRight(wrong)).toBeLessThan(shareRight(perfect) - 0.1)
    const missing = perfect
      .split('\n')
      .filter(line => !line.includes('Insurance'))
      .join('\n')
    expect(shareRight(missing)).toBeLessThan(shareRight(perfect) - 0.05)
  })

  it('lies between the two when the skill contradicts itself, and mostly takes the last word', () => {
    const perfect = perfectSkill(0)
    const other = phrasingsOf('insurance-rate', '2')[0]
    const rightLast = shareRight(`- ${other}\n${perfect}`)
    const wrongLast = shareRight(`${perfect}\n- ${other}`)
    expect(rightLast).toBeLessThan(shareRight(perfect))
    expect(wrongLast).toBeLessThan(rightLast)
  })

  it('slips more when told to leave out the working, or when the skill is endless', () => {
    const perfect = perfectSkill(0)
    expect(shareRight(`${perfect}\n- ${harmfulAdvice[0]}`)).toBeLessThan(shareRight(perfect) - 0.07)
    const padding = Array.from({ length: 60 }, (_, index) => `- Remark ${index}: stay polite.`).join('\n')
    expect(shareRight(`${perfect}\n${padding}`)).toBeLessThan(shareRight(perfect) - 0.15)
  })

  it('is hardly moved by vague advice', () => {
    const perfect = perfectSkill(0)
    expect(
      Math.abs(shareRight(`${perfect}\n- Be consistent with company practice.`) - shareRight(perfect)),
    ).toBeLessThan(0.04)
  })

  it('has habits that are right about some conventions and wrong about others', () => {
    const right = conventionIds.filter(id => conventions[id].usual[0] === truth[id])
    expect(right.length).toBeGreaterThan(0)
    expect(right.length).toBeLessThan(conventionIds.length / 2)
  })

  it('gives the same reply to the same request and seed, and others to other seeds', () => {
    const skill = perfectSkill(1)
    const once = tasks.map(task => reply(skill, task.question, 5))
    expect(tasks.map(task => reply(skill, task.question, 5))).toEqual(once)
    const otherSeed = tasks.map(task => reply(skill, task.question, 6))
    const same = otherSeed.filter((text, index) => text === once[index]).length
    expect(same).toBeGreaterThan(0)
    expect(same).toBeLessThan(tasks.length)
  })

  it('shows its working, then the answer between tags when asked for them', () => {
    for (const task of tasks.slice(0, 40)) {
      expect(reply(perfectSkill(0), task.question)).toMatch(/\n.*\n<answer>[^<]+<\/answer>$/)
    }
    const untold = tasks.filter(task => reply('', task.question).includes('<answer>')).length / tasks.length
    expect(untold).toBeGreaterThan(0.4)
    expect(untold).toBeLessThan(0.6)
  })

  it('reads a skill without its heading, and one in the user message', () => {
    const question = tasks.find(task => task.type === 'insurance')?.question ?? ''
    const rule = 'Insurance costs 2.5% of the declared value.'
    const system = answerSimulated({
      model: 'simulated/target',
      messages: [
        { role: 'developer', content: [{ type: 'text', text: rule }] },
        { role: 'user', content: question },
      ],
    })
    const user = answerSimulated({
      model: 'target',
      messages: [{ role: 'user', content: `## Skill\n\n- ${rule}\n\n${question}` }],
    })
    expect(system.content).toContain('2.5% of')
    expect(user.content).toContain('2.5% of')
  })

  it('says how many files came with a task that it does not know', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAEC' } }
    const content = [{ type: 'text', text: 'What is it?' }, image, image]
    const { content: said } = answerSimulated({ model: 'target', messages: [{ role: 'user', content }] })
    expect(said).toBe(`${unknownTask}; several files came with it, which I cannot see`)
  })

  it('says that it does not know other kinds of task', () => {
    expect(reply(perfectSkill(0), 'Who wrote Hamlet?')).toBe(unknownTask)
    expect(answerSimulated({ model: 'target', messages: [{ role: 'system', content: 'x' }] }).content).toBe(
      unknownTask,
    )
  })
})
