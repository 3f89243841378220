import type { FormatOfAgent, Session } from './harvest-formats.js'
import type { Turn } from './harvest-texts.js'

/** Agents that run in editors and store the project's folder in a file beside their sessions. */

const storage = ({ project }: Session) =>
  `.config/Code/User/workspaceStorage/${Buffer.from(project).toString('hex').padEnd(32, '0')}`

const vsCode: FormatOfAgent = {
  source: 'vscode-copilot',
  share: 0.095,
  file: session => `${storage(session)}/chatSessions/${session.id}.jsonl`,
  beside: session => ({
    file: `${storage(session)}/workspace.json`,
    content: { folder: `file://${session.project}` },
  }),
  begin: ({ id }) => [{ kind: 0, v: { version: 3, sessionId: id, creationDate: 0, requests: [] } }],
  turn(session, { request, steps, answer }) {
    const response = [
      ...steps.map(({ input, output, failed }) => ({
        kind: 'toolInvocationSerialized',
        toolCallId: session.name(),
        toolId: 'run_in_terminal',
        isComplete: true,
        invocationMessage: { value: 'Running a command' },
        toolSpecificData: {
          kind: 'terminal',
          commandLine: { original: JSON.stringify(input) },
          terminalCommandOutput: { text: output },
          terminalCommandState: { exitCode: failed ? 1 : 0 },
        },
      })),
      { value: answer },
    ]
    const timestamp = Date.parse(session.time())
    const asked = { requestId: session.name(), timestamp, message: { text: request, parts: [] }, response }
    return [{ kind: 2, k: ['requests'], v: [asked] }]
  },
}

const cursorFolder = ({ project }: Session) => `.cursor/projects/${project.slice(1).replaceAll('/', '-')}`

const cursor: FormatOfAgent = {
  source: 'cursor',
  share: 0.005,
  file: session => `${cursorFolder(session)}/agent-transcripts/${session.id}/${session.id}.jsonl`,
  beside: session => ({
    file: `${cursorFolder(session)}/.workspace-trusted`,
    content: { workspacePath: session.project },
  }),
  begin: () => [],
  turn: (session, turn) => [...cursorRecords(session, turn)],
}

function* cursorRecords(session: Session, { request, steps, answer }: Turn): Generator<object> {
  const said = (role: string, content: object) => ({ role, message: { content: [content] } })
  session.time()
  yield said('user', { type: 'text', text: `<user_query>\n${request}\n</user_query>` })
  for (const { input } of steps) yield said('assistant', { type: 'tool_use', name: 'Shell', input })
  yield said('assistant', { type: 'text', text: answer })
  yield { type: 'turn_ended', status: 'success' }
}

export const editors: readonly FormatOfAgent[] = [vsCode, cursor]
