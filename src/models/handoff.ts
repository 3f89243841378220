import { join, resolve } from 'node:path'
import { InputError, PausedError } from '../core/errors/errors.js'
import type { Model, ModelReply, ModelRequest } from '../core/ports/model.js'
import { plural } from '../core/text/format.js'
import { HandoffFolder, type OpenPrompt } from './handoff/folder.js'
import { keyOf, promptText } from './handoff/prompt.js'
import { type Parsed, replyOf } from './handoff/reply.js'
import { optionsInUse } from './wire/custom-provider.js'
import type { ModelFactory, ModelFactoryContext } from './wire/definition.js'

type Config = Parameters<ModelFactory['open']>[0]

const variable = 'SKILLOPT_HANDOFF'

/** How long to wait for further prompts: longer than the gap between an answer and the next prompt. */
const quietMs = 1000

/** One queue per folder: models that share a folder publish their prompts in the same round. */
const queues = new Map<string, PromptQueue>()

/**
 * A provider without key or network. It writes prompts to files, and people or programs answer them between
 * runs of the command.
 */
export const provider: ModelFactory = {
  id: 'handoff',
  keyVariables: [],
  endpointVariables: [variable],
  keyNeeded: false,
  files: () => ({}),
  open: openHandoff,
  close: async () => queues.clear(),
}

async function openHandoff(config: Config, context: ModelFactoryContext): Promise<Model> {
  refuseUnused(config)
  const path = folderOf(config, context)
  const queue = queues.get(path) ?? new PromptQueue(new HandoffFolder(path), quietMs)
  queues.set(path, queue)
  await queue.folder.check()
  return handoffModel(queue, config)
}

/** Creates a model over a queue. The folder's path affects no reply, so it is no parameter. */
export function handoffModel(
  queue: PromptQueue,
  { model, maxOutputTokens, price }: Pick<Config, 'model' | 'maxOutputTokens' | 'price'>,
): Model {
  return {
    id: model,
    parameters: {},
    maxOutputTokens,
    price: price ?? { input: 0, output: 0 },
    files: {},
    handoff: {
      place: queue.folder.path,
      answered: async (request, signal) => void (await queue.reply(model, request, signal)),
      kept: request => queue.folder.markUsed(keyOf(request)),
    },
    generate: async (request, signal) => {
      const reply = await queue.reply(model, request, signal)
      // The token count is unknown, but the cost is known to be zero.
      return price === undefined ? { ...reply, cost: 0 } : reply
    },
  }
}

/** Removes the prompts and answers of a handoff from its folder. Other files stay. */
export async function finishHandoff(folder: string): Promise<void> {
  queues.delete(folder)
  await new HandoffFolder(folder).finish()
}

function folderOf({ model, endpoint }: Config, { env, from }: ModelFactoryContext): string {
  if (endpoint !== undefined && /^[a-z][a-z0-9+.-]+:\/\//i.test(endpoint)) {
    throw new InputError(`The endpoint of ${model} must be the path of a folder, not a URL: ${endpoint}.`, {
      hint: 'Set it to the folder that prompts are written to.',
    })
  }
  if (endpoint !== undefined && endpoint.trim() !== '') return resolve(from?.config ?? '.', endpoint)
  const folder = env[variable]?.trim()
  if (folder !== undefined && folder !== '') return resolve(from?.variables ?? '.', folder)
  throw new InputError(`${model} has no folder to write its prompts to.`, {
    hint: `Set ${variable} to the path of a folder, or \`endpoint\` of the model in the config. It need not exist.`,
  })
}

/** Refuses settings that a handoff cannot apply, rather than ignoring them. */
function refuseUnused(config: Config): void {
  const given = [
    ...optionsInUse(config),
    ...(config.apiKeyEnv === undefined ? [] : ['apiKeyEnv']),
    // An empty file means that there is no answer yet, so an empty reply cannot be an answer.
    ...(config.emptyReplies === 'answer' ? ['emptyReplies'] : []),
  ]
  const unused = given.find(option => option !== 'endpoint')
  if (unused === undefined) return
  throw new InputError(`${config.model}: a handoff does not use \`${unused}\`.`, { hint: 'Leave it out.' })
}

interface WaitingCall {
  readonly prompt: OpenPrompt
  reject(reason: unknown): void
}

/**
 * Collects prompts that have no answer yet. Once no new prompt has arrived for a while, all of them are
 * written to the folder and every waiting call fails with the same message. Publishing them together keeps
 * the number of rounds small.
 */
export class PromptQueue {
  /** Unanswered prompts that this process published; a later round must keep them. */
  readonly #asked = new Map<string, OpenPrompt>()
  readonly #waiting = new Set<WaitingCall>()
  #timer: NodeJS.Timeout | undefined
  #published: Promise<unknown> = Promise.resolve()

  constructor(
    readonly folder: HandoffFolder,
    readonly quietMs: number,
  ) {}

  /** Returns the reply, or throws a `PausedError` once the prompt has been published. */
  async reply(model: string, request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
    signal.throwIfAborted()
    this.#restartTimer()
    const key = keyOf(request)
    const read = await this.#read(key, request)
    signal.throwIfAborted()
    if (read !== undefined && 'value' in read) {
      this.#asked.delete(key)
      return read.value
    }
    const { schema, seed } = request
    return this.#wait(
      {
        key,
        model,
        seed,
        schema: schema?.schema,
        problem: read?.problem,
        text: promptText(request, { key, answer: this.folder.answerPath(key) }),
      },
      signal,
    )
  }

  async #read(key: string, request: ModelRequest): Promise<Parsed<ModelReply> | undefined> {
    const found = await this.folder.answer(key)
    return found === undefined || 'problem' in found ? found : replyOf(found.value, key, request)
  }

  #wait(prompt: OpenPrompt, signal: AbortSignal): Promise<never> {
    return new Promise((_resolve, reject) => {
      const waiting: WaitingCall = {
        prompt,
        reject: reason => {
          signal.removeEventListener('abort', onAbort)
          reject(reason)
        },
      }
      const onAbort = () => {
        this.#waiting.delete(waiting)
        if (this.#waiting.size === 0) clearTimeout(this.#timer)
        reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.add(waiting)
      this.#restartTimer()
    })
  }

  #restartTimer(): void {
    if (this.#waiting.size === 0) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#publishRound(), this.quietMs)
  }

  #publishRound(): void {
    const round = [...this.#waiting]
    this.#waiting.clear()
    for (const { prompt } of round) this.#asked.set(prompt.key, prompt)
    const rejectAll = (reason: unknown) => {
      for (const one of round) one.reject(reason)
    }
    // Publishes one round at a time, because two rounds at once would write the same files.
    this.#published = this.#published.then(() => this.#publish()).then(rejectAll, rejectAll)
  }

  async #publish(): Promise<PausedError> {
    // Prompts arrive in an arbitrary order; sorting them makes the list reproducible.
    const prompts = [...this.#asked.values()].sort((one, other) => (one.key < other.key ? -1 : 1))
    const unrelated = await this.folder.publish(prompts)
    const { path } = this.folder
    return new PausedError(
      [waitingMessage(path, prompts.length), unusableMessage(prompts), unrelatedMessage(unrelated)].join(''),
      {
        hint: `Answer ${prompts.length === 1 ? 'it' : 'each'} as ${join(path, 'PROMPTS.md')} describes, yourself or with an agent session, then rerun the same command to resume.`,
      },
    )
  }
}

const waitingMessage = (path: string, count: number): string =>
  `${plural(count, 'prompt')} ${count === 1 ? 'waits for an answer' : 'wait for answers'} in ${path}.`

function unusableMessage(prompts: readonly OpenPrompt[]): string {
  const unusable = prompts.filter(({ problem }) => problem !== undefined)
  const [first] = unusable
  if (first === undefined) return ''
  const others = unusable.length > 1 ? ', and others: see PROMPTS.md' : ''
  return ` ${plural(unusable.length, 'answer')} cannot be used: answers/${first.key}.md ${first.problem}${others}.`
}

function unrelatedMessage(unrelated: readonly string[]): string {
  if (unrelated.length === 0) return ''
  const names = `${unrelated.slice(0, 3).join(', ')}${unrelated.length > 3 ? ', …' : ''}`
  return ` ${plural(unrelated.length, 'unrelated file')} ${unrelated.length === 1 ? 'was' : 'were'} left alone: ${names}.`
}
