import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { train } from '../src/app/train.js'
import { PausedError } from '../src/core/errors/errors.js'
import type { RunEvent } from '../src/core/log/event.js'
import type { Model } from '../src/core/ports/model.js'
import { HandoffFolder } from '../src/models/handoff/folder.js'
import { handoffModel, PromptQueue } from '../src/models/handoff.js'
import { assemble } from '../src/project/assemble.js'
import { loadProject } from '../src/project/load.js'
import type { MakeModel } from '../src/project/models.js'
import { inSession } from '../src/session/session.js'
import { answerSimulated } from '../src/simulated/responder.js'
import { readRun } from '../src/store/read-run.js'
import { planTraining } from '../src/trainer/loops/steps/step-plan.js'
import { train as trainLoop } from '../src/trainer/loops/steps.js'
import { writeProject } from './end-to-end/support.js'
import { timeLimit } from './support/time-limit.js'

/** A training whose prompts are answered between its sessions, with the logic of the simulated models. */

const models = { target: 'handoff/target', optimizer: 'handoff/optimizer' }
const quietMs = 150

let folder: string
let project: string
let handoff: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-handoff-'))
  project = await writeProject(join(folder, 'project'), { config: { models } })
  handoff = join(folder, 'handoff')
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

interface Pending {
  readonly key: string
  readonly model: string
  readonly file: string
  readonly answer: string
  readonly seed?: number
}

async function pendingIn(place: string): Promise<readonly Pending[]> {
  const index = JSON.parse(await readFile(join(place, 'pending.json'), 'utf8')) as { pending: Pending[] }
  return index.pending
}

/** Reads the file alone, as a person who answers has to. */
function messagesIn(text: string) {
  const message = /^## \d+\. (System|User|Assistant)\n\n(`{3,})text\n([\s\S]*?)\n\2$/gm
  return [...text.matchAll(message)].map(([, role = '', , content = '']) => ({
    role: role.toLowerCase(),
    content,
  }))
}

async function answerOne(place: string, { model, file, answer, seed }: Pending): Promise<void> {
  const messages = messagesIn(await readFile(join(place, file), 'utf8'))
  await writeFile(join(place, answer), `${simulated(model, messages, seed)}\n`)
}

function simulated(model: string, messages: readonly { role: string; content: string }[], seed = 0): string {
  const named = model.replace('handoff/', '')
  return answerSimulated({ model: named, messages, seed }).content ?? ''
}

const asked: MakeModel = async ({ model, maxOutputTokens }) => ({
  id: model,
  parameters: {},
  maxOutputTokens,
  price: { input: 0, output: 0 },
  generate: async ({ messages, seed }) => {
    const chat = messages.map(({ role, text }) => ({ role, content: text }))
    // A file does not preserve the number of trailing line breaks.
    return { text: simulated(model, chat, seed).trimEnd(), stop: 'stop', usage: {}, cost: 0 }
  },
})

/** One session of the training, equivalent to one call of the command. */
async function session(
  directory: string,
  createModel: MakeModel,
  options: { readonly signal?: AbortSignal; readonly onEvent?: (event: RunEvent) => void } = {},
) {
  const setup = await assemble(await loadProject({ project, env: {}, cwd: folder }), { createModel })
  const { epochs, stepsPerEpoch } = planTraining(setup.config, setup.tasks.train)
  const identity = { kind: 'train', name: 'handed', sources: {}, epochs, stepsPerEpoch } as const
  return inSession(setup, { directory, identity, ...options }, run => trainLoop(run, setup))
}

async function scoresIn(directory: string): Promise<Record<string, unknown>> {
  const scores: Record<string, unknown> = {}
  for await (const event of (await readRun(directory)).events()) {
    if (event.type === 'attempt.finished') scores[event.key ?? ''] = event.body.outcome
  }
  return scores
}

describe('a training by handoff', () => {
  it(
    'ends with the same skill and scores as direct calls, and loses nothing when stopped',
    async () => {
      const direct = await session(join(folder, 'direct'), asked)
      expect(direct.outcome).toBe('finished')

      const directory = join(folder, 'handed')
      let rounds = 0
      let prompts = 0
      let spoilt: Pending | undefined
      for (;;) {
        const desk = new PromptQueue(new HandoffFolder(handoff), quietMs)
        const open: MakeModel = async (config): Promise<Model> => handoffModel(desk, config)
        if (rounds === 2) await stopInTheMiddle(directory, open)
        const { outcome, error, view } = await session(directory, open)
        if (outcome === 'finished') {
          expect(view.best).toEqual(direct.view.best)
          break
        }
        expect(error).toBeInstanceOf(PausedError)
        rounds += 1
        const pending = await pendingIn(handoff)
        expect((await readdir(join(handoff, 'pending'))).toSorted()).toEqual(
          pending.map(({ key }) => `${key}.md`).toSorted(),
        )
        expect(error?.message).toContain(`${pending.length} prompt`)
        if (spoilt !== undefined) {
          // An invalid answer is requested again and not used.
          expect(error?.message).toContain(`answers/${spoilt.key}.md is empty`)
          expect(pending.map(({ key }) => key)).toContain(spoilt.key)
        }
        prompts += pending.length - (spoilt === undefined ? 0 : 1)
        spoilt = rounds === 1 ? pending[0] : undefined
        for (const one of pending) await answerOne(handoff, one)
        if (spoilt !== undefined) await writeFile(join(handoff, spoilt.answer), ' \n')
      }

      expect(await scoresIn(directory)).toEqual(await scoresIn(join(folder, 'direct')))
      // Each prompt was asked once and counts as one call: waiting prompts do not count.
      const spent = direct.view.spending.total
      const handed = (await session(directory, asked)).view.spending.total
      expect([handed.calls, handed.unknownCost]).toEqual([spent.calls, 0])
      expect(prompts).toBe(spent.calls)
      // As stated in docs/handoff.md: about 100 prompts in some 25 rounds.
      expect(Math.abs(prompts - 100)).toBeLessThan(20)
      expect(Math.abs(rounds - 25)).toBeLessThan(8)
      await expect(readdir(handoff)).rejects.toThrow('ENOENT')
    },
    timeLimit(180_000),
  )

  /** Like Ctrl-C, with some answers used and others not. */
  async function stopInTheMiddle(directory: string, open: MakeModel): Promise<void> {
    const stop = new AbortController()
    let replies = 0
    const onEvent = ({ type }: RunEvent) => {
      if (type !== 'call.finished') return
      replies += 1
      if (replies === 1) stop.abort()
    }
    const { outcome } = await session(directory, open, { signal: stop.signal, onEvent })
    expect([outcome, replies > 0]).toEqual(['interrupted', true])
  }

  it('is what `train` does with SKILLOPT_HANDOFF, all prompts of a step in one round', async () => {
    const out = join(folder, 'real')
    const place = join(folder, 'real-handoff')
    const options = { project, out, cwd: folder, env: { SKILLOPT_HANDOFF: 'real-handoff' } }
    const first = await train(options)
    expect([first.outcome, first.error?.exitCode]).toEqual(['paused', 3])
    const pending = await pendingIn(place)
    // More than a model's 8 concurrent calls, or the 16 attempts: validation and the first batch.
    expect(pending.length).toBeGreaterThanOrEqual(8)
    expect(first.view?.spending.total.calls).toBe(0)
    for (const one of pending) await answerOne(place, one)
    const second = await train(options)
    expect(second.outcome).toBe('paused')
    expect(second.view?.spending.total.calls).toBe(pending.length)
    const keys = (await pendingIn(place)).map(({ key }) => key)
    expect(keys.filter(key => pending.some(old => old.key === key))).toEqual([])
  })

  it('asks for no more than a cap on calls leaves', async () => {
    const place = join(folder, 'capped-handoff')
    const options = {
      project,
      out: join(folder, 'capped'),
      cwd: folder,
      env: { SKILLOPT_HANDOFF: place },
      flags: { 'limits.maxCalls': 5 },
    }
    expect((await train(options)).outcome).toBe('paused')
    const pending = await pendingIn(place)
    expect(pending).toHaveLength(5)
    for (const one of pending) await answerOne(place, one)
    const capped = await train(options)
    expect([capped.outcome, capped.view?.spending.total.calls]).toEqual(['cap', 5])
  })
})
