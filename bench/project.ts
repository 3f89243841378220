import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConfigInput } from '../src/core/config/config.js'
import type { Price } from '../src/core/ports/model.js'
import { generateSplits } from '../src/simulated/world/generate.js'

export interface BenchProject {
  /** Base URL of the server; the API is under `/v1`. */
  readonly url: string
  /** Number of tasks per split. `fresh` tasks go to an additional split file; no task is in two splits. */
  readonly sizes: {
    readonly train: number
    readonly val: number
    readonly test: number
    readonly fresh?: number
  }
  readonly config: Pick<ConfigInput, 'preset' | 'train' | 'reflect' | 'trials' | 'optimizer' | 'evaluation'>
  readonly concurrency?: number
  /** Seed for drawing tasks. */
  readonly seed?: number
  /** Defaults to free. */
  readonly prices?: Readonly<Record<'target' | 'optimizer', Price>>
}

const skill = `---
name: parcel-desk
description: How the parcel desk answers questions about prices and delivery days.
---

# Parcel desk

- Read the whole question before you answer.
- Show the working, then the answer.
`

/** Writes a project like a user's: config, skill, and the simulated world's tasks behind an endpoint. */
export async function writeBenchProject(folder: string, project: BenchProject): Promise<void> {
  await mkdir(join(folder, 'tasks'), { recursive: true })
  for (const [split, tasks] of Object.entries(generateSplits(project.sizes, project.seed ?? 11))) {
    const lines = tasks.map(task => `${JSON.stringify(task)}\n`).join('')
    await writeFile(join(folder, 'tasks', `${split}.jsonl`), lines)
  }
  await writeFile(join(folder, 'SKILL.md'), skill)
  const model = (name: 'target' | 'optimizer') => ({
    model: `openai-compatible/${name}`,
    endpoint: `${project.url}/v1`,
    // Simulated replies are a function of the request and the seed.
    seed: true,
    price: project.prices?.[name] ?? { input: 0, output: 0 },
    ...(project.concurrency === undefined ? {} : { concurrency: project.concurrency }),
  })
  const config: ConfigInput = {
    name: 'bench',
    environment: {
      use: 'tasks',
      train: 'tasks/train.jsonl',
      val: 'tasks/val.jsonl',
      test: 'tasks/test.jsonl',
    },
    models: { target: model('target'), optimizer: model('optimizer') },
    ...project.config,
  }
  await writeFile(join(folder, 'skillopt.json'), JSON.stringify(config, null, 2))
}
