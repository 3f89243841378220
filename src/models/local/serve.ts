import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json, text } from 'node:stream/consumers'
import { messageOf } from '../../core/errors/errors.js'
import { type ChatRequest, chatItems, readChatRequest } from './chat-request.js'
import type { Engine } from './engine-types.js'
import { type Generation, Grammars, generate, stopMarks } from './generate.js'
import type { EngineOptions, EngineReport } from './process.js'
import { grammarSchema } from './schema.js'
import { Slots } from './slots.js'

/**
 * A program that runs local weights and answers Chat Completions on a loopback port. It reads its options
 * from the first line of stdin and prints its port to stdout. It exits when stdin ends, which happens however
 * the parent process ends.
 */

async function firstLine(): Promise<string> {
  let received = ''
  for await (const chunk of process.stdin.iterator({ destroyOnReturn: false })) {
    received += String(chunk)
    const end = received.indexOf('\n')
    if (end !== -1) return received.slice(0, end)
  }
  throw new Error('Standard input ended before the options came.')
}

function report(message: EngineReport): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code?: string,
  ) {
    super(message)
  }
}

async function loadEngine(options: EngineOptions) {
  // The name is a variable, because TypeScript has no types for this optional package.
  const name = 'node-llama-cpp'
  const engine = (await import(name)) as Engine
  const llama = await engine.getLlama({
    gpu: options.gpu ? 'auto' : false,
    build: 'never',
    progressLogs: false,
    logLevel: 'error',
    ...(options.threads === undefined ? {} : { maxThreads: options.threads }),
  })
  const model = await llama.loadModel({ modelPath: options.file })
  const contextSize = Math.min(options.contextTokens, model.trainContextSize)
  const context = await model.createContext({
    sequences: options.slots,
    contextSize,
    ...(options.threads === undefined ? {} : { threads: options.threads }),
  })
  const slots = new Slots(Array.from({ length: options.slots }, () => context.getSequence()))
  const wrapper = engine.resolveChatWrapper(model)
  const grammars = new Grammars(llama)

  return async (request: ChatRequest, signal: AbortSignal): Promise<Generation> => {
    const { contextText, stopGenerationTriggers } = wrapper.generateContextState({
      chatHistory: chatItems(request),
    })
    // Texts are tokenized as plain text; only the chat template's own markers become special tokens.
    const prompt = contextText.tokenize(model.tokenizer)
    if (prompt.length >= contextSize - 1) {
      const message = `This model's maximum context length is ${contextSize} tokens, but there are ${prompt.length} tokens in the messages.`
      throw new HttpError(400, message, 'context_length_exceeded')
    }
    const format = request.response_format
    const grammar =
      format === undefined || format.type === 'text'
        ? undefined
        : await grammars.of(
            format.type === 'json_schema' ? grammarSchema(format.json_schema.schema) : undefined,
          )
    const settings = {
      maxTokens: request.max_tokens ?? contextSize,
      temperature: request.temperature ?? 0,
      signal,
      ...(request.seed === undefined ? {} : { seed: request.seed }),
      ...(request.top_k === undefined ? {} : { topK: request.top_k }),
      ...(request.top_p === undefined ? {} : { topP: request.top_p }),
      ...(request.min_p === undefined ? {} : { minP: request.min_p }),
      ...(grammar === undefined
        ? {}
        : { grammarEvaluationState: new engine.LlamaGrammarEvaluationState({ model, grammar }) }),
    }
    const stop = stopMarks(model, stopGenerationTriggers)
    return slots.use(prompt, signal, sequence => generate(sequence, prompt, { model, stop, settings }))
  }
}

function completion({ text, finish, usage }: Generation, model: string) {
  return {
    id: 'local',
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finish }],
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cached },
    },
  }
}

function sendStream(response: ServerResponse, reply: ReturnType<typeof completion>): void {
  const [choice] = reply.choices
  const chunk = (fields: object) =>
    response.write(`data: ${JSON.stringify({ id: 'local', model: reply.model, ...fields })}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  chunk({ choices: [{ index: 0, delta: choice?.message, finish_reason: null }] })
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: choice?.finish_reason }] })
  chunk({ choices: [], usage: reply.usage })
  response.end('data: [DONE]\n\n')
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.destroyed || response.headersSent) return
  const status = error instanceof HttpError ? error.status : 500
  const code = error instanceof HttpError ? error.code : 'server_error'
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message: messageOf(error), type: 'local', code } }))
}

async function main(): Promise<void> {
  const options = JSON.parse(await firstLine()) as EngineOptions
  // The process exits at once, because a running evaluation must not outlive the parent.
  text(process.stdin).finally(() => process.exit(0))
  const answer = await loadEngine(options)
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Any program or web page on this machine can reach the port, so each request needs the token.
    if (request.headers.authorization !== `Bearer ${options.token}`) throw new HttpError(401, 'Wrong token.')
    const body = readChatRequest(await json(request))
    if (typeof body === 'string') throw new HttpError(400, body)
    const gone = new AbortController()
    response.once('close', () => gone.abort(new Error('The caller hung up.')))
    const reply = completion(await answer(body, gone.signal), body.model)
    if (body.stream === true) return sendStream(response, reply)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply))
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(error => sendError(response, error))
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object' && address !== null) report({ port: address.port })
  })
}

main().catch(error => {
  report({ failure: messageOf(error) })
  process.exit(1)
})
