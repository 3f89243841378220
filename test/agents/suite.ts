import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, type TestContext } from 'vitest'
import type { AgentOutcome } from '../../src/agents/shared/harness/definition.js'
import type { FilePart, Message } from '../../src/core/task/task.js'
import type { LoopbackServer } from '../../src/simulated/server.js'
import { pdf, png } from '../support/pictures.js'
import type { AgentKit, ToolUse } from './kit.js'
import { offeredTools, plays } from './model.js'
import { type Actor, filesIn, lastResults, openStage, plant, sentTo } from './stage.js'

/**
 * Requirements of every agent, tested with its real program. Its model is scripted; the server logs all
 * requests.
 */

const skillName = 'order-notes'
const rule = 'Every order ends with the words of the lighthouse keeper.'
const skill = `---
name: ${skillName}
description: How orders are noted.
---

# Orders

${rule}
`

const loading = ({ loads }: AgentKit): readonly ToolUse[] => (loads === undefined ? [] : [loads(skillName)])

const look = {
  name: 'look',
  description: 'Looks into a place.',
  parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
  call: async (given: string) => `three jars in the ${JSON.parse(given).place}`,
}

/** Files that an agent gets besides text, by the capability that they need. */
const handed: Readonly<Record<'images' | 'documents', readonly FilePart[]>> = {
  images: [[10, 90, 30] as const, [200, 30, 30] as const].map((colour, index) => ({
    type: 'image',
    name: `picture ${index}.png`,
    mediaType: 'image/png',
    data: png(colour).toString('base64'),
  })),
  documents: [
    {
      type: 'document',
      name: 'report.pdf',
      mediaType: 'application/pdf',
      data: pdf(1).toString('base64'),
    },
  ],
}

export function agentSuite(actor: Actor): void {
  const { kit } = actor
  const { agent } = kit
  const can = (capability: (typeof agent.supports)[number]) => agent.supports.includes(capability)

  describe('at work', () => {
    it('reads the skill, uses a tool of its own, and leaves its work in the workspace', async context => {
      const calls = [...loading(kit), kit.writes('order.txt', 'two pears')]
      const stage = await openStage(context, actor, { respond: plays(calls, 'It is noted.') })
      await writeFile(join(stage.workspace, 'given.txt'), 'as it was')
      const { workspace, server } = stage
      const session = {
        instructions: 'The shop is closed on Mondays.',
        prompt: 'Note: two pears.',
        workspace,
      }
      const outcome = ended(await stage.work(session, { skill }))

      expect(outcome).toMatchObject({ stop: 'answered', answer: 'It is noted.' })
      expect(await filesIn(workspace)).toEqual({ 'given.txt': 'as it was', 'order.txt': 'two pears' })
      expectCallWithResult(outcome.messages, /order\.txt/)
      expectUsage(outcome, server)

      const sent = sentTo(server)
      expect(sent).toContain(rule)
      expect(sent).toContain('The shop is closed on Mondays.')
      expect(sent).toContain('Note: two pears.')
      expect(lastResults(server).length).toBeGreaterThan(10)
      for (const { headers, status } of server.log) {
        expect(headers.userAgent).toMatch(kit.userAgent)
        expect(status).toBe(200)
      }
      expect(await stage.leftovers()).toEqual([])
      expect(await filesIn(stage.home)).toEqual({})
    })

    it('sees nothing of what the user has set up', async context => {
      const canary = 'canary-of-the-user'
      const stage = await openStage(context, actor, { respond: plays(loading(kit), 'Done.') })
      const setup = kit.setup(stage.home, canary)
      expect(setup.length).toBeGreaterThan(0)
      expect(setup.filter(({ content }) => !content.includes(canary))).toEqual([])
      await plant(setup)
      const before = await filesIn(stage.home)
      ended(await stage.work({ workspace: stage.workspace }, { skill }))
      expect(sentTo(stage.server)).toContain(rule)
      expect(sentTo(stage.server)).not.toContain(canary)
      expect(await filesIn(stage.home)).toEqual(before)
    })

    it('sees it where that is wanted, beside the skill', async context => {
      const stage = await openStage(context, actor, { respond: plays(loading(kit), 'Done.') })
      await plant(kit.setup(stage.home, 'canary-of-the-user'))
      const before = await filesIn(stage.home)
      ended(await stage.work({ workspace: stage.workspace }, { skill, inherit: true }))
      const sent = sentTo(stage.server)
      expect(kit.inherited.length).toBeGreaterThan(0)
      expect(kit.inherited.filter(words => !sent.includes(words))).toEqual([])
      expect(sent).toContain(rule)
      expect(await filesIn(stage.home)).toEqual(before)
    })

    it('does not disturb another attempt at the same time', async context => {
      const goods = ['pears', 'plums'] as const
      const stage = await openStage(context, actor, {
        respond: request => {
          const own =
            goods.find(good => JSON.stringify(request.messages).includes(`Note: ${good}`)) ?? 'pears'
          const calls = [...loading(kit), kit.writes('order.txt', own)]
          return plays(calls, `I noted ${own}.`)(request)
        },
      })
      const attempts = goods.map(async good => {
        const workspace = await stage.folder(good)
        const text = skill.replace('lighthouse', `lighthouse of ${good}`)
        const outcome = await stage.work({ prompt: `Note: ${good}.`, workspace }, { skill: text })
        return { answer: ended(outcome).answer, files: await filesIn(workspace) }
      })
      expect(await Promise.all(attempts)).toEqual(
        goods.map(good => ({ answer: `I noted ${good}.`, files: { 'order.txt': good } })),
      )
      for (const { body } of stage.server.log) {
        const words = JSON.stringify(body?.messages)
        const seen = goods.filter(
          good => words.includes(`lighthouse of ${good}`) || words.includes(`: ${good}.`),
        )
        expect(seen.length).toBeLessThanOrEqual(1)
      }
      expect(await stage.leftovers()).toEqual([])
    })
  })

  describe('a task with files in its prompt', () => {
    for (const [kind, files] of Object.entries(handed) as [keyof typeof handed, readonly FilePart[]][]) {
      it.runIf(can(kind))(`${kind} reach the model as they are`, async context => {
        const calls = [...loading(kit), kit.writes('order.txt', 'two pears')]
        const stage = await openStage(context, actor, { respond: plays(calls, 'It is noted.') })
        const { workspace, server } = stage
        const prompt = [{ type: 'text' as const, text: 'Note what these show.' }, ...files]
        ended(await stage.work({ prompt, workspace }, { skill }))
        const sent = sentTo(server)
        for (const { data } of files) expect(sent).toContain(data)
        expect(sent).toContain('Note what these show.')
        expect(sent).toContain(rule)
        // Input files lie beside its work and are not part of its result.
        expect(await filesIn(workspace)).toEqual({ 'order.txt': 'two pears' })
      })
    }
  })

  describe('the tools of a session', () => {
    it.runIf(can('tools'))('are called, and what they give back is read', async context => {
      const used = kit.uses('task', 'look', { place: 'cellar' })
      if (used === undefined) throw new Error('It supports tools, and its kit has no call of one.')
      const stage = await openStage(context, actor, { respond: plays([used], 'Three jars.') })
      const outcome = ended(await stage.work({ tools: [look] }))
      expect(outcome).toMatchObject({ stop: 'answered', answer: 'Three jars.' })
      expect(lastResults(stage.server)).toContain('three jars in the cellar')
      expectCallWithResult(outcome.messages, /cellar/, /three jars in the cellar/)
      // There are no files to work on, so file tools are not offered.
      const offered = stage.server.log.flatMap(({ body }) => (body === null ? [] : offeredTools(body)))
      expect(offered).toContain(used.name)
      expect(offered).not.toContain(kit.writes('a', 'b').name)
      expect(await stage.leftovers()).toEqual([])
    })

    it.runIf(can('turns'))('take turns with a world that answers', async context => {
      const said = ['I open the door.', 'I take the lamp.']
      const calls = said
        .map(message => kit.uses('task', 'reply', { message }))
        .filter(call => call !== undefined)
      const stage = await openStage(context, actor, { respond: plays(calls, 'I have the lamp.') })
      const heard: string[] = []
      const reply = async (text: string) => {
        heard.push(text)
        return heard.length < said.length ? 'The room is dark.' : 'done'
      }
      const outcome = ended(await stage.work({ prompt: 'Find the lamp.', reply }))
      expect(heard).toEqual(said)
      expect(outcome).toMatchObject({ stop: 'answered', answer: 'I have the lamp.' })
      expect(lastResults(stage.server)).toContain('The room is dark.')
      expectCallWithResult(outcome.messages, /take the lamp/, /is over/)
    })
  })

  it.runIf(agent.chats)('answers a question with no tool at all', async context => {
    const stage = await openStage(context, actor, { respond: () => ({ content: 'Forty-two.' }) })
    const setup = kit.setup(stage.home, 'canary-of-the-user')
    await plant(setup)
    const outcome = ended(await stage.ask('You grade answers, in one word.', 'How many are they?'))
    expect(outcome).toMatchObject({ stop: 'answered', answer: 'Forty-two.' })
    expectUsage(outcome, stage.server)
    const sent = sentTo(stage.server)
    expect(sent).toContain('You grade answers, in one word.')
    expect(sent).toContain('How many are they?')
    expect(sent).not.toContain('canary-of-the-user')
    for (const { body } of stage.server.log)
      expect(body === null ? undefined : offeredTools(body)).toEqual([])
    expect(await stage.leftovers()).toEqual([])
  })

  describe('access to the workspace only', () => {
    it('offers no web, and a shell only where it is kept in', async context => {
      const stage = await openStage(context, actor, { respond: plays([], 'Done.') })
      ended(await stage.work({ workspace: stage.workspace }, { skill }))
      const offered = stage.server.log.flatMap(({ body }) => (body === null ? [] : offeredTools(body)))
      expect(offered).toContain(kit.writes('a', 'b').name)
      expect(offered.filter(name => /web|fetch|browse/i.test(name))).toEqual([])
      const shells = offered.filter(name => /shell|bash|exec|terminal|command/i.test(name))
      expect(shells.length > 0, shells.join(', ')).toBe(kit.runs !== undefined)
    })

    it('writes no file elsewhere', async context => {
      let calls: readonly ToolUse[] = []
      const stage = await openStage(context, actor, { respond: request => plays(calls, 'Done.')(request) })
      calls = [kit.writes(join(stage.home, 'elsewhere.txt'), 'I was here')]
      // The outcome differs: the agent is refused and continues, or it ends.
      await stage.work({ workspace: stage.workspace })
      expect(stage.server.log.length).toBeGreaterThan(0)
      expect(await filesIn(stage.home)).toEqual({})
      expect(await filesIn(stage.workspace)).toEqual({})
      expect(await stage.leftovers()).toEqual([])
    })

    it.runIf(kit.runs !== undefined)(
      'runs commands that reach neither the network nor other files',
      async context => {
        const port = await listening(context)
        let calls: readonly ToolUse[] = []
        const stage = await openStage(context, actor, { respond: request => plays(calls, 'Done.')(request) })
        const commands = [
          'echo inside > inside.txt',
          `echo outside > ${join(stage.home, 'elsewhere.txt')}`,
          `bash -c 'echo hello > /dev/tcp/127.0.0.1/${port.number}'`,
        ]
        calls = commands.flatMap(command => kit.runs?.(command) ?? [])
        ended(await stage.work({ workspace: stage.workspace }))
        expect(await filesIn(stage.workspace)).toEqual({ 'inside.txt': 'inside' })
        expect(await filesIn(stage.home)).toEqual({})
        expect(port.connections()).toBe(0)
      },
    )
  })
}

// ── Expectations ────────────────────────────────────────────────────────────

type Ended = Extract<AgentOutcome, { status: 'ended' }>

export function ended(outcome: AgentOutcome): Ended {
  if (outcome.status === 'failed') throw outcome.failure
  return outcome
}

function expectCallWithResult(messages: readonly Message[], given: RegExp, result = /^/): void {
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls)
  const call = calls.find(({ arguments: text }) => given.test(text))
  expect(call, `a call with ${given} among ${JSON.stringify(calls)}`).toBeDefined()
  const answer = messages.find(({ role, toolCallId }) => role === 'tool' && toolCallId === call?.id)
  expect(answer, 'its result').toBeDefined()
  expect(answer?.text).toMatch(result)
}

/** The usage equals the sum that the server reported in its replies. */
function expectUsage({ usage }: Ended, { log }: LoopbackServer): void {
  const sumOf = (field: 'prompt_tokens' | 'completion_tokens') =>
    log.reduce((sum, { usage }) => sum + (usage?.[field] ?? 0), 0)
  expect(usage).toMatchObject({ input: sumOf('prompt_tokens'), output: sumOf('completion_tokens') })
}

async function listening({ onTestFinished }: TestContext) {
  let connections = 0
  const server = createServer(socket => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise(resolve => server.close(() => resolve())))
  const address = server.address()
  return {
    number: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => connections,
  }
}
