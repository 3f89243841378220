import type { Message, ToolCall } from '../../../core/task/task.js'

/** Assembles messages from the fragments that agents print. */
export class Conversation {
  readonly #messages: { -readonly [Key in keyof Message]: Message[Key] }[] = []
  readonly #callIds = new Set<string>()
  #messageId: string | undefined

  get messages(): readonly Message[] {
    return this.#messages
  }

  /** Fragments with the same message id form one message; a fragment without an id is its own message. */
  addText(text: string, messageId?: string): void {
    const last = this.#messages.at(-1)
    if (last?.role === 'assistant' && messageId !== undefined && messageId === this.#messageId)
      last.text += text
    else this.#messages.push({ role: 'assistant', text })
    this.#messageId = messageId
  }

  /**
   * A call right after a text belongs to that message. A call with a known id is ignored, because some agents
   * report a call twice.
   */
  addCall(call: ToolCall): void {
    if (this.#callIds.has(call.id)) return
    this.#callIds.add(call.id)
    const last = this.#messages.at(-1)
    if (last?.role === 'assistant') last.toolCalls = [...(last.toolCalls ?? []), call]
    else this.#messages.push({ role: 'assistant', text: '', toolCalls: [call] })
  }

  addResult(toolCallId: string, text: string): void {
    this.#messages.push({ role: 'tool', text, toolCallId })
  }
}
