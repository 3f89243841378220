import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConfigInput } from '../src/core/config.js'
import { generateSplits } from '../src/simulated/world/generate.js'

export interface BenchProject {
  /** Of the server; the API stands under `/v1`. */
  readonly url: string
  readonly sizes: { readonly train: number; readonly val: number; readonly test: number }
  readonly config: Pick<ConfigInput, 'train' | 'reflect' | 'optimizer' | 'evaluation'>
  readonly concurrency?: number
}

const skill = `---
name: parcel-desk
description: How the parcel desk answers questions about prices and delivery days.
---

# Parcel desk

- Read the whole question before you answer.
- Show the working, then the answer.
`

/** A project on disk as a user has one: config, skill, and the simulated world's tasks behind an endpoint. */
export async function writeBenchProject(folder: string, project: BenchProject): Promise<void> {
  await mkdir(join(folder, 'tasks'), { recursive: true })
  for (const [split, tasks] of Object.entries(generateSplits(project.sizes, 11))) {
    const lines = tasks.map(task => `${JSON.stringify(task)}\n`).join('')
    await writeFile(join(folder, 'tasks', `${split}.jsonl`), lines)
  }
  await writeFile(join(folder, 'SKILL.md'), skill)
  const model = (name: string) => ({
    model: `openai-compatible/${name}`,
    endpoint: `${project.url}/v1`,
    // The simulated replies are a function of request and seed.
    seed: true,
    price: { input: 0, output: 0 },
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
