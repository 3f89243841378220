import type { EventOf, RunEvent } from '../core/log/event.js'
import type { EventReader } from '../core/ports/store.js'
import { readMessage } from '../core/task/messages.js'
import type { BlobRef, Message, StoredMessage } from '../core/task/task.js'

/** Prompt and reply of a call, for readers that are configured to export them. */
export interface Said {
  readonly prompt: readonly Message[]
  readonly reply: Message
}

/** Adds the texts of calls to the events and passes the events on in their original order. */
export function withTexts(
  reader: { event(event: RunEvent, said?: Said): void; close(): Promise<void> },
  get: (ref: BlobRef) => Promise<string>,
): EventReader {
  let passedOn = Promise.resolve()
  return {
    event(event) {
      passedOn = passedOn.then(async () =>
        reader.event(event, event.type === 'call.finished' ? await saidIn(event, get) : undefined),
      )
    },
    async close() {
      await passedOn
      await reader.close()
    },
  }
}

async function saidIn(
  { body }: EventOf<'call.finished'>,
  get: (ref: BlobRef) => Promise<string>,
): Promise<Said> {
  const read = (stored: unknown) => readMessage(stored as StoredMessage, get)
  return { prompt: await Promise.all(body.messages.map(read)), reply: await read(body.reply) }
}
