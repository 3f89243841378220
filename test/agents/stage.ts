import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type AgentSettings, askAgent, runAttempt } from '../../src/agents/shared/harness/attempt.js'
import type { AgentOutcome } from '../../src/agents/shared/harness/definition.js'
import { defaultLimits } from '../../src/agents/shared/harness/process.js'
import type { Session } from '../../src/core/ports/environment.js'
import { type LoopbackOptions, type LoopbackServer, startLoopbackServer } from '../../src/simulated/server.js'
import { fakeSession, processesWith } from '../support/fake-agent.js'
import type { AgentKit } from './kit.js'
import { completed } from './model.js'

/** The real program of one agent and its scripted model. */
export interface Actor {
  readonly kit: AgentKit
  readonly program: string
}

/** A user's home, a task's workspace and a server for the agent's model, for one test. */
export interface Stage {
  readonly home: string
  readonly workspace: string
  readonly server: LoopbackServer
  /** Folder of the attempts; every process that they start has it in its environment. */
  readonly root: string
  /** Creates another workspace. */
  folder(name: string): Promise<string>
  work(session: Partial<Session>, changed?: Changed, signal?: AbortSignal): Promise<AgentOutcome>
  ask(instructions: string, prompt: string): Promise<AgentOutcome>
  /** Leftovers of the attempts; empty unless something is wrong. */
  leftovers(): Promise<readonly string[]>
}

export type Changed = Partial<AgentSettings> & { readonly skill?: string; readonly seconds?: number }

const never = new AbortController().signal

/**
 * Clean-up hook: a test context or, for a stage that several tests share, a hook that runs after the last
 * one.
 */
export interface Ending {
  onTestFinished(clean: () => Promise<void>): void
}

/** Cleaned up with the test. */
export async function openStage(
  { onTestFinished }: Ending,
  { kit, program }: Actor,
  options: LoopbackOptions,
): Promise<Stage> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `skillopt-real-${kit.agent.id}-`)))
  const inside = async (name: string) => {
    await mkdir(join(folder, name), { recursive: true })
    return join(folder, name)
  }
  const [home, workspace, root] = [await inside('home'), await inside('workspace'), await inside('attempts')]
  const respond = options.respond && completed(kit, options.respond)
  const server = await startLoopbackServer({ keepLog: true, ...options, ...(respond && { respond }) })
  onTestFinished(async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const settings = ({ seconds = 180, ...changed }: Changed): AgentSettings => ({
    program,
    model: kit.model,
    effort: undefined,
    key: undefined,
    endpoint: kit.endpoint(server.url),
    env: { PATH: process.env.PATH, HOME: home, ...kit.env },
    access: 'workspace',
    inherit: false,
    root,
    limits: { ...defaultLimits, seconds, graceSeconds: 1, tokens: 1_000_000 },
    ...changed,
  })
  return {
    home,
    workspace,
    server,
    root,
    folder: inside,
    work: (session, { skill = '', ...changed } = {}, signal = never) =>
      runAttempt(kit.agent, settings(changed), { task: { session: fakeSession(session), skill }, signal }),
    ask: (instructions, prompt) =>
      askAgent(kit.agent, settings({}), {
        question: { instructions, prompt: [{ type: 'text', text: prompt }] },
        signal: never,
      }),
    async leftovers() {
      const processes = await processesWith(root)
      return [...(await readdir(root)), ...(processes === 0 ? [] : [`${processes} processes`])]
    },
  }
}

export async function plant(files: readonly { readonly path: string; readonly content: string }[]) {
  for (const { path, content } of files) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
}

/** Text of every file below a folder, by path; ignores a trailing line break, which depends on the tool. */
export async function filesIn(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const read = paths.map(async path => {
    const text = await readFile(path, 'utf8')
    return [path.slice(folder.length + 1), text.trimEnd()] as const
  })
  return Object.fromEntries(await Promise.all(read))
}

/** Tool results in the last request that has any. */
export function lastResults({ log }: LoopbackServer): string {
  const withResults = log.findLast(({ body }) => body?.messages.some(({ role }) => role === 'tool'))
  return JSON.stringify(withResults?.body?.messages.filter(({ role }) => role === 'tool') ?? [])
}

/** All requests, as received. */
export function sentTo({ log }: LoopbackServer): string {
  return JSON.stringify(log.map(({ body, received }) => received ?? body))
}
