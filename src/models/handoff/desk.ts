import { join } from 'node:path'
import { PausedError } from '../../core/errors/errors.js'
import type { ModelReply, ModelRequest } from '../../core/ports/model.js'
import { plural } from '../../core/text/format.js'
import type { HandoffFolder, OpenPrompt } from './folder.js'
import { keyOf, promptText } from './prompt.js'
import { type Read, replyOf } from './reply.js'

interface Waiting {
  readonly prompt: OpenPrompt
  reject(reason: unknown): void
}

/**
 * Collects prompts that have no answer yet. Once no new prompt has arrived for a while, it writes them all
 * to the folder and rejects every waiting caller with the same message. Batching keeps the number of rounds
 * small.
 */
export class Desk {
  /** Unanswered prompts published by this process; a later round must not remove them. */
  readonly #asked = new Map<string, OpenPrompt>()
  readonly #waiting = new Set<Waiting>()
  #timer: NodeJS.Timeout | undefined
  #published: Promise<unknown> = Promise.resolve()

  constructor(
    readonly folder: HandoffFolder,
    readonly quietMs: number,
  ) {}

  /** Returns the reply, or throws a `PausedError` once the prompt is published. */
  async reply(model: string, request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
    signal.throwIfAborted()
    this.#somethingCame()
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
        text: promptText(request, { key, answer: this.folder.pathOfAnswer(key) }),
      },
      signal,
    )
  }

  async #read(key: string, request: ModelRequest): Promise<Read<ModelReply> | undefined> {
    const found = await this.folder.answer(key)
    return found === undefined || 'problem' in found ? found : replyOf(found.value, key, request)
  }

  #wait(prompt: OpenPrompt, signal: AbortSignal): Promise<never> {
    return new Promise((_resolve, reject) => {
      const waiting: Waiting = {
        prompt,
        reject: reason => {
          signal.removeEventListener('abort', leave)
          reject(reason)
        },
      }
      const leave = () => {
        this.#waiting.delete(waiting)
        if (this.#waiting.size === 0) clearTimeout(this.#timer)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(waiting)
      this.#somethingCame()
    })
  }

  #somethingCame(): void {
    if (this.#waiting.size === 0) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#sendHome(), this.quietMs)
  }

  #sendHome(): void {
    const everybody = [...this.#waiting]
    this.#waiting.clear()
    for (const { prompt } of everybody) this.#asked.set(prompt.key, prompt)
    const sendWith = (reason: unknown) => {
      for (const one of everybody) one.reject(reason)
    }
    // Publishes one round at a time, since two at once would write the same files.
    this.#published = this.#published.then(() => this.#publish()).then(sendWith, sendWith)
  }

  async #publish(): Promise<PausedError> {
    // Sorted, because prompts arrive in disk order and the same prompts must yield the same list.
    const prompts = [...this.#asked.values()].sort((one, other) => (one.key < other.key ? -1 : 1))
    const strangers = await this.folder.publish(prompts)
    const { path } = this.folder
    return new PausedError(
      [waitingIn(path, prompts.length), unusableAmong(prompts), leftAlone(strangers)].join(''),
      {
        hint: `Have ${prompts.length === 1 ? 'it' : 'each'} answered as ${join(path, 'PROMPTS.md')} says, by an agent's session or by yourself, and run the same command again: it goes on.`,
      },
    )
  }
}

const waitingIn = (path: string, count: number): string =>
  `${plural(count, 'prompt')} ${count === 1 ? 'waits for an answer' : 'wait for answers'} in ${path}.`

function unusableAmong(prompts: readonly OpenPrompt[]): string {
  const unusable = prompts.filter(({ problem }) => problem !== undefined)
  const [first] = unusable
  if (first === undefined) return ''
  const others = unusable.length > 1 ? ', and others: see PROMPTS.md' : ''
  return ` ${plural(unusable.length, 'answer')} cannot be used: answers/${first.key}.md ${first.problem}${others}.`
}

function leftAlone(strangers: readonly string[]): string {
  if (strangers.length === 0) return ''
  const verbs = strangers.length === 1 ? ['answers', 'is'] : ['answer', 'are']
  const names = `${strangers.slice(0, 3).join(', ')}${strangers.length > 3 ? ', …' : ''}`
  return ` ${plural(strangers.length, 'file')} there ${verbs[0]} none of them and ${verbs[1]} left alone: ${names}.`
}
