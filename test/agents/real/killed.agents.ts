import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, type TestContext } from 'vitest'
import { stringify } from 'yaml'
import { randomStream } from '../../../src/core/statistics/repeats.js'
import { lockFile } from '../../../src/store/lock.js'
import { type ChatRequest, startLoopbackServer } from '../../../src/testing/index.js'
import { put, type Started, skillopt, start, temporaryFolder } from '../../end-to-end/support.js'
import { processesWith } from '../../support/fake-agent.js'
import { timeLimit } from '../../support/time-limit.js'
import { completed, plays } from '../model.js'
import { kitOf, programOf } from '../programs.js'
import { filesIn, openStage } from '../stage.js'

/** A hundred interrupted attempts: half are stopped, half end because our own process is killed. */

const atOnce = 6
const wanted = { stopped: 50, killed: 50 }

const [kit, program] = [await kitOf('codex'), await programOf('codex')]
const actor = { kit, program: program ?? '' }
const calls = [kit.writes('order.txt', 'two pears')]

/** A slow model, so that an attempt is in progress at any time. */
const slowly = (replyAfter: () => number) => async (request: ChatRequest) => {
  await sleep(replyAfter())
  return plays(calls, 'It is noted.')(request)
}

describe.skipIf(program === undefined)(
  'attempts that are killed midway',
  { timeout: timeLimit(180_000) },
  () => {
    it('leave nothing when they are stopped', async context => {
      const random = randomStream(1)
      const stage = await openStage(context, actor, { respond: slowly(() => 800 * random()) })
      let stopped = 0
      const lane = async () => {
        while (stopped < wanted.stopped) {
          const stop = new AbortController()
          const timer = setTimeout(() => stop.abort('stopped'), 1500 * random())
          const workspace = await stage.folder(`workspace-${random()}`)
          await stage.work({ workspace }, {}, stop.signal).catch(async (error: unknown) => {
            expect(error).toBe('stopped')
            expect(await filesIn(workspace)).toEqual({})
            stopped += 1
          })
          clearTimeout(timer)
        }
      }
      await Promise.all(Array.from({ length: atOnce }, lane))
      expect(await stage.leftovers()).toEqual([])
      expect(await filesIn(stage.home)).toEqual({})
    })

    it('leave nothing after the next start when our process is killed', async context => {
      const random = randomStream(2)
      let slowestMs = 3000
      const project = await openProject(context, () => slowestMs * random())
      let killed = 0
      let before: number | undefined
      while (killed < wanted.killed) {
        const started = start(project.command, project.where)
        const { child, finished } = started
        const pid = child.pid ?? 0
        await project.begins(started)
        if (before !== undefined) {
          expect(await project.placesOf(before)).toEqual([])
          expect(await processesWith(markOf(before))).toBe(0)
        }
        await sleep(2000 * random())
        child.kill('SIGKILL')
        expect((await finished).code).toBe(null)
        killed += (await project.attemptsOf(pid)).length
        before = pid
      }
      expect(existsSync(project.lock)).toBe(true)

      slowestMs = 0
      const last = await skillopt(project.command, project.where)
      expect(last, last.stdout + last.stderr).toMatchObject({ code: 0 })
      expect(existsSync(project.lock)).toBe(false)
      expect(await readdir(project.temporary)).toEqual([])
      expect(await processesWith(project.temporary)).toBe(0)
      expect(await filesIn(project.home)).toEqual({})
    })
  },
)

/**
 * Marks all attempts of a process: it is in the names of their folders and in the environment of their
 * processes.
 */
const markOf = (pid: number) => `skillopt-agent-${pid}-`

/** An evaluation from the command line, long enough to be killed often enough. */
async function openProject({ onTestFinished }: TestContext, replyAfter: () => number) {
  const folder = await temporaryFolder()
  const [home, temporary] = [join(folder, 'home'), join(folder, 'tmp')]
  await mkdir(home)
  await mkdir(temporary)
  const server = await startLoopbackServer({ respond: completed(kit, slowly(replyAfter)) })
  onTestFinished(() => server.close())
  const tasks = Array.from({ length: 20 }, (_, index) => ({
    id: `order ${index}`,
    question: `Note the order ${index}: two pears.`,
    files: {},
    answer: 'two pears',
  }))
  await put(folder, 'tasks.jsonl', tasks.map(task => `${JSON.stringify(task)}\n`).join(''))
  await put(
    folder,
    'SKILL.md',
    '---\nname: order-notes\ndescription: How orders are noted.\n---\n\n# Orders\n',
  )
  const target = { model: `codex/${kit.model}`, endpoint: kit.endpoint(server.url), concurrency: atOnce }
  const config = {
    name: 'killed',
    environment: {
      use: 'tasks',
      path: 'tasks.jsonl',
      workspace: 'files',
      answerFile: 'order.txt',
      scorer: 'exact',
    },
    models: { target, optimizer: 'openai-compatible/never-asked' },
  }
  await put(folder, 'skillopt.yaml', stringify(config))
  const lock = join(folder, 'run', lockFile)
  const placesOf = async (pid: number) =>
    (await readdir(temporary)).filter(name => name.startsWith(markOf(pid)))
  /** Folders of a process in which an agent runs; the others are task workspaces. */
  const attemptsOf = async (pid: number) =>
    (await placesOf(pid)).filter(name => existsSync(join(temporary, name, 'home')))
  return {
    home,
    temporary,
    placesOf,
    attemptsOf,
    command: ['eval', '.', '--trust', '--split', 'all', '--out', 'run', '--yes'],
    where: {
      cwd: folder,
      env: {
        PATH: [dirname(actor.program), process.env.PATH].join(delimiter),
        HOME: home,
        TMPDIR: temporary,
        ...kit.env,
      },
    },
    lock,
    /** A killed process's lock remains until the next process takes it over. */
    async begins({ child, finished }: Started): Promise<void> {
      const { pid = 0 } = child
      while (!(await holds(lock, pid)) || (await attemptsOf(pid)).length === 0) {
        if (child.exitCode !== null) throw new Error(`It ended by itself: ${(await finished).stderr}`)
        await sleep(10)
      }
    },
  }
}

async function holds(lock: string, pid: number): Promise<boolean> {
  return existsSync(lock) && JSON.parse(await readFile(lock, 'utf8')).pid === pid
}
