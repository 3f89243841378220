import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentSettings } from '../src/agents/shared/harness/attempt.js'
import type { AgentDefinition } from '../src/agents/shared/harness/definition.js'
import { defaultLimits } from '../src/agents/shared/harness/process.js'
import type { Environment, Session } from '../src/core/ports/environment.js'
import type { Task } from '../src/core/task/task.js'

/** A measurement job for a worker, passed as JSON. */
export interface HarnessJob {
  /** Through the harness, or the same program in the same folders, started directly. */
  readonly way: 'harness' | 'by hand'
  readonly agent: string
  readonly program: string
  readonly model: string
  readonly endpoint: string
  readonly env: Readonly<Record<string, string>>
  readonly attempts: number
  readonly concurrency: number
}

export interface MeasuredAttempt {
  readonly wallMs: number
  /** Run time of the agent's process. */
  readonly agentMs: number
  /**
   * CPU time of our process meanwhile; it belongs to this attempt alone only if no other runs concurrently.
   */
  readonly cpuMs: number
}

export interface MeasuredJob {
  readonly attempts: readonly MeasuredAttempt[]
  readonly workMs: number
  /** Peak memory of the worker. */
  readonly peak: number
}

/** The file that the model tells the agent to create, and that the scorer checks. */
export const made = { path: 'order.txt', text: 'two pears' } as const
/** The session's tool, offered to the agent over MCP. */
export const toolName = 'look'

export const skill = `---
name: order-notes
description: How orders are noted.
---

# Orders

${Array.from({ length: 30 }, (_, index) => `- Rule ${index}: write what was ordered first, then how many, and check the line once.`).join('\n')}
`

export const settingsOf = ({ program, model, endpoint, env }: HarnessJob): AgentSettings => ({
  program,
  model,
  endpoint,
  env,
  effort: undefined,
  key: undefined,
  access: 'workspace',
  inherit: false,
  limits: { ...defaultLimits, seconds: 120, tokens: 1_000_000 },
})

/**
 * A small workspace, and a tool for agents that support tools, so that every part of an attempt is
 * exercised.
 */
export async function openSession({ supports }: AgentDefinition): Promise<Session> {
  const workspace = await mkdtemp(join(tmpdir(), 'skillopt-bench-workspace-'))
  for (const folder of ['src', 'docs', 'data']) {
    await mkdir(join(workspace, folder))
    for (let index = 0; index < 8; index++) {
      await writeFile(join(workspace, folder, `file-${index}.txt`), `${folder} ${index}\n`.repeat(300))
    }
  }
  const look = {
    name: toolName,
    description: 'Looks into a place.',
    parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
    call: async () => 'three jars',
  }
  return {
    instructions: 'The shop is closed on Mondays.',
    prompt: `Note the order in ${made.path}: ${made.text}.`,
    skillAt: 'system',
    tools: supports.includes('tools') ? [look] : [],
    turnLimit: 10,
    workspace,
    close: () => rm(workspace, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** Passes attempts that followed the model's instructions; others would be unrealistically fast. */
export function environmentOf(
  definition: AgentDefinition,
  read: (path: string) => Promise<string>,
): Environment {
  return {
    id: 'orders',
    needs: ['workspace'],
    tasks: async () => [],
    open: () => openSession(definition),
    score: async (_task: Task, _trajectory, { workspace = '' }) => {
      const text = await read(join(workspace, made.path))
      const hard = text.trim() === made.text ? 1 : 0
      return { hard, soft: hard, feedback: '' }
    },
  }
}
