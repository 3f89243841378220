import { mkdir, readdir } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type ChatReply, type ChatRequest, startLoopbackServer } from '../../src/testing/index.js'
import {
  eventsOf,
  jsonOf,
  ofType,
  put,
  skillopt,
  start,
  temporaryFolder,
  textOf,
} from '../end-to-end/support.js'
import { processesWith } from '../support/fake-agent.js'
import { timeLimit } from '../support/time-limit.js'
import { completed, offeredTools, plays } from './model.js'
import type { Actor } from './stage.js'

/**
 * A training from the command line with the real program as the target: its model writes a file, in the
 * requested form only if the skill says so; the optimizer proposes the rule. The run is killed in the middle
 * and resumed.
 */

const rule = 'Begin the line with the word ORDER and a colon.'
const skillName = 'order-notes'
const seed = `---
name: ${skillName}
description: How orders are noted.
---

# Orders

Write each order into the file order.txt.
`

const goods = {
  train: ['3 pears', '4 plums'],
  val: ['5 figs', '6 limes'],
  test: ['8 kiwis'],
}
const orders = Object.values(goods).flat()
const splitOf = (order: string) => Object.entries(goods).find(([, those]) => those.includes(order))?.[0] ?? ''

/** An attempt, identified by its order and the skill that the model received. */
type Written = `${string} with ${'no skill' | 'the first skill' | 'the rule'}`

/** Plays both models, and records what it had the agent write. */
function models({ kit }: Actor, onWriting: (count: number) => void) {
  const written: Written[] = []

  const asTarget = (request: ChatRequest): ChatReply => {
    const words = JSON.stringify(request.messages)
    const order = orders.find(each => words.includes(`Note the order: ${each}.`))
    if (order === undefined || offeredTools(request).length === 0) return { content: 'Orders' }
    const hasSkill = words.includes(skillName) || words.includes('# Orders')
    const isLoaded = words.includes('Write each order into')
    const calls = [
      ...(kit.loads !== undefined && hasSkill ? [kit.loads(skillName)] : []),
      kit.writes('order.txt', words.includes(rule) ? `ORDER: ${order}` : order),
    ]
    const reply = plays(calls, 'It is noted.')(request)
    if (reply.toolCalls?.[0] === calls.at(-1)) {
      const skill = !isLoaded ? 'no skill' : words.includes(rule) ? 'the rule' : 'the first skill'
      written.push(`${order} with ${skill}`)
      onWriting(written.length)
    }
    return reply
  }

  const asOptimizer = (): ChatReply => {
    const patch = { reasoning: 'Every line lacks the word.', edits: [{ op: 'append', content: `- ${rule}` }] }
    return { content: JSON.stringify({ batch_size: 1, failure_summary: [], patch }) }
  }

  const respond = (request: ChatRequest) =>
    request.model === 'optimizer' ? asOptimizer() : asTarget(request)
  return { respond, written }
}

export function trainingSuite(actor: Actor): void {
  const { kit, program } = actor

  it('a training is killed, goes on, and ends with the rule in the skill', {
    timeout: timeLimit(400_000),
  }, async context => {
    const folder = await temporaryFolder()
    await mkdir(join(folder, 'home'))
    await mkdir(join(folder, 'tmp'))
    let kill = () => {}
    const { respond, written } = models(actor, count => {
      if (count === 4) kill()
    })
    const server = await startLoopbackServer({ respond: completed(kit, respond), keepLog: true })
    context.onTestFinished(() => server.close())
    await writeProject(folder, kit.agent.id, {
      target: { model: `${kit.agent.id}/${kit.model}`, endpoint: kit.endpoint(server.url), concurrency: 2 },
      optimizer: { model: 'openai-compatible/optimizer', endpoint: `${server.url}/v1` },
    })
    const env = {
      PATH: [dirname(program), process.env.PATH].join(delimiter),
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
      ...kit.env,
    }
    const args = ['train', '.', '--trust', '--out', 'run', '--yes']
    const run = join(folder, 'run')

    const first = start(args, { cwd: folder, env })
    kill = () => void first.child.kill('SIGKILL')
    const stopped = await first.finished
    expect(stopped.code, stopped.stdout + stopped.stderr).toBe(null)
    const done = ofType(await eventsOf(run), 'attempt.finished').map(({ body }) => body.task)
    expect(done.length).toBeGreaterThan(0)

    const second = await skillopt(args, { cwd: folder, env })
    expect(second, second.stdout + second.stderr).toMatchObject({ code: 0 })
    expect(await textOf(run, 'best_skill.md')).toContain(rule)
    const { tests } = await jsonOf(run, 'summary.json')
    expect(tests).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ which: 'initial', hard: 0 }),
        expect.objectContaining({ which: 'best', hard: 1 }),
      ]),
    )
    // Attempts recorded before the kill are not repeated; the two in progress are.
    for (const task of done) {
      expect(
        written.filter(each => each === `${task} with the first skill`),
        task,
      ).toHaveLength(1)
    }
    const twice = written.filter((each, index) => written.indexOf(each) !== index)
    expect(twice.length).toBeLessThanOrEqual(2)
    const asked = server.log.filter(({ body }) => body?.model !== 'optimizer')
    for (const { headers } of asked) expect(headers.userAgent).toMatch(kit.userAgent)
    expect(asked.some(({ body }) => body?.messages.some(({ role }) => role === 'tool'))).toBe(true)
    const left = (await readdir(join(folder, 'tmp'))).filter(name => name.startsWith('skillopt-'))
    expect(left).toEqual([])
    expect(await processesWith(join(folder, 'tmp'))).toBe(0)
  })
}

async function writeProject(folder: string, name: string, models: object): Promise<void> {
  const tasks = orders.map(order => ({
    id: order,
    split: splitOf(order),
    question: `Note the order: ${order}.`,
    files: {},
    answer: `ORDER: ${order}`,
  }))
  for (const split of Object.keys(goods)) {
    const lines = tasks.filter(task => task.split === split).map(task => `${JSON.stringify(task)}\n`)
    await put(folder, `${split}.jsonl`, lines.join(''))
  }
  await put(folder, 'SKILL.md', seed)
  const config = {
    name,
    environment: {
      use: 'tasks',
      train: 'train.jsonl',
      val: 'val.jsonl',
      test: 'test.jsonl',
      workspace: 'files',
      answerFile: 'order.txt',
      scorer: 'exact',
    },
    models,
    train: { loop: 'steps', epochs: 1, batchSize: 2 },
    evaluation: { gate: 'strict', test: ['initial', 'best'] },
  }
  await put(folder, 'skillopt.yaml', stringify(config))
}
