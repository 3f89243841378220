import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stringify } from 'yaml'
import { quickstartFolder } from '../../src/app/quickstart.js'
import type { RunState } from '../../src/core/view/run-state.js'
import type { RunSummary } from '../../src/dashboard/contract/runs.js'
import type { ServerContext } from '../../src/dashboard/server/context.js'
import { createTrainings } from '../../src/dashboard/server/launch/trainings.js'
import { createRunLibrary } from '../../src/dashboard/server/runs/library.js'
import { answerSimulated } from '../../src/simulated/responder.js'
import { startLoopbackServer } from '../../src/simulated/server.js'
import { generateSplits } from '../../src/simulated/world/generate.js'

/**
 * A folder with two small projects: `free` on the embedded model, `paid` on a server whose replies can be
 * delayed.
 */
export async function makeLaunchWorld() {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-launch-')))
  const hold = createHold()
  const server = await startLoopbackServer({
    respond: async request => {
      await hold.wait()
      return answerSimulated({ ...request, seed: 0 })
    },
  })
  await writeProject(join(cwd, 'free'), name => `simulated/${name}`)
  await writeProject(join(cwd, 'deep', 'paid'), name => ({
    model: `openai-compatible/${name}`,
    endpoint: `${server.url}/v1`,
    apiKeyEnv: 'DESK_KEY',
  }))

  const closing = new AbortController()
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    SKILLOPT_HOME: join(cwd, 'home'),
    DESK_KEY: 'key-of-the-desk',
  }
  const surroundings = { cwd, env, folders: [join(cwd, 'runs')], signal: closing.signal }
  const runs = createRunLibrary(surroundings)
  const context: ServerContext = { ...surroundings, runs }
  const trainings = createTrainings(context)
  return {
    cwd,
    env,
    context,
    runs,
    trainings,
    hold,
    server,
    idOf: async (name: string): Promise<string> => {
      const { projects } = await trainings.projects()
      return projects.find(project => project.name === name)?.id ?? 'none'
    },
    /** A run's summary, once the run has stopped. */
    endOf: (run: string) => untilEnded(async () => (await runs.open(run)).summary()),
    async end() {
      closing.abort()
      hold.release()
      await runs.close()
      await server.close()
      await rm(cwd, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export type LaunchWorld = Awaited<ReturnType<typeof makeLaunchWorld>>

/** Delays replies while closed, except for a given number that pass. */
function createHold() {
  let passes = Number.POSITIVE_INFINITY
  const waiting: (() => void)[] = []
  const letThrough = (more: number) => {
    passes += more
    for (; passes > 0 && waiting.length > 0; passes -= 1) waiting.shift()?.()
  }
  return {
    close() {
      passes = 0
    },
    letThrough,
    release: () => letThrough(Number.POSITIVE_INFINITY),
    wait: () =>
      new Promise<void>(resolve => {
        waiting.push(resolve)
        letThrough(0)
      }),
  }
}

async function untilEnded(look: () => Promise<RunSummary>): Promise<RunSummary> {
  const atWork: readonly RunState[] = ['running']
  for (;;) {
    const summary = await look()
    if (!atWork.includes(summary.state)) return summary
    await sleep(50)
  }
}

async function writeProject(folder: string, model: (name: string) => unknown): Promise<void> {
  await mkdir(join(folder, 'tasks'), { recursive: true })
  const splits = Object.entries(generateSplits({ train: 4, val: 3, test: 2 }, 8))
  for (const [split, tasks] of splits) {
    const lines = tasks.map(task => `${JSON.stringify(task)}\n`)
    await writeFile(join(folder, 'tasks', `${split}.jsonl`), lines.join(''))
  }
  await writeFile(join(folder, 'SKILL.md'), await readFile(join(quickstartFolder, 'SKILL.md'), 'utf8'))
  const config = {
    environment: {
      use: 'tasks',
      ...Object.fromEntries(splits.map(([split]) => [split, `tasks/${split}.jsonl`])),
    },
    models: { target: model('target'), optimizer: model('optimizer') },
    train: { loop: 'steps', epochs: 1, batchSize: 4 },
    evaluation: { gate: 'guarded' },
    reflect: { minibatchSize: 4 },
  }
  await writeFile(join(folder, 'skillopt.yaml'), stringify(config))
}
