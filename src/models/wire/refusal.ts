import type { Fetch } from './definition.js'

/**
 * Moves a model's refusal into the reply's text and sets the stop reason to a content filter. Refusals come
 * in a separate field that not every client library reads: one returns an empty answer, another fails to
 * parse the reply.
 */
export function withRefusals(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { status, headers, body } = response
    if (status !== 200 || body === null) return response
    const refusals = new RefusalRewriter()
    if (headers.get('content-type')?.includes('event-stream') === true) {
      return new Response(body.pipeThrough(mapLines(line => refusals.rewriteEvent(line))), {
        status,
        headers,
      })
    }
    return new Response(refusals.rewriteJson(await response.text()), { status, headers })
  }
}

type Json = Record<string, unknown>

/** Avoids parsing every reply twice, which is slow: many have a refusal field that is empty. */
const mayContainRefusal = /"refusal":\s*"[^"]|"type":\s*"(response\.)?refusal/

/**
 * Rewrites one reply, whole or in chunks. After a chunk with a refusal, the chunk that ends the reply is
 * rewritten too.
 */
class RefusalRewriter {
  #found = false

  rewriteEvent(line: string): string {
    const data = /^data: ?(\{.*)$/.exec(line)?.[1]
    return data === undefined ? line : `data: ${this.rewriteJson(data)}`
  }

  rewriteJson(text: string): string {
    if (!this.#found && !mayContainRefusal.test(text)) return text
    try {
      const reply = JSON.parse(text) as Json
      this.#rewriteChat(reply)
      this.#rewriteResponses(reply)
      return JSON.stringify(reply)
    } catch {
      // The client library parses the text again and reports the error.
      return text
    }
  }

  /** In Chat Completions, `refusal` is a field beside `content`. */
  #rewriteChat(reply: Json): void {
    for (const choice of objects(reply.choices)) {
      for (const message of objects([choice.message, choice.delta])) {
        if (typeof message.refusal !== 'string' || message.refusal === '') continue
        message.content = `${typeof message.content === 'string' ? message.content : ''}${message.refusal}`
        message.refusal = null
        this.#found = true
      }
      if (this.#found && choice.finish_reason === 'stop') choice.finish_reason = 'content_filter'
    }
  }

  /** In the Responses API, a refusal is a type of content and of events. */
  #rewriteResponses(event: Json): void {
    if (event.type === 'response.refusal.delta') {
      event.type = 'response.output_text.delta'
      this.#found = true
    }
    const response = objects([event.response ?? event])[0] ?? {}
    for (const item of [...objects(response.output), ...objects([event.item])]) {
      for (const part of objects(item.content)) {
        if (part.type !== 'refusal') continue
        Object.assign(part, { type: 'output_text', text: part.refusal, annotations: [] })
        this.#found = true
      }
    }
    if (!this.#found || response.status !== 'completed') return
    Object.assign(response, { status: 'incomplete', incomplete_details: { reason: 'content_filter' } })
    if (event.type === 'response.completed') event.type = 'response.incomplete'
  }
}

function objects(values: unknown): Json[] {
  const all: unknown[] = Array.isArray(values) ? values : []
  return all.filter((value): value is Json => typeof value === 'object' && value !== null)
}

/** Applies a change to each line. A line may be split over chunks, and a chunk may hold several lines. */
function mapLines(change: (line: string) => string): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ''
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (lines.length > 0) controller.enqueue(encoder.encode(`${lines.map(change).join('\n')}\n`))
    },
    flush(controller) {
      if (rest !== '') controller.enqueue(encoder.encode(change(rest)))
    },
  })
}
