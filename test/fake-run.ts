import type { EventBody, EventType } from '../src/core/log/event.js'
import type { ModelReply } from '../src/core/ports/model.js'
import type { Effect, Run } from '../src/core/ports/run.js'
import type { Attempt } from '../src/core/task/task.js'
import { contentHash } from '../src/core/text/hash.js'

export interface FakeRun extends Run {
  readonly effects: Effect[]
  readonly emitted: { type: EventType; body: unknown; key?: string | undefined }[]
}

/** A run without a log or a pool: the test answers effects, and everything is recorded for inspection. */
export function fakeRun(
  answer: (effect: Effect) => Partial<ModelReply> | Attempt | Promise<Attempt>,
): FakeRun {
  const texts = new Map<string, string>()
  const recorded = new Map<string, unknown>()
  const effects: Effect[] = []
  const emitted: FakeRun['emitted'] = []
  return {
    effects,
    emitted,
    signal: new AbortController().signal,
    async perform(effect) {
      effects.push(effect)
      const result = await answer(effect)
      const reply = effect.kind === 'call' ? { text: '', stop: 'stop', usage: {}, ...result } : result
      return reply as never
    },
    async once<T extends EventType>(type: T, key: string, compute: () => Promise<EventBody<T>>) {
      const full = `${type}:${key}`
      if (!recorded.has(full)) recorded.set(full, await compute())
      return recorded.get(full) as EventBody<T>
    },
    async emit(type, body, key) {
      emitted.push({ type, body, key })
    },
    put(text) {
      texts.set(contentHash(text), text)
      return contentHash(text)
    },
    async get(ref) {
      const text = texts.get(ref)
      if (text === undefined) throw new Error(`no blob ${ref}`)
      return text
    },
    spent: () => 0,
  }
}

/** The user message of an optimizer call. */
export function userText(effect: Effect | undefined): string {
  return effect?.kind === 'call' ? (effect.request.messages[1]?.text ?? '') : ''
}

export function scoredAttempt(run: Run, task: string, hard: number, answer = `answer of ${task}`): Attempt {
  return {
    task,
    type: 'kind',
    sample: 0,
    messages: [
      { role: 'system', blob: run.put('rules and the skill') },
      { role: 'user', blob: run.put(`question of ${task}`) },
      { role: 'assistant', text: answer },
    ],
    outcome: {
      status: 'scored',
      score: { hard, soft: hard, feedback: `feedback on ${task}` },
      stop: 'answered',
    },
  }
}
