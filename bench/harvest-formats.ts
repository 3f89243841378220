import type { Step, Turn } from './harvest-texts.js'

/** State of one session, for its agent's record format. */
export interface Session {
  readonly id: string
  readonly project: string
  /** Timestamp of the next record, in the agents' format. */
  time(): string
  /** A new identifier within the session. */
  name(): string
  /** Id of the next record, and of the previous one. */
  next(): { readonly uuid: string; readonly parentUuid: string | null }
  /** Random letters that stand for encrypted reasoning. */
  noise(length: number): string
}

export interface FormatOfAgent {
  readonly source: string
  /** Its share of all bytes. */
  readonly share: number
  /** Path relative to the home folder. */
  file(session: Session, isSubAgent: boolean): string
  /** A file written once per project. */
  beside?(session: Session): { readonly file: string; readonly content: object }
  begin(session: Session, isSubAgent: boolean): readonly object[]
  turn(session: Session, turn: Turn, isSubAgent: boolean): readonly object[]
}

const toolNames = { shell: 'Bash', read: 'Read', edit: 'Edit' }
const folderName = (project: string) => project.replaceAll('/', '-')

const claudeCode: FormatOfAgent = {
  source: 'claude-code',
  share: 0.46,
  file: ({ id, project }, isSubAgent) =>
    `.claude/projects/${folderName(project)}/${isSubAgent ? `${id}/subagents/agent-${id.slice(0, 8)}` : id}.jsonl`,
  begin: () => [],
  turn(session, { request, steps, answer }, isSubAgent) {
    const record = (type: string, fields: object) => ({
      parentUuid: session.name(),
      isSidechain: isSubAgent,
      type,
      uuid: session.name(),
      timestamp: session.time(),
      userType: 'external',
      entrypoint: 'cli',
      cwd: session.project,
      sessionId: session.id,
      version: '2.1.197',
      gitBranch: 'main',
      ...fields,
    })
    const user = (content: unknown, fields: object = {}) =>
      record('user', { message: { role: 'user', content }, ...fields })
    const assistant = (content: unknown) => {
      const usage = { input_tokens: 12, cache_read_input_tokens: 90_000, output_tokens: 300 }
      return record('assistant', {
        message: { id: session.name(), type: 'message', role: 'assistant', model: 'opus', content, usage },
      })
    }
    return [
      user(request),
      ...steps.flatMap(({ tool, input, output, failed, picture }) => {
        const id = session.name()
        const content =
          picture === undefined
            ? output
            : [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } }]
        const kept = { type: 'text', file: { filePath: input.file_path, content: output }, base64: picture }
        return [
          assistant([{ type: 'thinking', thinking: '', signature: session.noise(600) }]),
          assistant([{ type: 'tool_use', id, name: toolNames[tool], input }]),
          // The program stores the tool result a second time for its own use.
          user([{ tool_use_id: id, type: 'tool_result', content, is_error: failed }], {
            toolUseResult: kept,
          }),
        ]
      }),
      { type: 'file-history-snapshot', messageId: session.name(), snapshot: { trackedFileBackups: {} } },
      assistant([{ type: 'text', text: answer }]),
    ]
  },
}

const codex: FormatOfAgent = {
  source: 'codex',
  share: 0.26,
  file: ({ id }) => `.codex/sessions/2026/10/01/rollout-2026-10-01T00-00-00-${id}.jsonl`,
  begin: (session, isSubAgent) => [
    {
      timestamp: session.time(),
      type: 'session_meta',
      payload: {
        id: session.id,
        timestamp: session.time(),
        cwd: session.project,
        git: { branch: 'main' },
        thread_source: isSubAgent ? 'subagent' : 'user',
        base_instructions: { text: 'You are a coding agent. '.repeat(700) },
      },
    },
  ],
  turn(session, { request, steps, answer }) {
    const record = (type: string, payload: object) => ({ timestamp: session.time(), type, payload })
    const item = (payload: object) => record('response_item', payload)
    const said = (role: string, text: string) =>
      item({ type: 'message', role, content: [{ type: 'text', text }] })
    const command = ({ input }: Step) => JSON.stringify({ cmd: input.command ?? JSON.stringify(input) })
    return [
      record('turn_context', { turn_id: session.name(), cwd: session.project, model: 'gpt' }),
      said('user', request),
      record('event_msg', { type: 'user_message', message: request }),
      ...steps.flatMap(step => {
        const id = session.name()
        const output = `Chunk ID: ab12\nWall time: 0.1 seconds\nProcess exited with code ${step.failed ? 1 : 0}\nOutput:\n${step.output}`
        const content = step.picture && [
          { type: 'input_image', image_url: `data:image/png;base64,${step.picture}` },
        ]
        return [
          item({ type: 'reasoning', summary: [], encrypted_content: session.noise(1_500) }),
          item({ type: 'function_call', name: 'exec_command', arguments: command(step), call_id: id }),
          record('event_msg', { type: 'token_count', info: { total: 100_000 } }),
          item({ type: 'function_call_output', call_id: id, output: content ?? output }),
        ]
      }),
      record('event_msg', { type: 'agent_message', message: answer }),
      said('assistant', answer),
    ]
  },
}

const copilot: FormatOfAgent = {
  source: 'copilot',
  share: 0.06,
  file: ({ id }) => `.copilot/session-state/${id}/events.jsonl`,
  begin: session => [
    event(session, 'session.start', {
      sessionId: session.id,
      startTime: session.time(),
      context: { cwd: session.project, branch: 'main' },
    }),
  ],
  turn: (session, { request, steps, answer }) => [
    event(session, 'user.message', { content: request, transformedContent: `<now/>\n${request}` }),
    ...steps.flatMap(({ tool, input, output, failed }) => {
      const toolCallId = session.name()
      return [
        event(session, 'assistant.message', {
          content: '',
          toolRequests: [{ toolCallId, name: tool, arguments: input, type: 'function' }],
        }),
        event(session, 'tool.execution_start', { toolCallId, toolName: tool, arguments: input }),
        event(session, 'tool.execution_complete', {
          toolCallId,
          success: !failed,
          result: { content: output, detailedContent: output },
        }),
      ]
    }),
    event(session, 'assistant.message', { content: answer, toolRequests: [] }),
  ],
}

function event(session: Session, type: string, data: object): object {
  return { type, data, id: session.name(), timestamp: session.time(), parentId: session.name() }
}

const gemini: FormatOfAgent = {
  source: 'gemini',
  share: 0.06,
  file: ({ id, project }) => `.gemini/tmp/${folderName(project)}/chats/session-${id}.jsonl`,
  begin: session => [
    {
      sessionId: session.id,
      projectHash: 'ab',
      startTime: session.time(),
      kind: 'main',
      directories: [session.project],
    },
  ],
  turn: (session, { request, steps, answer }) => [
    { id: session.name(), timestamp: session.time(), type: 'user', content: [{ text: request }] },
    ...steps.map(({ input, output, failed }) => {
      const [id, name] = [session.name(), 'run_shell_command']
      const response = { output: `${output}\nExit Code: ${failed ? 1 : 0}` }
      const result = [{ functionResponse: { id, name, response } }]
      return {
        id: session.name(),
        timestamp: session.time(),
        type: 'gemini',
        content: '',
        thoughts: [],
        toolCalls: [{ id, name, args: input, result, status: 'success', resultDisplay: output }],
      }
    }),
    { id: session.name(), timestamp: session.time(), type: 'gemini', content: answer, thoughts: [] },
  ],
}

const qwenCode: FormatOfAgent = {
  source: 'qwen-code',
  share: 0.03,
  file: ({ id, project }) => `.qwen/projects/${folderName(project)}/chats/${id}.jsonl`,
  begin: () => [],
  turn(session, { request, steps, answer }) {
    const record = (type: string, parts: readonly object[], fields: object = {}) => {
      const { uuid, parentUuid } = session.next()
      const message = { role: type === 'assistant' ? 'model' : 'user', parts }
      const { id: sessionId, project: cwd } = session
      return { uuid, parentUuid, sessionId, timestamp: session.time(), type, cwd, message, ...fields }
    }
    return [
      record('user', [{ text: request }]),
      ...steps.flatMap(({ input, output, failed }) => {
        const [id, name] = [session.name(), 'run_shell_command']
        const status = failed ? 'error' : 'success'
        return [
          record('assistant', [{ functionCall: { id, name, args: input } }]),
          record('tool_result', [{ functionResponse: { id, name, response: { output } } }], {
            toolCallResult: { callId: id, status, resultDisplay: output },
          }),
        ]
      }),
      record('assistant', [{ text: answer }]),
    ]
  },
}

const pi: FormatOfAgent = {
  source: 'pi',
  share: 0.03,
  file: ({ id, project }) =>
    `.pi/agent/sessions/-${folderName(project)}--/2026-10-01T00-00-00-000Z_${id}.jsonl`,
  begin: session => [
    { type: 'session', version: 3, id: session.id, timestamp: session.time(), cwd: session.project },
  ],
  turn(session, { request, steps, answer }) {
    const record = (message: object) => ({
      type: 'message',
      id: session.name(),
      timestamp: session.time(),
      message,
    })
    const text = (said: string) => [{ type: 'text', text: said }]
    return [
      record({ role: 'user', content: text(request) }),
      ...steps.flatMap(({ tool, input, output, failed }) => {
        const id = session.name()
        const call = { type: 'toolCall', id, name: tool, arguments: input }
        return [
          record({ role: 'assistant', content: [call], stopReason: 'toolUse' }),
          record({ role: 'toolResult', toolCallId: id, content: text(output), isError: failed }),
        ]
      }),
      record({ role: 'assistant', content: text(answer), stopReason: 'stop' }),
    ]
  },
}

export const terminals: readonly FormatOfAgent[] = [claudeCode, codex, copilot, gemini, qwenCode, pi]
