import type { RunEvent } from '../core/event.js'
import type { BlobRef, StoredMessage } from '../core/task.js'

/** The texts that an event names. A test holds this against the event schema. */
export function blobRefsOf(event: RunEvent): BlobRef[] {
  switch (event.type) {
    case 'run.started':
      return [event.body.seedSkill]
    case 'call.finished':
      return [...inMessages(event.body.messages), ...inMessages([event.body.reply])]
    case 'attempt.finished':
      return [...inMessages(event.body.messages), ...optional(event.body.hidden)]
    case 'update.finished':
      return [event.body.text]
    case 'evaluation.finished':
      return [event.body.rows]
    case 'skill.version':
    case 'best.changed':
      return [event.body.text, event.body.origins]
    default:
      return []
  }
}

function inMessages(messages: readonly { blob?: StoredMessage['blob'] | undefined }[]): BlobRef[] {
  return messages.flatMap(message => optional(message.blob))
}

function optional(ref: BlobRef | undefined): BlobRef[] {
  return ref === undefined ? [] : [ref]
}
