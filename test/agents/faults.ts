import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'vitest'
import type { WorldFailureKind } from '../../src/core/task/task.js'
import type { FaultKind } from '../../src/simulated/faults.js'
import { timeLimit } from '../support/time-limit.js'
import { plays } from './model.js'
import { type Actor, filesIn, openStage, type Stage } from './stage.js'

/**
 * Any fault around an agent becomes a failure of the right kind, with the agent's own message, and never an
 * answer.
 */

interface Fault {
  readonly name: string
  /** Fault of every request. */
  readonly fault?: FaultKind
  /** True if no server listens. */
  readonly isDeaf?: boolean
  readonly seconds?: number
  readonly kinds: readonly WorldFailureKind[]
  /** Matches the agents' differing error messages. */
  readonly words: RegExp
}

const faults: readonly Fault[] = [
  {
    name: 'a server that never answers',
    fault: 'silence',
    seconds: 45,
    kinds: ['timeout'],
    words: /did not finish within 45 s/,
  },
  {
    name: 'a key that is refused',
    fault: 'unauthorized',
    kinds: ['login'],
    words: /401|API key|authenticat/i,
  },
  {
    name: 'too many requests',
    fault: 'rate-limit',
    kinds: ['rate-limit', 'quota'],
    words: /429|rate limit|quota/i,
  },
  {
    name: 'an error of the server',
    fault: 'server-error',
    kinds: ['server', 'transport'],
    words: /500|server|demand|retry/i,
  },
  {
    name: 'a connection that is cut',
    fault: 'cut',
    kinds: ['transport', 'server'],
    words: /connect|terminated|stream|network|socket|aborted/i,
  },
  {
    name: 'no server',
    isDeaf: true,
    kinds: ['transport', 'server'],
    words: /connect|refused|fetch failed|network|retry/i,
  },
]

const wrongAnswer = plays([], 'An answer that must not count.')

/** Several agents wait a minute and retry before they give up. */
const patience = { timeout: timeLimit(240_000) }

export function faultSuite(actor: Actor): void {
  const { kit, program } = actor
  const { title } = kit.agent

  describe.concurrent('a failure of the world', () => {
    for (const fault of faults) {
      it(fault.name, patience, async context => {
        const { expect } = context
        const stage = await openStage(context, actor, {
          respond: wrongAnswer,
          ...(fault.fault === undefined ? {} : { faults: () => fault.fault }),
        })
        const { kind, message, hint } = await failureUnder(fault, stage)
        expect(fault.kinds, message).toContain(kind)
        expect(message).toMatch(fault.words)
        expect(message.startsWith(title)).toBe(true)
        expect(message).not.toContain('must not count')
        // With a custom endpoint, the config has to name a key; the agent's login does not apply.
        if (kind === 'login') expect(hint).toContain('apiKeyEnv')
        if (fault.isDeaf !== true) expect(stage.server.counters.requests).toBeGreaterThan(0)
        expect(await filesIn(stage.workspace)).toEqual({ 'given.txt': 'as it was' })
        expect(await stage.leftovers()).toEqual([])
      })
    }

    it('an agent that is killed', patience, async context => {
      const { kind, message } = await killed(context, started => started.slice(0, 1))
      context.expect(kind, message).toBe('harness')
      context.expect(message).toContain(`${title}: It was killed by a signal.`)
    })

    it('an agent of which the innermost process is killed', patience, async context => {
      const { kind, message } = await killed(context, started => started.slice(-1))
      // If the outer process reports the death, the kind depends on its message; the attempt is retried in
      // any case.
      context.expect(['harness', 'transport', 'server'], message).toContain(kind)
    })

    it('a user who stops it', patience, async context => {
      const stopped = new AbortController()
      const stage = await openStage(context, actor, {
        respond: request => {
          stopped.abort(new Error('stopped by the user'))
          return wrongAnswer(request)
        },
      })
      const attempt = stage.work({ workspace: stage.workspace }, {}, stopped.signal)
      await context.expect(attempt).rejects.toThrow('stopped by the user')
      context.expect(await stage.leftovers()).toEqual([])
    })

    it('a program that is not there', async context => {
      const stage = await openStage(context, { kit, program: `${program}-that-is-not-there` }, {})
      await context.expect(stage.work({})).rejects.toMatchObject({ kind: 'harness' })
      context.expect(await stage.leftovers()).toEqual([])
    })
  })

  async function failureUnder({ isDeaf, seconds }: Fault, stage: Stage) {
    await writeFile(join(stage.workspace, 'given.txt'), 'as it was')
    const outcome = await stage.work(
      { workspace: stage.workspace },
      {
        ...(isDeaf === true ? { endpoint: kit.endpoint(`http://127.0.0.1:${await freePort()}`) } : {}),
        ...(seconds === undefined ? {} : { seconds }),
      },
    )
    if (outcome.status === 'failed') return outcome.failure
    throw new Error(`It ended: ${outcome.stop}, "${outcome.answer}"`)
  }

  /** Kills the chosen processes during a model request, as the OOM killer would. */
  async function killed(context: TestContext, choose: (started: readonly number[]) => readonly number[]) {
    const stage: Stage = await openStage(context, actor, {
      respond: async request => {
        for (const pid of choose(await processesOf(stage.root))) process.kill(pid, 'SIGKILL')
        return wrongAnswer(request)
      },
    })
    const outcome = await stage.work({ workspace: stage.workspace })
    context.expect(await stage.leftovers()).toEqual([])
    if (outcome.status === 'failed') return outcome.failure
    throw new Error(`It ended: ${outcome.stop}, "${outcome.answer}"`)
  }
}

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise<void>(resolve => server.close(() => resolve()))
  if (address === null || typeof address === 'string') throw new Error('There is no port.')
  return address.port
}

/** The chain of processes from the one that the harness started down to its last descendant. */
async function processesOf(root: string): Promise<readonly number[]> {
  const childOf = new Map<number, number>()
  for (const id of (await readdir('/proc')).filter(name => /^\d+$/.test(name))) {
    const read = (file: string) => readFile(`/proc/${id}/${file}`, 'latin1').catch(() => '')
    const parent = /\) \S (\d+)/.exec(await read('stat'))?.[1]
    if (parent !== undefined && (await read('environ')).includes(root))
      childOf.set(Number(parent), Number(id))
  }
  const chain: number[] = []
  for (let pid = childOf.get(process.pid); pid !== undefined; pid = childOf.get(pid)) chain.push(pid)
  return chain
}
