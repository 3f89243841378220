import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentSettings } from '../src/agents/shared/harness/attempt.js'
import type { AgentDefinition } from '../src/agents/shared/harness/definition.js'
import { usualLimits } from '../src/agents/shared/harness/process.js'
import type { Environment, Session } from '../src/core/ports/environment.js'
import type { Task } from '../src/core/task/task.js'

/** What a worker is asked to measure, as JSON. */
export interface HarnessJob {
  /** Through the harness, or the same program in the same folders, started by hand. */
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
  /** From the start of its process to its end. */
  readonly agentMs: number
  /** What our process computed meanwhile: of this attempt alone, where no other is under way. */
  readonly cpuMs: number
}

export interface MeasuredJob {
  readonly attempts: readonly MeasuredAttempt[]
  readonly workMs: number
  /** The most memory that the worker held. */
  readonly peak: number
}

/** What the model has the agent make, and what the scorer looks for. */
export const made = { path: 'order.txt', text: 'two pears' } as const
/** The tool of the session, which reaches the agent by MCP. */
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
  ...{ model, endpoint, env },
  ...{ effort: undefined, key: undefined, access: 'workspace', inherit: false },
  limits: { ...usualLimits, seconds: 120, tokens: 1_000_000 },
})

/** A small project to work on, and a tool for the agents that take any: of each part of an attempt, a little. */
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

/** Passed by every attempt that did what its model said; one that did not would be faster than it should be. */
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
