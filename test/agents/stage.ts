import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type AgentSettings, askAgent, runAttempt } from '../../src/agents/shared/harness/attempt.js'
import type { AgentOutcome } from '../../src/agents/shared/harness/definition.js'
import { usualLimits } from '../../src/agents/shared/harness/process.js'
import type { Session } from '../../src/core/ports/environment.js'
import { type LoopbackOptions, type LoopbackServer, startLoopbackServer } from '../../src/simulated/server.js'
import { fakeSession, processesWith } from '../support/fake-agent.js'
import type { AgentKit } from './kit.js'
import { completed } from './model.js'

/** The real program of one agent, and what speaks for its model. */
export interface Actor {
  readonly kit: AgentKit
  readonly program: string
}

/** A user's home, a task's workspace and a server for the agent's model, all of one test. */
export interface Stage {
  readonly home: string
  readonly workspace: string
  readonly server: LoopbackServer
  /** Where the attempts have their folders: all that they start carries it in its environment. */
  readonly root: string
  /** Another workspace. */
  folder(name: string): Promise<string>
  work(session: Partial<Session>, changed?: Changed, signal?: AbortSignal): Promise<AgentOutcome>
  ask(instructions: string, prompt: string): Promise<AgentOutcome>
  /** What is left of the attempts; nothing, unless something is wrong. */
  leftovers(): Promise<readonly string[]>
}

export type Changed = Partial<AgentSettings> & { readonly skill?: string; readonly seconds?: number }

const never = new AbortController().signal

/** What a test is asked; or, for a stage that several tests share, whatever runs it after the last one. */
export interface Ending {
  onTestFinished(clean: () => Promise<void>): void
}

/** Ends with the test. */
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
    ...{ model: kit.model, effort: undefined, key: undefined, endpoint: kit.endpoint(server.url) },
    env: { PATH: process.env.PATH, HOME: home, ...kit.env },
    ...{ access: 'workspace', inherit: false, root },
    limits: { ...usualLimits, seconds, graceSeconds: 1, tokens: 1_000_000 },
    ...changed,
  })
  return {
    home,
    workspace,
    server,
    root,
    folder: inside,
    work: (session, { skill = '', ...changed } = {}, signal = never) =>
      runAttempt(kit.agent, settings(changed), { session: fakeSession(session), skill }, signal),
    ask: (instructions, prompt) =>
      askAgent(kit.agent, settings({}), { instructions, prompt: [{ type: 'text', text: prompt }] }, never),
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

/** Every file below a folder, by its path, with its text; a line break more or less at its end is a matter of tools. */
export async function filesIn(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const read = paths.map(async path => {
    const text = await readFile(path, 'utf8')
    return [path.slice(folder.length + 1), text.trimEnd()] as const
  })
  return Object.fromEntries(await Promise.all(read))
}

/** What tools gave back, in the last request that has any. */
export function lastResults({ log }: LoopbackServer): string {
  const withResults = log.findLast(({ body }) => body?.messages.some(({ role }) => role === 'tool'))
  return JSON.stringify(withResults?.body?.messages.filter(({ role }) => role === 'tool') ?? [])
}

/** Everything that was sent, as it came. */
export function sentTo({ log }: LoopbackServer): string {
  return JSON.stringify(log.map(({ body, received }) => received ?? body))
}
