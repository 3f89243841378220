import { readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import type { Environment } from '../../src/core/ports/environment.js'
import type { Task } from '../../src/core/task/task.js'
import * as sleepTasks from '../../src/sleep/replay/index.js'
import { createReplay } from '../../src/sleep/replay/replay.js'
import * as alfworld from '../../src/tasks/benchmarks/alfworld/index.js'
import * as docvqa from '../../src/tasks/benchmarks/docvqa/index.js'
import * as livemath from '../../src/tasks/benchmarks/livemath/index.js'
import * as officeqa from '../../src/tasks/benchmarks/officeqa/index.js'
import * as searchqa from '../../src/tasks/benchmarks/searchqa/index.js'
import * as spreadsheetbench from '../../src/tasks/benchmarks/spreadsheetbench/index.js'
import * as tasks from '../../src/tasks/own/index.js'
import { scoreContext } from '../score-context.js'
import { png } from '../support/pictures.js'
import { sandboxWorks } from '../support/real-sandbox.js'
import { makeRepository } from '../support/repository.js'
import { sleepBook, sleepTask } from '../support/sleep-book.js'
import { alfworldSubject } from './alfworld.js'
import { failures } from './check.js'
import { type EnvironmentSubject, environmentChecks, said } from './environment.js'
import { spreadsheetSubject, writeWorkbooks } from './spreadsheetbench.js'

let baseDir = ''

const questions = Array.from({ length: 12 }, (_, index) => ({
  id: `q${index}`,
  question: `What is ${index} plus ${index}?`,
  answer: index * 2,
  type: index % 2 === 0 ? 'even' : 'odd',
  ...(index % 2 === 0 ? { files: ['sum.png', 'notes.txt'] } : {}),
}))
const searches = Array.from({ length: 12 }, (_, index) => ({
  id: `s${index}`,
  question: `Which town has number ${index}?`,
  context: `[DOC] Town ${index} is called Place${index}. [DOC] Nothing here.`,
  answers: [`Place${index}`, `the place ${index}`],
}))
const pages = Array.from({ length: 12 }, (_, index) => ({
  questionId: index,
  question: `What is on line ${index}?`,
  answers: [`Line ${index}`],
  image: 'sum.png',
}))
const theorems = Array.from({ length: 12 }, (_, index) => ({
  no: index,
  theorem: `Theorem ${index}.`,
  sketch: 'By induction.',
  mcq: {
    question: `What follows from ${index}?`,
    correct_choice: { label: 'A', text: `Everything ${index}.` },
    choices: ['B', 'C', 'D', 'E'].map(label => ({ label, text: `Not ${label}.` })),
  },
}))
const projects = Array.from({ length: 12 }, (_, index) => ({
  id: `p${index}`,
  question: 'Add up the numbers in numbers.txt, and write the sum into out/total.txt.',
  answer: index + 10,
  project: index % 2 === 0 ? `project-${index}` : { 'numbers.txt': `${index} 10` },
}))
const figures = Array.from({ length: 12 }, (_, index) => ({
  uid: `f${index}`,
  question: `What was spent in year ${index}, in millions of dollars?`,
  answer: `${index}.5`,
  source_files: ['bulletin.txt'],
  difficulty: index % 2 === 0 ? 'easy' : 'hard',
}))

const recurring = (['train', 'val', 'test'] as const).flatMap(split => [
  sleepTask(`judged-${split}`, { split, rubric: ['It says "solved".'] }),
  sleepTask(`checked-${split}`, { split, checks: [{ op: 'regex', arg: '^solved: ' }], examples: [{}, {}] }),
])

beforeAll(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'environment-'))
  await writeFile(join(baseDir, 'questions.jsonl'), questions.map(item => JSON.stringify(item)).join('\n'))
  await writeFile(join(baseDir, 'sum.png'), png())
  await writeWorkbooks(baseDir)
  await writeFile(join(baseDir, 'notes.txt'), 'Add them up.')
  await writeFile(join(baseDir, 'searches.json'), JSON.stringify(searches))
  await writeFile(join(baseDir, 'pages.json'), JSON.stringify(pages))
  await writeFile(join(baseDir, 'theorems.json'), JSON.stringify(theorems))
  await writeFile(join(baseDir, 'projects.json'), JSON.stringify(projects))
  for (const [index, { project }] of projects.entries()) {
    if (typeof project !== 'string') continue
    await mkdir(join(baseDir, project))
    await writeFile(join(baseDir, project, 'numbers.txt'), `${index} 10`)
  }
  await writeFile(
    join(baseDir, 'recurring.json'),
    JSON.stringify({ ...sleepBook('shop', recurring), reviewed: true }),
  )
  const shop = await makeRepository(join(baseDir, 'shop'))
  asked.set('with-files-train-r1', await shop.commit({ 'notes.md': 'one' }))
  await shop.commit({ 'notes.md': 'two' })
  await writeFile(join(baseDir, 'figures.json'), JSON.stringify(figures))
  await writeFile(
    join(baseDir, 'bulletin.txt'),
    figures.map(({ uid, answer }) => `| ${uid} | ${answer} |`).join('\n'),
  )
})
afterAll(() => rm(baseDir, { recursive: true }))

const tasksSubject: EnvironmentSubject<Task> = {
  create: async () =>
    await tasks.create(tasks.options.parse({ path: 'questions.jsonl', ratio: '1:1:1', scorer: 'numeric' }), {
      baseDir,
    }),
  solve: task => said(`<answer>${questions.find(({ id }) => id === task.id)?.answer}</answer>`),
}

/** Tasks whose agents work on files, and whose answer is a file. */
const workspaceSubject: EnvironmentSubject<Task> = {
  create: async () =>
    await tasks.create(
      tasks.options.parse({
        path: 'projects.json',
        ratio: '1:1:1',
        scorer: 'exact',
        workspace: 'project',
        answerFile: 'out/total.txt',
      }),
      { baseDir },
    ),
  async solve(task, workspace = '') {
    await mkdir(join(workspace, 'out'))
    const added = (await readFile(join(workspace, 'numbers.txt'), 'utf8')).split(' ').map(Number)
    await writeFile(join(workspace, 'out', 'total.txt'), `${added.reduce((sum, each) => sum + each, 0)}\n`)
    return said(`Done with ${task.id}.`)
  },
}

/** Earlier requests to agents, replayed on copies of the project with a tool that no agent has. */
const asked = new Map<string, string>()
const copiesSubject: EnvironmentSubject<Task> = {
  create: () =>
    createReplay(
      (['train', 'val', 'test'] as const).map(split =>
        sleepTask(`with-files-${split}`, {
          split,
          checks: [
            { op: 'regex', arg: '^The notes say (one|two)\\.$' },
            { op: 'tool_called', arg: 'search_tickets' },
          ],
        }),
      ),
      { files: 'copies', project: join(baseDir, 'shop'), commits: asked },
    ),
  async solve(_task, workspace = '') {
    const answer = `The notes say ${await readFile(join(workspace, 'notes.md'), 'utf8')}.`
    const toolCalls = [{ id: '1', name: 'task-search_tickets', arguments: '{"input":"notes"}' }]
    const call = { role: 'assistant', text: '', toolCalls } as const
    return { ...said(answer), messages: [call, ...said(answer).messages] }
  },
}

/** Must list every environment folder, with data and a way to solve its tasks. */
const subjects: Readonly<Record<string, EnvironmentSubject<Task>>> = {
  tasks: tasksSubject,
  alfworld: alfworldSubject,
  spreadsheetbench: spreadsheetSubject(() => baseDir),
  docvqa: {
    create: async () =>
      await docvqa.create(docvqa.options.parse({ path: 'pages.json', ratio: '1:1:1' }), { baseDir }),
    solve: task => said(`<answer>line  ${task.id}</answer>`),
  },
  livemath: {
    create: async () =>
      await livemath.create(livemath.options.parse({ path: 'theorems.json', ratio: '1:1:1' }), { baseDir }),
    solve: task => said(`<answer>Everything ${task.id}.</answer>`),
  },
  officeqa: {
    create: async () =>
      await officeqa.create(
        officeqa.options.parse({ path: 'figures.json', ratio: '1:1:1', sourcesDir: '.' }),
        {
          baseDir,
        },
      ),
    solve: task => said(`<answer>$${figures.find(({ uid }) => uid === task.id)?.answer} million</answer>`),
  },
  searchqa: {
    create: async () =>
      await searchqa.create(searchqa.options.parse({ path: 'searches.json', ratio: '1:1:1' }), {
        baseDir,
      }),
    solve: task => said(`<answer>${searches.find(({ id }) => id === task.id)?.answers[0]}</answer>`),
  },
  'sleep-tasks': {
    create: async () =>
      await sleepTasks.create(sleepTasks.options.parse({ path: 'recurring.json' }), { baseDir }),
    solve: () => 'solved: all of it',
    context: {
      ...scoreContext,
      judge: async ({ messages }) => {
        const isSolved = messages.at(-1)?.text.includes('solved: all') === true
        const vote = JSON.stringify({ reason: 'Looked for it.', score: isSolved ? 1 : 0 })
        return { text: vote, stop: 'stop', usage: {} }
      },
    },
  },
}

it('covers every environment', () => {
  const benchmarks = readdirSync(new URL('../../src/tasks/benchmarks/', import.meta.url))
  expect(Object.keys(subjects).sort()).toEqual([...benchmarks, 'tasks', 'sleep-tasks'].sort())
})

const canRun = await sandboxWorks('The conformance tests of spreadsheetbench')

for (const [name, subject] of Object.entries(subjects)) {
  describe.skipIf(name === 'spreadsheetbench' && !canRun)(`environment: ${name}`, () => {
    it('is called like its folder', async () => {
      expect((await subject.create()).id).toBe(name)
    })
    for (const check of environmentChecks(subject)) it(check.name, check.run)
  })
}

describe('environment: tasks with a workspace', () => {
  for (const check of environmentChecks(workspaceSubject)) it(check.name, check.run)
})

describe('environment: sleep-tasks with copies of the project', () => {
  for (const check of environmentChecks(copiesSubject)) it(check.name, check.run)
})

it.each(
  Object.entries({ tasks, alfworld, docvqa, livemath, searchqa, sleepTasks, spreadsheetbench, officeqa }),
)('%s has a line of documentation for every option', (_, { options }) => {
  const schema: z.ZodObject = options
  for (const [key, option] of Object.entries(schema.shape)) {
    expect([key, (option as z.ZodType).description]).not.toContain(undefined)
  }
})

/** A correct implementation with one defect. */
function spoiled(
  spoil: (environment: Environment<Task>) => Partial<Environment<Task>>,
  subject: EnvironmentSubject<Task> = tasksSubject,
): EnvironmentSubject<Task> {
  return {
    ...subject,
    async create() {
      const environment = await subject.create()
      return { ...environment, ...spoil(environment) }
    },
  }
}

let created = 0
const broken: readonly {
  readonly what: string
  readonly caughtBy: string
  readonly subject: EnvironmentSubject<Task>
}[] = [
  {
    what: 'needs something that does not exist',
    caughtBy: 'says who it is and what it needs',
    subject: spoiled(() => ({ needs: ['telepathy' as 'chat'] })),
  },
  {
    what: 'validates on its training tasks',
    caughtBy: 'has tasks in every split, and no id twice',
    subject: spoiled(environment => ({
      tasks: split => environment.tasks(split === 'val' ? 'train' : split),
    })),
  },
  {
    what: 'has no test tasks',
    caughtBy: 'has tasks in every split, and no id twice',
    subject: spoiled(environment => ({
      tasks: async split => (split === 'test' ? [] : environment.tasks(split)),
    })),
  },
  {
    what: 'shuffles anew each time',
    caughtBy: 'hands out the same tasks in the same order every time',
    subject: spoiled(environment => {
      created += 1
      const turn = created
      return {
        tasks: async split => {
          const list = await environment.tasks(split)
          return turn % 2 === 0 ? [...list].reverse() : list
        },
      }
    }),
  },
  {
    what: 'puts dates into tasks',
    caughtBy: 'hands out tasks that survive JSON',
    subject: spoiled(environment => ({
      tasks: async split => (await environment.tasks(split)).map(task => ({ ...task, made: new Date(0) })),
    })),
  },
  {
    what: 'allows no turn',
    caughtBy: 'opens a session that can be run, the same for the same task',
    subject: spoiled(environment => ({
      open: async (task, context) => ({ ...(await environment.open(task, context)), turnLimit: 0 }),
    })),
  },
  {
    what: 'has images that it does not declare',
    caughtBy: 'needs what its sessions use',
    subject: spoiled(() => ({ needs: ['chat'] })),
  },
  {
    what: 'has tools that it does not declare',
    caughtBy: 'needs what its sessions use',
    subject: spoiled(environment => ({
      open: async (task, context) => ({
        ...(await environment.open(task, context)),
        tools: [{ name: 'look', description: 'Looks.', parameters: {}, call: async () => 'nothing' }],
      }),
    })),
  },
  {
    what: 'lets agents work in one folder',
    caughtBy: 'gives each attempt at files a folder of its own, and takes it away again',
    subject: spoiled(
      environment => ({
        open: async (task, context) => {
          const session = await environment.open(task, context)
          await session.close()
          return { ...session, workspace: baseDir, close: async () => {} }
        },
      }),
      workspaceSubject,
    ),
  },
  {
    what: 'leaves the folders of attempts behind',
    caughtBy: 'gives each attempt at files a folder of its own, and takes it away again',
    subject: spoiled(
      environment => ({
        open: async (task, context) => {
          const session = await environment.open(task, context)
          await session.close()
          const workspace = await mkdtemp(join(baseDir, 'left-'))
          return { ...session, workspace, close: async () => {} }
        },
      }),
      workspaceSubject,
    ),
  },
  {
    what: 'shows the hidden text',
    caughtBy: 'keeps the hidden text out of what the agent sees',
    subject: spoiled(environment => ({
      open: async (task, context) => {
        const session = await environment.open(task, context)
        return { ...session, prompt: `${session.prompt}\nIt is even.`, hidden: 'It is even.' }
      },
    })),
  },
  {
    what: 'cannot be solved',
    caughtBy: 'gives a solved task the full score',
    subject: spoiled(() => ({ score: async () => ({ hard: 0, soft: 0, feedback: 'Wrong.' }) })),
  },
  {
    what: 'is pleased with anything',
    caughtBy: 'does not give it for silence or for nonsense',
    subject: spoiled(() => ({ score: async () => ({ hard: 1, soft: 1, feedback: 'Right.' }) })),
  },
  {
    what: 'counts in percent',
    caughtBy: 'scores every way in which an agent can stop, from 0 to 1 and with feedback',
    subject: spoiled(environment => ({
      score: async (task, attempt, context) => {
        const score = await environment.score(task, attempt, context)
        return { ...score, soft: score.soft * 100 }
      },
    })),
  },
  {
    what: 'has no score for an empty answer',
    caughtBy: 'scores every way in which an agent can stop, from 0 to 1 and with feedback',
    subject: spoiled(environment => ({
      score: async (task, attempt, context) => {
        const score = await environment.score(task, attempt, context)
        return attempt.answer === '' ? { ...score, hard: Number.NaN } : score
      },
    })),
  },
  {
    what: 'remembers what it scored before',
    caughtBy: 'scores the same attempt the same, whatever was scored before or beside it',
    subject: spoiled(environment => {
      const scored: string[] = []
      return {
        score: async (task, attempt, context) => {
          scored.push(task.id)
          const score = await environment.score(task, attempt, context)
          return { ...score, feedback: `${score.feedback} Number ${scored.length}.` }
        },
      }
    }),
  },
  {
    what: 'writes into its tasks',
    caughtBy: 'changes neither the task nor the attempt',
    subject: spoiled(environment => ({
      score: async (task, attempt, context) => {
        Object.assign(task, { tries: 1 })
        return environment.score(task, attempt, context)
      },
    })),
  },
]

describe('environments that are broken', () => {
  it.each(broken)('the suite catches one that $what', async ({ caughtBy, subject }) => {
    expect([...(await failures(environmentChecks(subject))).keys()]).toContain(caughtBy)
  })

  it('leaves no check without an environment that fails it', () => {
    const caught = new Set(broken.map(({ caughtBy }) => caughtBy))
    const names = environmentChecks(tasksSubject).map(({ name }) => name)
    expect(names.filter(name => !caught.has(name))).toEqual([])
  })
})
