import { execFile } from 'node:child_process'
import { mkdir, readdir, realpath } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type ChatReply, type ChatRequest, startLoopbackServer } from '../../src/testing/index.js'
import { put, skillopt, temporaryFolder, textOf } from '../end-to-end/support.js'
import { processesWith } from '../support/fake-agent.js'
import { sleepBook, sleepTask } from '../support/sleep-book.js'
import { timeLimit } from '../support/time-limit.js'
import { completed, offeredTools, plays } from './model.js'
import type { Actor } from './stage.js'

/**
 * A night in the real program: it works in copies of the project's earlier state, a judge reads its file
 * changes, and the lesson is proposed for review. The project itself is only read.
 */

const rule = 'Begin the line with the word ORDER and a colon.'
const learnedSkill = 'skillopt-sleep-learned'
const goods = { train: ['3 pears'], val: ['5 figs', '6 limes'], test: ['8 kiwis'] } as const
const orders = Object.values(goods).flat()

function answers({ kit }: Actor, seenInCopies: string[]) {
  const asTarget = (request: ChatRequest): ChatReply => {
    const words = JSON.stringify(request.messages)
    const order = orders.find(each => words.includes(`Note the order: ${each}.`))
    if (order === undefined || offeredTools(request).length === 0) return { content: 'Orders' }
    seenInCopies.push(words)
    const calls = [
      ...(kit.loads !== undefined && words.includes(learnedSkill) ? [kit.loads(learnedSkill)] : []),
      kit.writes('order.txt', words.includes(rule) ? `ORDER: ${order}` : order),
    ]
    return plays(calls, 'It is noted.')(request)
  }
  const asJudge = (request: ChatRequest): ChatReply => {
    const isNoted = /changed_files[\s\S]*order\.txt[\s\S]*ORDER: /.test(JSON.stringify(request.messages))
    return { content: JSON.stringify({ reason: 'By the file.', score: isNoted ? 1 : 0 }) }
  }
  const patch = { reasoning: 'Every line lacks the word.', edits: [{ op: 'append', content: `- ${rule}` }] }
  const proposal = JSON.stringify({ batch_size: 1, failure_summary: [], patch })
  return (request: ChatRequest): ChatReply => {
    if (request.model === 'optimizer') return { content: proposal }
    return request.model === 'judge' ? asJudge(request) : asTarget(request)
  }
}

export function nightSuite(actor: Actor): void {
  const { kit, program } = actor

  it('a night tries tasks in copies of the project, and proposes what it learned', {
    timeout: timeLimit(300_000),
  }, async context => {
    const folder = await realpath(await temporaryFolder())
    const project = join(folder, 'shop')
    for (const name of ['home', 'tmp', 'shop']) await mkdir(join(folder, name))
    const seenInCopies: string[] = []
    const respond = completed(kit, answers(actor, seenInCopies))
    const server = await startLoopbackServer({ respond, keepLog: true })
    context.onTestFinished(() => server.close())
    await put(project, 'README.md', 'A shop.\n')
    await put(project, '.env', 'SHOP_SECRET=not-for-the-copy\n')
    await put(project, '.gitignore', '.env\n')
    const git = (...args: string[]) => promisify(execFile)('git', ['-C', project, ...args])
    await git('init', '-q')
    await git('add', '.')
    await git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '-m', 'A shop')
    const before = await filesIn(project)

    const tasks = Object.entries(goods).flatMap(([split, those]) =>
      those.map(order =>
        sleepTask(`note-${order.replaceAll(' ', '-')}`, {
          intent: 'Note an order in order.txt.',
          split: split as keyof typeof goods,
          rubric: ['order.txt says ORDER, a colon, and what was ordered.'],
          writtenBy: 'person',
          examples: [{ text: `Note the order: ${order}.`, session: `${kit.agent.id}:${order}` }],
          evidence: { sessions: [`${kit.agent.id}:${order}`] },
        }),
      ),
    )
    await put(folder, 'tasks.json', JSON.stringify({ ...sleepBook(project, tasks), reviewed: true }))
    await put(
      folder,
      'sleep.yaml',
      stringify({
        models: {
          target: {
            model: `${kit.agent.id}/${kit.model}`,
            endpoint: kit.endpoint(server.url),
            concurrency: 2,
          },
          optimizer: { model: 'openai-compatible/optimizer', endpoint: `${server.url}/v1` },
          judge: { model: 'openai-compatible/judge', endpoint: `${server.url}/v1` },
        },
        train: { epochs: 1 },
        evaluation: { gate: 'strict' },
      }),
    )
    const env = {
      PATH: [dirname(program), process.env.PATH].join(delimiter),
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
      SKILLOPT_HOME: join(folder, 'kept'),
      ...kit.env,
    }
    const files = ['--config', join(folder, 'sleep.yaml'), '--tasks-file', join(folder, 'tasks.json')]
    const ran = await skillopt(['sleep', 'run', ...files, '--trust', '--yes', '--json'], {
      cwd: project,
      env,
    })

    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    const { outcome, night, targets } = JSON.parse(ran.stdout)
    expect(outcome, ran.stdout).toBe('proposed')
    expect(targets).toMatchObject([{ test: { before: { mean: 0 }, after: { mean: 1 } } }])
    const proposed = await readdir(night.proposal)
    const document = proposed.find(name => name.includes(learnedSkill)) ?? ''
    expect(await textOf(night.proposal, document)).toContain(`- ${rule}`)
    // The project is unchanged, and files that git ignores were sent to nobody.
    expect(await filesIn(project)).toEqual(before)
    expect(JSON.stringify(server.log)).not.toContain('not-for-the-copy')
    expect(seenInCopies.join('\n')).not.toContain(project)
    expect(await readdir(join(folder, 'tmp'))).toEqual([])
    expect(await processesWith(join(folder, 'tmp'))).toBe(0)
  })
}

async function filesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder, { recursive: true })).sort()
}
