import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scoreContext } from '../../../../test/score-context.js'
import { InputError } from '../../../core/errors/errors.js'
import { chosenLabel, shuffleChoices } from './choices.js'
import { create, options } from './index.js'

let baseDir = ''
beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'livemath-'))
})
afterEach(() => rm(baseDir, { recursive: true }))

const others = (text: string) => ['B', 'C', 'D', 'E'].map(label => ({ label, text: `${text} ${label}` }))

const item = (no: number) => ({
  no,
  paper_link: 'unused',
  theorem: { env_name: 'theorem', content: `Theorem ${no} holds.` },
  sketch: `Use lemma ${no}.`,
  theorem_type: ['Universal', 'Implication'],
  mcq: {
    question: `What follows from ${no}?`,
    correct_choice: { label: 'A', text: `right ${no}` },
    choices: others(`wrong ${no}`),
    meta: { weaker_true_label: 'C' },
  },
})

const open = (given: object = {}) =>
  create(options.parse({ path: 'all.json', ratio: '1:1:1', ...given }), { baseDir })

const write = (items: readonly unknown[]) => writeFile(join(baseDir, 'all.json'), JSON.stringify(items))

async function taskOne(given: object = {}) {
  const environment = await open(given)
  for (const split of ['train', 'val', 'test'] as const) {
    const task = (await environment.tasks(split)).find(({ id }) => id === '1')
    if (task !== undefined) return { environment, task }
  }
  throw new Error('no task')
}

const said = (answer: string) => ({ messages: [], answer, stop: 'answered' }) as const

describe('livemath', () => {
  it('merges the choices, shuffles them by seed and id, and labels them anew', async () => {
    await write([1, 2, 3].map(item))
    const { environment, task } = await taskOne()
    // The order that random.Random(int(sha256("42:1")[:16], 16)).shuffle gives in CPython.
    expect(task.choices).toEqual([
      { label: 'A', text: 'wrong 1 E' },
      { label: 'B', text: 'wrong 1 D' },
      { label: 'C', text: 'wrong 1 B' },
      { label: 'D', text: 'wrong 1 C' },
      { label: 'E', text: 'right 1' },
    ])
    expect(task).toMatchObject({ correct: 'E', weaker: 'D', type: 'Universal' })
    const session = await environment.open(task, scoreContext)
    expect(session.prompt).toBe(
      'Question:\nWhat follows from 1?\n\nChoices:\nA. wrong 1 E\nB. wrong 1 D\nC. wrong 1 B\nD. wrong 1 C\nE. right 1',
    )
  })

  it('shows theorem and sketch to reflection only, as far as it is told to', async () => {
    await write([1, 2, 3].map(item))
    const hidden = async (given: object) => {
      const { environment, task } = await taskOne(given)
      const session = await environment.open(task, scoreContext)
      expect(`${session.instructions} ${String(session.prompt)}`).not.toMatch(/Theorem 1|lemma/)
      return session.hidden
    }
    expect(await hidden({})).toBe('Theorem:\nTheorem 1 holds.\n\nSketch of the proof:\nUse lemma 1.')
    expect(await hidden({ useSketch: false })).toBe('Theorem:\nTheorem 1 holds.')
    expect(await hidden({ useTheorem: false, useSketch: false })).toBeUndefined()
  })

  it('can leave the choices as they are published', async () => {
    await write([1, 2, 3].map(item))
    const { task } = await taskOne({ shuffleChoices: false })
    expect(task.choices.map(({ text }) => text)).toEqual(['right 1', ...others('wrong 1').map(c => c.text)])
    expect(task.correct).toBe('A')
  })

  it('scores by the label, and says what was chosen instead', async () => {
    await write([1, 2, 3].map(item))
    const { environment, task } = await taskOne()
    const score = (answer: string) => environment.score(task, said(answer), scoreContext)
    expect(await score('So <answer>e).</answer>')).toEqual({
      hard: 1,
      soft: 1,
      feedback: 'Correct: E ("right 1").',
    })
    expect(await score('<answer>B</answer>')).toEqual({
      hard: 0,
      soft: 0,
      feedback: 'Expected E ("right 1"); got B ("wrong 1 D").',
    })
    expect((await score('D')).feedback).toBe(
      'Expected E ("right 1"); got D ("wrong 1 C"). D is true, but says less than E.',
    )
    expect((await score('none')).feedback).toBe('Expected E ("right 1"); got "NONE".')
    const cut = await environment.score(
      task,
      { messages: [], answer: '', stop: 'output-limit' },
      scoreContext,
    )
    expect(cut.feedback).toBe(
      'Expected E ("right 1"); got no answer. The agent did not finish: output-limit.',
    )
  })

  it('takes items that have all five choices together, an id of their own and plain texts', async () => {
    const { correct_choice: right, choices } = item(1).mcq
    const together = {
      ...item(1),
      id: 'own',
      theorem: 'T.',
      theorem_type: 'Existence',
      sketch: null,
      mcq: { ...item(1).mcq, choices: [right, ...choices], meta: undefined },
    }
    await write([together, item(2), item(3)])
    const environment = await open()
    const tasks = await Promise.all((['train', 'val', 'test'] as const).map(environment.tasks))
    const task = tasks.flat().find(({ id }) => id === 'own')
    expect(task?.choices).toHaveLength(5)
    expect(task).toMatchObject({
      type: 'Existence',
      hidden: 'Theorem:\nT.',
    })
    expect(task).not.toHaveProperty('weaker')
  })

  it('knows an item by month and number where the file or the item says the month', async () => {
    await writeFile(join(baseDir, 'qa_202511_final.json'), JSON.stringify([1, 2, 3].map(item)))
    const environment = await open({ path: 'qa_202511_final.json' })
    const [task] = await environment.tasks('train')
    expect(task?.id).toMatch(/^202511:[123]$/)
    await write([{ ...item(1), month: '202602' }, item(2), item(3)])
    const tasks = await Promise.all((['train', 'val', 'test'] as const).map((await open()).tasks))
    expect(tasks.flat().map(({ id }) => id)).toContain('202602:1')
  })

  it.each([
    [
      { ...item(2), mcq: undefined },
      'all.json, item 2 is not a LiveMathematicianBench item: there is no "mcq".',
    ],
    [{ ...item(2), no: undefined }, 'item 2 is not a LiveMathematicianBench item: there is no "id".'],
    [
      { ...item(2), mcq: { ...item(2).mcq, choices: others('x').slice(1) } },
      'all.json, item 2 (item 2) has the choices A, C, D, E with the right one, and not each of A to E once.',
    ],
    [
      { ...item(2), mcq: { ...item(2).mcq, correct_choice: { label: 'B', text: 'right' } } },
      'has the choices B, B, C, D, E',
    ],
    [
      { ...item(2), mcq: { ...item(2).mcq, choices: [{ label: 'F', text: 'x' }] } },
      '"mcq.choices.0.label" cannot be used',
    ],
    [item(1), 'The splits overlap'],
    [{ ...item(1), no: 9 }, 'The same task stands in two splits'],
  ])('refuses bad items with their place %#', async (bad, message) => {
    await write([item(1), bad, item(3)])
    const refused = open()
    await expect(refused).rejects.toThrow(InputError)
    await expect(refused).rejects.toThrow(message)
  })
})

describe('shuffleChoices', () => {
  // From CPython 3: random.Random(int(hashlib.sha256(f"{seed}:{id}".encode()).hexdigest()[:16], 16)).shuffle(list("ABCDE"))
  it.each([
    [42, '2512.01137v1', 'BACED'],
    [42, '1', 'EDBCA'],
    [7, 'x::alt1', 'BEDAC'],
    [0, 'é', 'AEDCB'],
  ])('%i:%s', (seed, id, order) => {
    expect(shuffleChoices([...'ABCDE'], seed, id).join('')).toBe(order)
  })
})

describe('chosenLabel', () => {
  const choices = [
    { label: 'A', text: 'yes' },
    { label: 'B', text: ' $f(x)$ ' },
    { label: 'C', text: '$F(x)$' },
    { label: 'D', text: 'B because' },
  ]
  it.each([
    ['<answer>A</answer> no, <answer>c:</answer>', 'C'],
    ['<answer>$f(x)$</answer>', 'B'],
    ['<answer>$F(x)$</answer>', 'C'],
    ['<answer>B because</answer>', 'D'],
    ['<answer>B, because</answer>', 'B, BECAUSE'],
    ['<answer>B) because</answer>', 'B'],
    ['<answer>(B)</answer>', '(B'],
    ['The answer:\n\n D. \n\n', 'D'],
    ['<answer>E</answer>', 'E'],
    ['', ''],
  ])('%j', (reply, label) => {
    expect(chosenLabel(reply, choices)).toBe(label)
  })
})
