import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { create, options } from '../../tasks/benchmarks/livemath/index.js'
import type { ChatRequest } from '../chat.js'
import { diceOf } from '../random.js'
import { readTerm } from './expression.js'
import { lessonsIn } from './index.js'
import { solver } from './livemath.js'
import { careful, readStatement, tryOut } from './statement.js'

const example = fileURLToPath(new URL('../../../examples/livemath/', import.meta.url))
const environment = await create(
  options.parse({ train: 'data/train.json', val: 'data/val.json', test: 'data/test.json' }),
  { baseDir: example },
)
const tasks = (
  await Promise.all((['train', 'val', 'test'] as const).map(split => environment.tasks(split)))
).flat()

const lessonIds = Object.keys(solver.lessons) as (keyof typeof solver.lessons)[]
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const asked = (content: string): ChatRequest => ({ model: 'target', messages: [{ role: 'user', content }] })

/** One attempt at every example task by an agent that follows the skill. */
async function attempts(skill: string) {
  const stated = lessonsIn(solver, skill)
  return Promise.all(
    tasks.map(async task => {
      const session = await environment.open(task, scoreContext)
      const question = String(session.prompt)
      const request: ChatRequest = {
        model: 'target',
        messages: [
          { role: 'system', content: `${session.instructions}\n\n## Skill\n${skill}` },
          { role: 'user', content: question },
        ],
      }
      expect(solver.recognises(request)).toBe(true)
      const reply = solver.act(request, lesson => stated.has(lesson), diceOf(task.id)).content ?? ''
      const trajectory = { messages: [], answer: reply, stop: 'answered' } as const
      const { hard, feedback } = await environment.score(task, trajectory, scoreContext)
      return { id: task.id, hard, attempt: { question, reply, feedback, whole: '' } }
    }),
  )
}

const share = (results: readonly { readonly hard: number }[]) =>
  results.reduce((sum, { hard }) => sum + hard, 0) / results.length

const allLessons = lessonIds.map(id => `- ${solver.lessons[id].wordings[0]}`).join('\n')

describe('livemath, simulated', () => {
  it('solves about a third with the skill of the example, and all with every lesson', async () => {
    const plain = share(await attempts(read('../../../examples/livemath/SKILL.md')))
    expect(plain).toBeGreaterThan(0.3)
    expect(plain).toBeLessThan(0.6)
    expect((await attempts(allLessons)).filter(({ hard }) => hard < 1).map(({ id }) => id)).toEqual([])
  })

  it.each(lessonIds)('%s makes a difference of its own, which the attempt shows', async id => {
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

  it('finds no lesson in the seed skill', () => {
    expect([...lessonsIn(solver, read('../../tasks/benchmarks/livemath/seed-skill.md'))]).toEqual([])
  })

  it('does not recognise other work, and finds no lesson in unreadable attempts', () => {
    expect(solver.recognises(asked('What does a parcel of 3 kg cost?'))).toBe(false)
    expect(solver.recognises({ model: 'target', messages: [] })).toBe(false)
    const blank = { question: '', reply: 'No idea.', feedback: 'Wrong.', whole: '' }
    expect(lessonIds.filter(id => solver.lessons[id].isLackingIn(blank))).toEqual([])
  })

  it('takes the longest where it understands none', () => {
    const choices = ['$G$ is abelian.', '$G$ is solvable, and so is its derived group.', 'None.']
    const list = choices.map((text, index) => `${'ABC'[index]}. ${text}`).join('\n')
    const reply = solver.act(asked(`Question:\nWhich?\n\nChoices:\n${list}`), () => true, diceOf('none'))
    expect(reply.content).toContain('A: I cannot test this.')
    expect(reply.content).toContain('<answer>B</answer>')
  })
})

describe('terms', () => {
  it.each([
    ['n^2+n', 3n, 12n],
    ['2n(n-1)', 4n, 24n],
    ['-n^2', 3n, -9n],
    ['2^{n+1}', 3n, 16n],
    ['n!', 5n, 120n],
    ['3 \\cdot n - 1', 2n, 5n],
    ['10-2-3', 0n, 5n],
    ['n!', -1n, undefined],
    ['2^n', -1n, undefined],
    ['2^n', 100_000n, undefined],
  ])('%s for n = %s', (text, n, value) => {
    expect(readTerm(text)?.(n)).toBe(value)
  })

  it.each(['', 'n+', '(n', 'x^2', 'n)', '\\sqrt{n}'])('does not read %j', text => {
    expect(readTerm(text)).toBeUndefined()
  })
})

describe('statements', () => {
  const hasty = { manyCases: false, firstCase: false, negatives: false, bothDirections: false }

  it.each([
    ['For every integer $n \\ge 1$, $n^2 > n$.', 1n],
    ['For every integer $n$, it is true that $n^3 \\ge n$.', -2n],
    ['For every integer $n \\ge 1$, the number $n^2+n+41$ is prime.', 40n],
    ['For every integer $n$, $n$ is divisible by $4$ if and only if $n$ is even.', -2n],
  ])('%s is refuted with care, and not in haste', (text, failsAt) => {
    const statement = readStatement(text)
    if (statement === undefined) throw new Error('cannot be read')
    expect(tryOut(statement, careful)).toEqual({ stands: false, failsAt })
    expect(tryOut(statement, hasty)).toEqual({ stands: true })
  })

  it.each([
    ['There is an integer $n \\ge 1$ such that $n^2$ is divisible by $49$.', true],
    ['For at least one integer $n \\ge 1$, $n^2+1$ is divisible by $3$.', false],
    ['For infinitely many integers $n \\ge 1$, $n$ is a perfect square.', true],
    ['For infinitely many integers $n \\ge 1$, $n < 5$.', false],
    ['For every integer $n$, if $n$ is odd, then $n^2-1$ is divisible by $8$.', true],
    ['For every integer $n$, $n^2$ is not prime.', true],
  ])('%s: %s', (text, stands) => {
    const statement = readStatement(text)
    expect(statement === undefined ? undefined : tryOut(statement, careful).stands).toBe(stands)
  })

  it.each([
    'Every group of prime order is cyclic.',
    'For every integer $n$, $n$ is happy.',
    'For every integer $n$, $n ~ 2$.',
    'For every integer $n$, if $n$ is even, then all is well.',
  ])('does not read %s', text => {
    expect(readStatement(text)).toBeUndefined()
  })
})
