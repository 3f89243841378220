import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineEnvironment, train } from '../../src/app/index.js'
import type { PresetName } from '../../src/core/config/presets.js'
import type { RunEvent } from '../../src/core/log/event.js'
import { readRun } from '../../src/store/read-run.js'
import type { WorldTask } from '../worlds/world.js'
import type { Job } from './peers.js'

/** Runs our own trainer in its own process, with the same job and result files as the other trainers. */

const [jobFile = ''] = process.argv.slice(2)
const job = JSON.parse(await readFile(jobFile, 'utf8')) as Job

const environment = defineEnvironment<WorldTask>({
  id: 'world',
  instructions: job.instructions,
  tasks: split => (split === 'test' ? [] : job.tasks[split]),
  prompt: ({ question }) => question,
  score: (task, answer) => {
    const given = /<answer>([^<]*)<\/answer>/.exec(answer)?.[1] ?? ''
    const hard = given === task.answer ? 1 : 0
    return { hard, soft: hard, feedback: `Expected "${task.answer}"; got "${given}".` }
  },
})

// No seed is sent, because call seeds depend on the endpoint's port. The server numbers repeats, as for the
// others.
const model = (name: string) => ({
  model: `openai-compatible/${name}`,
  endpoint: job.baseUrl,
  price: { input: 0, output: 0 },
  concurrency: job.concurrency,
})
const preset = job.mode as PresetName
const project = join(job.folder, 'project')
const out = join(job.folder, 'run')
await mkdir(project)
await writeFile(join(project, 'SKILL.md'), job.seedSkill)
await writeFile(
  join(project, 'skillopt.json'),
  JSON.stringify({
    name: 'world',
    preset,
    environment: { use: 'world' },
    models: { target: model('target'), optimizer: model('optimizer') },
    train: { seed: job.seed },
    evaluation: { test: [] },
  }),
)

/** The skill that would ship if training ended now: the current one in trials, the best one in steps. */
const noted: readonly RunEvent['type'][] =
  preset === 'paper' || preset === 'reference' ? ['best.changed'] : ['skill.version', 'best.changed']
let notes: Promise<unknown> = Promise.resolve()
const post = (skill: string) => fetch(job.noteUrl, { method: 'POST', body: JSON.stringify({ skill }) })
const note = (event: RunEvent): void => {
  if (!noted.includes(event.type)) return
  const { text } = event.body as { readonly text: string }
  notes = notes.then(async () => post(await (await readRun(out)).get(text)))
}

const { outcome, error, bestSkill } = await train({
  project,
  cwd: job.folder,
  out,
  environment,
  env: { OPENAI_COMPATIBLE_API_KEY: 'loopback' },
  onEvent: note,
})
await notes
if (outcome !== 'finished') throw error ?? new Error(`The training ended as "${outcome}".`)
await writeFile(job.result, JSON.stringify({ skill: bestSkill ?? job.seedSkill }))
