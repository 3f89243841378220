import type { Message, ToolCall } from '../../../core/task/task.js'

/** Assembles messages from the fragments that agents print. */
export class Conversation {
  readonly #messages: { -readonly [Key in keyof Message]: Message[Key] }[] = []
  readonly #called = new Set<string>()
  #utterance: string | undefined

  get messages(): readonly Message[] {
    return this.#messages
  }

  /** Fragments with the same utterance id form one message; without an id, each is its own message. */
  said(text: string, utterance?: string): void {
    const last = this.#messages.at(-1)
    if (last?.role === 'assistant' && utterance !== undefined && utterance === this.#utterance)
      last.text += text
    else this.#messages.push({ role: 'assistant', text })
    this.#utterance = utterance
  }

  /** A call right after a text belongs to that message. A call that is reported twice is one call. */
  called(call: ToolCall): void {
    if (this.#called.has(call.id)) return
    this.#called.add(call.id)
    const last = this.#messages.at(-1)
    if (last?.role === 'assistant') last.toolCalls = [...(last.toolCalls ?? []), call]
    else this.#messages.push({ role: 'assistant', text: '', toolCalls: [call] })
  }

  returned(toolCallId: string, text: string): void {
    this.#messages.push({ role: 'tool', text, toolCallId })
  }
}
