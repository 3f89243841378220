import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AgentDefinition } from '../../src/agents/shared/harness/definition.js'
import type { Session } from '../../src/core/ports/environment.js'
import { userMessage } from '../../src/core/task/parts.js'
import type { Message } from '../../src/core/task/task.js'

export type FakeAgent =
  | 'answers'
  | 'hangs'
  | 'ignores-sigterm'
  | 'forks'
  | 'keeps-forking'
  | 'prints-without-end'
  | 'exits-3'

export const scriptOf = (agent: FakeAgent) => fileURLToPath(new URL(`./agents/${agent}.mjs`, import.meta.url))

/** Definition of an agent that runs one of the scripts beside this file with Node. */
export function fakeAgent(agent: FakeAgent, programArguments: readonly string[] = []): AgentDefinition {
  return {
    id: agent,
    title: 'Fake agent',
    program: process.execPath,
    install: 'npm install -g fake-agent',
    login: 'Run `fake-agent login`.',
    version: {
      arguments: ['--version'],
      read: printed => /v(\S+)/.exec(printed)?.[1],
      tested: { from: '20.0.0', below: '99.0.0' },
    },
    supports: ['chat', 'tools', 'turns', 'workspace'],
    chats: true,
    efforts: ['low', 'high'],
    variables: ['FAKE_REGION'],
    secrets: ['FAKE_KEY'],
    grants: { workspace: 'It may edit the files.', full: 'It may do everything.' },
    filesOf: ({ home }, place) => ({
      login: [{ from: join(home, '.fake', 'login.json'), to: join(place.config, 'login.json') }],
      setup: [{ from: join(home, '.fake', 'skills'), to: join(place.config, 'skills') }],
    }),
    skillsFolder: ({ workspace }) => join(workspace, '.fake', 'skills'),
    prepare: ({ instructions, prompt, skill, tools }, place) => ({
      files: [
        { path: join(place.config, 'rules.md'), content: instructions },
        { path: join(place.workspace, 'FAKE.md'), content: instructions },
      ],
      environment: {
        FAKE_CONFIG: place.config,
        ...(tools === undefined ? {} : { TASK_URL: tools.url, TASK_TOKEN: tools.token }),
      },
      arguments: [scriptOf(agent), ...programArguments],
      stdin: `${skill === undefined ? '' : `/${skill.name} `}${userMessage(prompt).text}`,
    }),
    read({ stdout, stderr, exitCode }) {
      const records = stdout.split('\n').filter(line => line !== '')
      const messages: Message[] = records.map(text => ({ role: 'assistant', text }))
      const answers = records.map(line => JSON.parse(line) as Said).filter(({ type }) => type === 'answer')
      const seen = { messages, usage: {}, skipped: 0 }
      const answer = answers.at(-1)?.text
      if (exitCode === 0 && answer !== undefined) return { ...seen, answer, stop: 'answered' }
      const message = `it ended with ${exitCode ?? 'a signal'}. ${stderr.trim()}`
      return { ...seen, failure: { kind: 'harness', message, retryable: false } }
    },
  }
}

interface Said {
  readonly type: string
  readonly text?: string
}

export function fakeSession(fields: Partial<Session> = {}): Session {
  return {
    instructions: 'Be brief.',
    prompt: 'What is 2 + 2?',
    skillAt: 'system',
    tools: [],
    turnLimit: 5,
    close: async () => undefined,
    ...fields,
  }
}

/** Number of local processes with the word among their arguments or in their environment. */
export async function processesWith(word: string): Promise<number> {
  const ids = (await readdir('/proc')).filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
  const read = (id: string, file: string) => readFile(`/proc/${id}/${file}`, 'latin1').catch(() => '')
  const texts = await Promise.all(
    ids.map(async id => (await read(id, 'cmdline')) + (await read(id, 'environ'))),
  )
  return texts.filter(text => text.includes(word)).length
}
