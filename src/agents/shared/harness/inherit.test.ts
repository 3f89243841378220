import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fakeAgent } from '../../../../test/support/fake-agent.js'
import { type AgentSettings, askAgent } from './attempt.js'
import type { AgentJob } from './definition.js'
import { copyUserFiles } from './files.js'
import { closePlace, openPlace } from './place.js'
import { defaultLimits } from './process.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-inherit-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function write(path: string, text: string) {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

it("keeps our skill if the user's set-up has one of the same name", async () => {
  const own = join(folder, '.fake', 'skills')
  await write(join(own, 'sums', 'SKILL.md'), 'of the user')
  await write(join(own, 'other', 'SKILL.md'), 'of the user')
  const place = await openPlace(folder)
  try {
    const skills = join(place.config, 'skills')
    await write(join(skills, 'sums', 'SKILL.md'), 'ours')
    const wanted = { env: { HOME: folder }, inherit: true, key: undefined }
    await copyUserFiles(fakeAgent('answers'), wanted, place)
    expect(await readFile(join(skills, 'sums', 'SKILL.md'), 'utf8')).toBe('ours')
    expect(await readFile(join(skills, 'other', 'SKILL.md'), 'utf8')).toBe('of the user')
  } finally {
    await closePlace(place)
  }
})

it('has no part in a question', async () => {
  const jobs: AgentJob[] = []
  const fake = fakeAgent('answers')
  const definition: typeof fake = {
    ...fake,
    prepare: (job, place) => {
      jobs.push(job)
      return fake.prepare(job, place)
    },
  }
  const settings: AgentSettings = {
    program: process.execPath,
    model: undefined,
    effort: undefined,
    endpoint: undefined,
    key: undefined,
    env: { HOME: folder, PATH: process.env.PATH },
    access: 'full',
    inherit: true,
    limits: { ...defaultLimits, seconds: 20, tokens: 1000 },
    root: folder,
  }
  const question = { instructions: 'Judge.', prompt: [{ type: 'text' as const, text: 'Is it so?' }] }
  const outcome = await askAgent(definition, settings, { question, signal: new AbortController().signal })
  expect(outcome).toMatchObject({ status: 'ended', answer: 'answer to: Is it so?' })
  expect(jobs).toMatchObject([{ kind: 'chat', inherit: false, hasWorkspace: false }])
})
