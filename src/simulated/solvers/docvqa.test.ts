import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { png } from '../../../test/support/pictures.js'
import type { Session } from '../../core/ports/environment.js'
import { promptParts, userMessage } from '../../core/task/parts.js'
import { create, options } from '../../tasks/benchmarks/docvqa/index.js'
import type { ChatRequest } from '../chat.js'
import { diceOf } from '../random.js'
import { solver } from './docvqa.js'
import { readPage } from './eyesight.js'
import { lessonsIn } from './index.js'

const example = fileURLToPath(new URL('../../../examples/docvqa/', import.meta.url))
const environment = await create(
  options.parse({
    train: 'data/train.csv',
    val: 'data/val.csv',
    test: 'data/test.csv',
    imageRoot: 'documents',
  }),
  { baseDir: example },
)
const tasks = (
  await Promise.all((['train', 'val', 'test'] as const).map(split => environment.tasks(split)))
).flat()

const lessonIds = Object.keys(solver.lessons) as (keyof typeof solver.lessons)[]
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const dataUri = (content: Buffer) => `data:image/png;base64,${content.toString('base64')}`

/** The request as sent: the question as text, then the image. */
function requestOf({ instructions, prompt }: Session, skill: string): ChatRequest {
  const content = promptParts(prompt).map(part =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } },
  )
  return {
    model: 'target',
    messages: [
      { role: 'system', content: `${instructions}\n\n## Skill\n${skill}` },
      { role: 'user', content },
    ],
  }
}

/** One attempt at every example task by an agent that follows the skill. */
async function attempts(skill: string) {
  const stated = lessonsIn(solver, skill)
  return Promise.all(
    tasks.map(async task => {
      const session = await environment.open(task, scoreContext)
      const request = requestOf(session, skill)
      expect(solver.recognises(request)).toBe(true)
      const reply = solver.act(request, lesson => stated.has(lesson), diceOf(task.id)).content ?? ''
      const trajectory = { messages: [], answer: reply, stop: 'answered' } as const
      const { hard, feedback } = await environment.score(task, trajectory, scoreContext)
      // The optimizer sees the file name in place of the image.
      const question = userMessage(promptParts(session.prompt)).text
      return { id: task.id, hard, attempt: { question, reply, feedback, whole: '' } }
    }),
  )
}

const share = (results: readonly { readonly hard: number }[]) =>
  results.reduce((sum, { hard }) => sum + hard, 0) / results.length

const allLessons = lessonIds.map(id => `- ${solver.lessons[id].wordings[0]}`).join('\n')

describe('docvqa, simulated', () => {
  it('solves about a third with the skill of the example, and all with every lesson', async () => {
    const plain = share(await attempts(read('../../../examples/docvqa/SKILL.md')))
    expect(plain).toBeGreaterThan(0.3)
    expect(plain).toBeLessThan(0.6)
    expect((await attempts(allLessons)).filter(({ hard }) => hard < 1).map(({ id }) => id)).toEqual([])
  })

  it.each(lessonIds)('%s makes a difference of its own, which the feedback shows', async id => {
    const without = lessonIds.filter(other => other !== id).map(other => solver.lessons[other].wordings[1])
    const failed = (await attempts(without.join('\n'))).filter(({ hard }) => hard < 1)
    expect(failed.length).toBeGreaterThan(3)
    for (const { attempt } of failed) {
      expect(lessonIds.filter(other => solver.lessons[other].isLackingIn(attempt))).toEqual([id])
    }
  })

  it.each(lessonIds)('%s is read in its own words, and in no other line', id => {
    for (const wording of solver.lessons[id].wordings)
      expect(lessonIds.filter(other => solver.lessons[other].isStatedIn(wording))).toEqual([id])
  })

  it('finds no lesson in the seed skill, nor in advice about other things', () => {
    const seed = read('../../tasks/benchmarks/docvqa/seed-skill.md')
    expect([...lessonsIn(solver, `${seed}\nPay attention to units.\nWrite dates as 1 May 1990.`)]).toEqual([])
  })

  it('does not recognise other work, and finds no lesson in unreadable attempts', () => {
    const asked = (content: string): ChatRequest => ({
      model: 'target',
      messages: [{ role: 'user', content }],
    })
    expect(solver.recognises(asked('What does a parcel of 3 kg cost?'))).toBe(false)
    expect(solver.recognises({ model: 'target', messages: [] })).toBe(false)
    const blank = { question: '', reply: 'No idea.', feedback: 'Wrong.', whole: '' }
    expect(lessonIds.filter(id => solver.lessons[id].isLackingIn(blank))).toEqual([])
  })

  it('says so where it sees nothing, or the page does not say', () => {
    const ask = (question: string, url?: string) => {
      const text = { type: 'text', text: `Question about the document: ${question}` }
      const content = url === undefined ? [text] : [text, { type: 'image_url', image_url: { url } }]
      const messages = [{ role: 'user', content }]
      return solver.act({ model: 'target', messages }, () => true, diceOf('none')).content
    }
    expect(ask('What is the date?')).toContain('<answer>unreadable</answer>')
    expect(ask('What is the date?', dataUri(png()))).toContain('<answer>unreadable</answer>')
    const memo = dataUri(readFileSync(`${example}documents/travel-memo.png`))
    expect(ask('What is the invoice number?', memo)).toContain('<answer>not stated</answer>')
  })
})

describe('eyesight', () => {
  const names = readdirSync(`${example}documents`).filter(name => name.endsWith('.txt'))

  it.each(names)('reads the picture of %s off its dots', name => {
    const picture = readFileSync(`${example}documents/${name.replace('.txt', '.png')}`)
    expect(readPage(dataUri(picture))).toBe(readFileSync(`${example}documents/${name}`, 'utf8').trim())
  })

  it('makes out nothing in other pictures, or in a broken one', () => {
    const page = readFileSync(`${example}documents/travel-memo.png`)
    expect(readPage(dataUri(page.subarray(0, 200)))).toBeUndefined()
    expect(readPage(dataUri(png()))).toBeUndefined()
    expect(readPage('data:image/jpeg;base64,/9j/')).toBeUndefined()
    expect(readPage('https://example.org/page.png')).toBeUndefined()
  })
})
