import type { Message, ToolCall } from '../../../core/task/task.js'

/** Puts together messages from the pieces in which agents print them. */
export class Conversation {
  readonly #messages: { -readonly [Key in keyof Message]: Message[Key] }[] = []
  readonly #called = new Set<string>()
  #utterance: string | undefined

  get messages(): readonly Message[] {
    return this.#messages
  }

  /** Pieces with the same utterance are one message; without one, each is a message of its own. */
  said(text: string, utterance?: string): void {
    const last = this.#messages.at(-1)
    if (last?.role === 'assistant' && utterance !== undefined && utterance === this.#utterance)
      last.text += text
    else this.#messages.push({ role: 'assistant', text })
    this.#utterance = utterance
  }

  /** What is called right after something was said belongs to it. A call that is told of twice is one call. */
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
