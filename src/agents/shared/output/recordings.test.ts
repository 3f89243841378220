import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readClaudeCode } from '../../claude-code/output.js'
import { readCodex } from '../../codex/output.js'
import { readCopilot } from '../../copilot/output.js'
import { readCursor } from '../../cursor/output.js'
import { readGemini } from '../../gemini/output.js'
import { readOpencode } from '../../opencode/output.js'
import { readPi } from '../../pi/output.js'
import { readQwen } from '../../qwen-code/output.js'
import type { AgentOutput, AgentReader, AgentReading } from './reading.js'

/** Output of the real programs; test/fixtures/agents/NOTE.md says how it was recorded. */
const folder = fileURLToPath(new URL('../../../../test/fixtures/agents/', import.meta.url))

const recorded = z.object({
  version: z.string(),
  cases: z.record(
    z.string(),
    z.object({ exitCode: z.number().nullable(), seconds: z.number(), stderr: z.string().optional() }),
  ),
})

function casesOf(agent: string): string[] {
  return Object.keys(
    recorded.parse(JSON.parse(readFileSync(`${folder}${agent}/recorded.json`, 'utf8'))).cases,
  )
}

function outputOf(agent: string, name: string): AgentOutput {
  const { cases } = recorded.parse(JSON.parse(readFileSync(`${folder}${agent}/recorded.json`, 'utf8')))
  const stdout = readFileSync(`${folder}${agent}/${name}.jsonl`, 'utf8')
  return { stdout, stderr: cases[name]?.stderr ?? '', exitCode: cases[name]?.exitCode ?? undefined }
}

/** The stop reason of an answer, or the kind and part of the message of a failure. */
type Expected = string | readonly [kind: string, words: string]

interface Agent {
  readonly read: AgentReader
  readonly cases: Readonly<Record<string, Expected>>
}

const refused = ['login', 'The key was refused.'] as const
const slowDown = ['rate-limit', 'Too many requests, slow down.'] as const
const serverBroken = ['server', 'The server is broken.'] as const
const ownFailures = {
  'context-overflow': 'context-overflow',
  'output-limit': 'output-limit',
  refusal: 'refusal',
}
const answers = { answer: 'answered', tool: 'answered', 'tool-failed': 'answered', 'mcp-tool': 'answered' }

const agents: Readonly<Record<string, Agent>> = {
  codex: {
    read: readCodex,
    cases: {
      ...answers,
      ...ownFailures,
      // The sandbox blocked the command's write, and the output does not mention it.
      denied: 'answered',
      'broken-sandbox': ['harness', 'codex-linux-sandbox: No such file or directory'],
      'mcp-denied': ['harness', 'MCP tool call requires approval, but approval policy is never'],
      'dropped-stream': ['transport', 'stream disconnected before completion'],
      'dropped-after-tool': ['transport', 'stream disconnected before completion'],
      'no-server': ['transport', 'Connection failed: error sending request'],
      'not-logged-in': ['login', 'Missing environment variable: `FAKE_KEY`.'],
      'status-401': refused,
      'status-429': ['rate-limit', 'last status: 429 Too Many Requests'],
      'status-500': ['server', 'We’re currently experiencing high demand'],
    },
  },
  'claude-code': {
    read: readClaudeCode,
    cases: {
      ...answers,
      ...ownFailures,
      'turn-limit': 'turn-limit',
      denied: ['harness', 'Bash: Output redirection to'],
      'mcp-denied': ['harness', 'Claude requested permissions to use mcp__task__look'],
      'dropped-stream': ['transport', 'Connection to the API was lost (ECONNRESET)'],
      'dropped-after-tool': ['transport', 'Connection to the API was lost (ECONNRESET)'],
      'no-server': ['transport', 'Unable to connect to API (ConnectionRefused)'],
      'not-logged-in': ['login', 'Not logged in · Please run /login'],
      'status-401': refused,
      'status-429': slowDown,
      'status-500': serverBroken,
    },
  },
  'claude-code-2.1.325': {
    read: readClaudeCode,
    cases: {
      answer: 'answered',
      tool: 'answered',
      'mcp-tool': 'answered',
      ...ownFailures,
      'turn-limit': 'turn-limit',
      denied: ['harness', 'Bash: Output redirection to'],
      'dropped-after-tool': ['transport', 'Connection to the API was lost (ECONNRESET)'],
      'status-401': refused,
      'status-429': slowDown,
    },
  },
  copilot: {
    read: readCopilot,
    cases: {
      ...answers,
      'context-overflow': 'context-overflow',
      // The agent requests the rest by itself or takes the partial text as its answer; the output does not
      // show which.
      'output-limit': 'answered',
      refusal: 'answered',
      denied: ['harness', 'Permission denied because no interactive user response was available.'],
      'mcp-denied': ['harness', 'Permission denied because no interactive user response was available.'],
      'dropped-stream': ['transport', 'unexpected EOF'],
      'dropped-after-tool': ['transport', 'unexpected EOF'],
      'no-server': ['transport', 'Could not connect to local model provider'],
      'not-logged-in': ['login', 'No authentication information found.'],
      'status-401': ['login', 'Authentication failed with provider'],
      'status-429': slowDown,
      'status-500': serverBroken,
    },
  },
  opencode: {
    read: readOpencode,
    cases: {
      ...answers,
      ...ownFailures,
      denied: ['harness', 'bash: The user rejected permission to use this specific tool call.'],
      'mcp-denied': ['harness', 'task_look: The user rejected permission'],
      'dropped-stream': ['transport', 'Connection reset by server'],
      'dropped-after-tool': ['transport', 'Connection reset by server'],
      'no-server': ['transport', 'Unable to connect.'],
      'status-401': refused,
      'status-429': slowDown,
      'status-500': serverBroken,
    },
  },
  gemini: {
    read: readGemini,
    cases: {
      ...answers,
      'context-overflow': 'context-overflow',
      // The output is identical to that of a normal answer.
      'output-limit': 'answered',
      refusal: 'answered',
      // A tool that needs permission is not offered, so calling it is calling an unknown tool.
      denied: 'answered',
      'policy-denied': ['harness', 'Tool execution denied by policy.'],
      'dropped-stream': ['transport', 'terminated'],
      'dropped-after-tool': ['transport', 'terminated'],
      'no-server': ['transport', 'fetch failed'],
      'not-logged-in': ['login', 'you must specify the GEMINI_API_KEY environment variable'],
      'status-401': refused,
      'status-429': slowDown,
      'status-500': serverBroken,
    },
  },
  qwen: {
    read: readQwen,
    cases: {
      ...answers,
      'context-overflow': 'context-overflow',
      // The agent requests the rest by itself or takes the partial text as its answer; the output does not
      // show which.
      'output-limit': 'answered',
      refusal: 'answered',
      // The tool was not offered.
      denied: 'answered',
      'dropped-stream': ['transport', 'terminated (cause: other side closed)'],
      'dropped-after-tool': ['transport', 'terminated (cause: other side closed)'],
      'no-server': ['transport', 'Connection error. (cause: fetch failed)'],
      'not-logged-in': ['login', 'Missing API key for OpenAI-compatible auth.'],
      'status-401': refused,
      // It retries for ever; killed after four minutes.
      'status-429': ['harness', 'It was killed by a signal.'],
      'status-500': serverBroken,
    },
  },
  pi: {
    read: readPi,
    cases: {
      answer: 'answered',
      tool: 'answered',
      'tool-failed': 'answered',
      ...ownFailures,
      'dropped-stream': ['transport', 'terminated'],
      'dropped-after-tool': ['transport', 'terminated'],
      'no-server': ['transport', 'Connection error.'],
      'status-401': refused,
      'status-429': slowDown,
      'status-500': serverBroken,
    },
  },
  // Not recorded: written from the documentation.
  cursor: {
    read: readCursor,
    cases: {
      ...answers,
      shell: 'answered',
      // A tool that cannot be removed: the call was refused and the agent continued.
      'shell-refused': 'answered',
      denied: ['harness', 'edit: rejected: Not allowed by the permissions.'],
      'mcp-denied': ['harness', 'task-look: rejected: The server is not approved.'],
      'error-result': ['harness', 'The server is broken.'],
      'not-logged-in': ['login', "Please run 'agent login' first"],
      'no-trust': ['harness', 'Workspace Trust Required'],
      'no-model': ['harness', 'Cannot use this model: no-model.'],
      'usage-limit': ['quota', "You've hit your usage limit."],
      'dropped-stream': ['transport', 'the connection to the agent service was lost'],
      'no-result': ['malformed', 'Its output ended before it was done.'],
    },
  },
}

function summaryOf(reading: AgentReading): Expected {
  return 'failure' in reading ? [reading.failure.kind, reading.failure.message] : reading.stop
}

it('has an expectation for every recording, and a recording for every expectation', () => {
  const folders = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isDirectory())
  expect(folders.map(entry => entry.name).sort()).toEqual(Object.keys(agents).sort())
  for (const [agent, { cases }] of Object.entries(agents)) {
    expect(casesOf(agent).sort(), agent).toEqual(Object.keys(cases).sort())
  }
})

describe.each(Object.entries(agents))('recordings of %s', (agent, { read, cases }) => {
  it.each(Object.entries(cases))('%s', (name, expected) => {
    const reading = read(outputOf(agent, name))
    const words =
      typeof expected === 'string' ? expected : [expected[0], expect.stringContaining(expected[1])]
    expect(summaryOf(reading)).toEqual(words)
    expect(reading.skipped).toBe(0)
  })

  const answered = Object.keys(cases).filter(name => cases[name] === 'answered')

  it.each(answered)('treats no truncated part of %s as an answer', name => {
    const output = outputOf(agent, name)
    const lines = output.stdout.trimEnd().split('\n')
    for (let kept = 0; kept < lines.length; kept++) {
      const whole = lines.slice(0, kept).join('\n')
      const torn = `${whole}\n${lines[kept]?.slice(0, -5)}`
      expect(read({ ...output, stdout: whole }), `${kept} lines`).toHaveProperty('failure')
      expect(read({ ...output, stdout: torn }), `${kept} lines and a torn one`).toHaveProperty('failure')
    }
  })

  it.each(answered)('treats %s as a failure when the program failed or was killed after it', name => {
    const output = outputOf(agent, name)
    expect(read({ ...output, exitCode: 1, stderr: 'panic: out of memory' })).toMatchObject({
      failure: { message: expect.stringContaining('panic: out of memory') },
    })
    expect(read({ ...output, exitCode: undefined })).toMatchObject({ failure: { kind: 'harness' } })
  })

  it('reads past notices, records of a newer version and empty lines, and counts them', () => {
    const output = outputOf(agent, 'answer')
    const noise = 'Warning: a notice\n\n{"type":"from.the.future","data":[1]}\n[]\nnull\n'
    const reading = read({ ...output, stdout: `${noise}${output.stdout}` })
    expect(reading).toMatchObject({ stop: 'answered', answer: 'The notes say: one, two.', skipped: 4 })
  })

  it.each(['', '\n\n', 'not json', '{"type":', '<html>502 Bad Gateway</html>\n'])('fails on %j', stdout => {
    const reading = read({ stdout, stderr: '', exitCode: 0 })
    expect(reading).toMatchObject({
      messages: [],
      usage: {},
      failure: { kind: 'malformed', retryable: true },
    })
  })
})
