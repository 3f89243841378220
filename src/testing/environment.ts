import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import type { Capability, Environment, ScoreContext, Session } from '../core/ports/environment.js'
import { promptParts, userMessage } from '../core/task/parts.js'
import type { Score, Split, StopReason, Task, Trajectory } from '../core/task/task.js'
import { scoreContext } from './score-context.js'

/** An environment with a few tasks, and how to solve them. */
export interface EnvironmentSubject<T extends Task = Task> {
  create(): Promise<Environment<T>>
  /**
   * Returns an attempt at the task that deserves the full score, or just the answer if that is enough. If the
   * environment needs a workspace, this function writes the required files there.
   */
  solve(task: T, workspace?: string): Trajectory | string | Promise<Trajectory | string>
  /** What scoring may use. Include a sandbox if sessions or scores run commands; there is none by default. */
  readonly context?: ScoreContext
}

/** One requirement of an environment. `run` throws if the environment violates it. */
export interface EnvironmentCheck {
  readonly name: string
  run(): Promise<void>
}

const splits: readonly Split[] = ['train', 'val', 'test']
const capabilities: readonly Capability[] = ['chat', 'tools', 'turns', 'images', 'documents', 'workspace']
const stops: readonly StopReason[] = [
  'answered',
  'turn-limit',
  'time-limit',
  'output-limit',
  'context-overflow',
  'refusal',
]

/** Returns the checks that every environment must pass, one per requirement. They work in any test runner. */
export function environmentChecks<T extends Task>(subject: EnvironmentSubject<T>): EnvironmentCheck[] {
  const context = subject.context ?? scoreContext
  const solve = async (task: T, { workspace }: ScoreContext): Promise<Trajectory> => {
    const solved = await subject.solve(task, workspace)
    return typeof solved === 'string' ? said(solved) : solved
  }
  /**
   * Runs an attempt as a run would. If the environment has files, the folder passed is that of an open
   * session.
   */
  const attempting = async <R>(
    environment: Environment<T>,
    task: T,
    attempt: (context: ScoreContext) => Promise<R>,
  ): Promise<R> => {
    if (!environment.needs.includes('workspace')) return attempt(context)
    const session = await environment.open(task, context)
    try {
      return await attempt({ ...context, ...withFolder(session) })
    } finally {
      await session.close()
    }
  }
  const scoreSolved = (environment: Environment<T>, task: T) =>
    attempting(environment, task, async given => environment.score(task, await solve(task, given), given))
  const scoreSaid = (environment: Environment<T>, task: T, trajectory: Trajectory) =>
    attempting(environment, task, given => environment.score(task, trajectory, given))
  return [
    {
      name: 'says who it is and what it needs',
      async run() {
        const environment = await subject.create()
        assert.match(environment.id, /^[a-z][a-z0-9-]*$/)
        assert.ok(environment.needs.length > 0, 'needs nothing: no harness could be chosen')
        for (const need of environment.needs)
          assert.ok(capabilities.includes(need), `unknown capability ${need}`)
      },
    },
    {
      name: 'has tasks in every split, and no id twice',
      async run() {
        const environment = await subject.create()
        const ids: string[] = []
        for (const split of splits) {
          const tasks = await environment.tasks(split)
          assert.notEqual(tasks.length, 0, `${split} is empty`)
          ids.push(...tasks.map(({ id }) => id))
        }
        for (const id of ids) assert.ok(id.trim() !== '', 'a task has an empty id')
        assert.equal(new Set(ids).size, ids.length, 'an id stands twice in the splits')
      },
    },
    {
      name: 'hands out the same tasks in the same order every time',
      async run() {
        const environment = await subject.create()
        const again = await subject.create()
        for (const split of splits) {
          const tasks = await environment.tasks(split)
          assert.deepEqual(await environment.tasks(split), tasks)
          assert.deepEqual(await again.tasks(split), tasks)
        }
      },
    },
    {
      name: 'hands out tasks that survive JSON',
      async run() {
        for (const task of await allTasks(await subject.create())) {
          assert.deepEqual(JSON.parse(JSON.stringify(task)), task)
        }
      },
    },
    {
      name: 'opens a session that can be run, the same for the same task',
      async run() {
        const environment = await subject.create()
        for (const task of await allTasks(environment)) {
          const session = await environment.open(task, context)
          assert.notEqual(shownPrompt(session).trim(), '', 'the prompt is empty')
          assert.ok(['system', 'user'].includes(session.skillAt))
          assert.ok(Number.isInteger(session.turnLimit) && session.turnLimit >= 1, 'no turn is allowed')
          const again = await environment.open(task, context)
          assert.deepEqual(again.prompt, session.prompt)
          assert.equal(again.instructions, session.instructions)
          await again.close()
          await session.close()
        }
      },
    },
    {
      name: 'needs what its sessions use',
      async run() {
        const environment = await subject.create()
        for (const task of await allTasks(environment)) {
          const session = await environment.open(task, context)
          if (session.tools.length > 0)
            assert.ok(environment.needs.includes('tools'), 'tools are not declared')
          if (session.reply !== undefined)
            assert.ok(environment.needs.includes('turns'), 'turns are not declared')
          for (const part of promptParts(session.prompt)) {
            const need = { text: 'chat', image: 'images', document: 'documents' } as const
            assert.ok(environment.needs.includes(need[part.type]), `${need[part.type]} are not declared`)
          }
          await session.close()
        }
      },
    },
    {
      name: 'gives each attempt at files a folder of its own, and takes it away again',
      async run() {
        const environment = await subject.create()
        for (const task of await allTasks(environment)) {
          const session = await environment.open(task, context)
          const beside = await environment.open(task, context)
          const folders = [session, beside].flatMap(({ workspace }) => workspace ?? [])
          if (environment.needs.includes('workspace')) assert.equal(folders.length, 2, 'there is no folder')
          assert.equal(new Set(folders).size, folders.length, 'two attempts share a folder')
          for (const folder of folders) assert.ok(await isFolder(folder), `${folder} is not a folder`)
          await session.close()
          await beside.close()
          for (const folder of folders) assert.ok(!(await isFolder(folder)), 'the folder is left behind')
        }
      },
    },
    {
      name: 'keeps the hidden text out of what the agent sees',
      async run() {
        const environment = await subject.create()
        for (const task of await allTasks(environment)) {
          const session = await environment.open(task, context)
          const hidden = session.hidden?.trim() ?? ''
          const shown = `${session.instructions}\n${shownPrompt(session)}`
          if (hidden !== '') assert.ok(!shown.includes(hidden), 'the hidden text is shown')
          await session.close()
        }
      },
    },
    {
      name: 'gives a solved task the full score',
      async run() {
        const environment = await subject.create()
        for (const task of await allTasks(environment)) {
          const score = await scoreSolved(environment, task)
          assert.equal(score.hard, 1)
          assert.equal(score.soft, 1)
        }
      },
    },
    {
      name: 'does not give it for silence or for nonsense',
      async run() {
        const environment = await subject.create()
        for (const task of await allTasks(environment)) {
          for (const answer of ['', 'zxqj vvkw', '<answer></answer>']) {
            const score = await scoreSaid(environment, task, said(answer))
            assert.ok(score.hard < 1, `"${answer}" passes`)
          }
        }
      },
    },
    {
      name: 'scores every way in which an agent can stop, from 0 to 1 and with feedback',
      async run() {
        const environment = await subject.create()
        for (const task of await allTasks(environment)) {
          for (const stop of stops) {
            for (const trajectory of [said('', stop), said('zxqj', stop)])
              assertScore(await scoreSaid(environment, task, trajectory))
            const solved = attempting(environment, task, async given =>
              environment.score(task, { ...(await solve(task, given)), stop }, given),
            )
            assertScore(await solved)
          }
        }
      },
    },
    {
      name: 'scores the same attempt the same, whatever was scored before or beside it',
      async run() {
        const environment = await subject.create()
        const tasks = await allTasks(environment)
        const score = (task: T) => scoreSolved(environment, task)
        const alone: Score[] = []
        for (const task of tasks) alone.push(await score(task))
        const together = await Promise.all([...tasks].reverse().map(score))
        assert.deepEqual(together.reverse(), alone)
      },
    },
    {
      name: 'changes neither the task nor the attempt',
      async run() {
        const environment = await subject.create()
        for (const task of await allTasks(environment)) {
          await attempting(environment, task, async given => {
            const attempt = await solve(task, given)
            const before = JSON.stringify([task, attempt])
            await (await environment.open(task, context)).close()
            await environment.score(task, attempt, given)
            assert.equal(JSON.stringify([task, attempt]), before)
          })
        }
      },
    },
  ]
}

const shownPrompt = ({ prompt }: Session) => userMessage(promptParts(prompt)).text

const withFolder = ({ workspace }: Session) => (workspace === undefined ? {} : { workspace })

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function assertScore({ hard, soft, feedback }: Score): void {
  for (const value of [hard, soft]) assert.ok(value >= 0 && value <= 1, `${value} is not a score`)
  assert.notEqual(feedback.trim(), '', 'there is no feedback')
}

async function allTasks<T extends Task>(environment: Environment<T>): Promise<T[]> {
  const tasks: T[] = []
  for (const split of splits) tasks.push(...(await environment.tasks(split)))
  return tasks
}

/** Creates an attempt of a single turn. */
export function said(answer: string, stop: StopReason = 'answered'): Trajectory {
  return { messages: [{ role: 'assistant', text: answer }], answer, stop }
}
