import { z } from 'zod'
import { messageOf, stopsRun, WorldFailure } from '../../../core/errors/errors.js'
import type { Session, Tool } from '../../../core/ports/environment.js'
import { product } from '../../../system/version.js'

/** Handles MCP messages that list and call a session's tools; `mcp-http.ts` is the transport. */
export interface SessionTools {
  readonly toolNames: readonly string[]
  /** The tool that sends a message to the environment, if the environment replies. */
  readonly replyTool: string | undefined
  /** Returns undefined for messages that expect no response. */
  handle(message: unknown): Promise<RpcReply | undefined>
  /** All calls so far, in order, including failed ones; arguments as JSON. */
  calls(): readonly MadeCall[]
  /** State of the turns with the environment. */
  turns(): 'none' | 'under-way' | 'done' | 'limit'
}

export interface MadeCall {
  readonly tool: string
  readonly arguments: string
}

export interface RpcReply {
  readonly jsonrpc: '2.0'
  readonly id: string | number | null
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Supported versions, newest first. A client that asks for another version is offered the newest. */
const protocolVersions = ['2025-11-25', '2025-06-18']

const messageSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
})

const callSchema = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() })

export const rpcErrors = { parse: -32700, request: -32600, method: -32601, parameters: -32602 } as const

interface Bridge {
  readonly session: Session
  readonly signal: AbortSignal
  /** A failure that the agent did not cause; it ends the attempt. */
  readonly onFailure: (error: unknown) => void
}

export function createSessionTools({ session, signal, onFailure }: Bridge): SessionTools {
  const dialogue = session.reply === undefined ? undefined : createTurns(session)
  const tools = [...session.tools, ...(dialogue === undefined ? [] : [dialogue.tool])]
  let before = Promise.resolve<unknown>(undefined)

  /**
   * Runs calls one at a time, even if the agent sends several at once, because tools of one session may
   * depend on each other.
   */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = before.then(work)
    before = result.catch(() => undefined)
    return result
  }

  const made: MadeCall[] = []
  const call = async (tool: Tool, given: string) => {
    made.push({ tool: tool.name, arguments: given })
    try {
      return textResult(await tool.call(given, signal))
    } catch (error) {
      // An external failure or an abort ends the attempt; any other error is returned to the agent.
      if (signal.aborted || error instanceof WorldFailure || stopsRun(error)) onFailure(error)
      return textResult(`The tool failed: ${messageOf(error)}`, true)
    }
  }

  const answer = async (method: string, params: unknown): Promise<Answer> => {
    switch (method) {
      case 'initialize':
        return { result: introduction(params) }
      case 'ping':
        return { result: {} }
      case 'tools/list':
        return { result: { tools: tools.map(described) } }
      case 'tools/call': {
        const asked = callSchema.safeParse(params)
        if (!asked.success) return refused('parameters', 'A call has a name and, as an object, arguments.')
        const tool = tools.find(({ name }) => name === asked.data.name)
        if (tool === undefined) return refused('parameters', `There is no tool called ${asked.data.name}.`)
        return { result: await inTurn(() => call(tool, JSON.stringify(asked.data.arguments ?? {}))) }
      }
      default:
        return refused('method', `There is no method ${method}: this server has tools, and nothing else.`)
    }
  }

  return {
    toolNames: tools.map(({ name }) => name),
    replyTool: dialogue?.tool.name,
    turns: () => dialogue?.state() ?? 'none',
    calls: () => made,
    async handle(message) {
      const read = messageSchema.safeParse(message)
      if (!read.success) return rpcReply(null, refused('request', 'This is no JSON-RPC 2.0 message.'))
      const { id, method, params } = read.data
      // The message is a notification, or a response to a request that this server never sent.
      if (id === undefined || method === undefined) return undefined
      return rpcReply(id, await answer(method, params))
    },
  }
}

type Answer = Pick<RpcReply, 'result'> | Pick<RpcReply, 'error'>

export function rpcReply(id: RpcReply['id'], answer: Answer): RpcReply {
  return { jsonrpc: '2.0', id, ...answer }
}

export function refused(kind: keyof typeof rpcErrors, message: string): Pick<RpcReply, 'error'> {
  return { error: { code: rpcErrors[kind], message } }
}

function introduction(params: unknown) {
  const wanted = z.object({ protocolVersion: z.string() }).safeParse(params).data?.protocolVersion
  const [name, version] = product.split(' ')
  return {
    protocolVersion: protocolVersions.find(known => known === wanted) ?? protocolVersions[0],
    capabilities: { tools: {} },
    serverInfo: { name, version },
  }
}

function described({ name, description, parameters }: Tool) {
  return { name, description, inputSchema: { type: 'object', ...parameters } }
}

function textResult(text: string, isError = false) {
  return { content: [{ type: 'text', text }], isError }
}

const replyArguments = z.strictObject({ message: z.string().describe('What you say or do in this turn.') })

/** Makes each turn with the environment a tool call, because an agent ends when it stops using tools. */
function createTurns(session: Session): { readonly tool: Tool; state(): 'under-way' | 'done' | 'limit' } {
  let taken = 0
  let state: 'under-way' | 'done' | 'limit' = 'under-way'
  const over = () =>
    state === 'done'
      ? 'The task is over: nobody answers any more. End here.'
      : `The ${session.turnLimit} turns are used up: nobody answers any more. End here.`
  const tool: Tool = {
    name: session.tools.some(({ name }) => name === 'reply') ? 'take_turn' : 'reply',
    description:
      'Says one turn and gives the answer to it. Go on, one turn per call, until the answer says that it is over.',
    parameters: z.toJSONSchema(replyArguments, { io: 'input' }),
    async call(given) {
      const { message } = replyArguments.parse(JSON.parse(given))
      if (state !== 'under-way') return over()
      taken += 1
      const answer = await session.reply?.(message)
      if (answer === undefined || answer === 'done') state = 'done'
      else if (taken >= session.turnLimit) state = 'limit'
      return state === 'done' ? over() : [answer, ...(state === 'limit' ? [over()] : [])].join('\n\n')
    },
  }
  return { tool, state: () => state }
}
