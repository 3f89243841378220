import type { RunEvent } from '../core/log/event.js'
import type { BlobRef } from '../core/task/task.js'

interface NamedTexts {
  readonly blob?: BlobRef | undefined
  readonly parts?: readonly { readonly blob: BlobRef }[] | undefined
}

interface AttemptTexts {
  readonly messages: readonly NamedTexts[]
  readonly hidden?: BlobRef | undefined
}

/** The blob refs in an event. A test keeps this function and the event schema in sync. */
export function blobRefsOf(event: RunEvent): BlobRef[] {
  switch (event.type) {
    case 'run.started':
      return [event.body.seedSkill]
    case 'call.finished':
      return [
        ...inMessages(event.body.messages),
        ...inMessages([event.body.reply]),
        ...inMessages(event.body.work?.messages ?? []),
        ...inMessages(event.body.work?.files ?? []),
      ]
    case 'attempt.finished':
      return blobRefsOfAttempt(event.body)
    case 'one-shot.finished':
      return optional(event.body.text)
    case 'update.finished':
      return [event.body.text]
    case 'trials.designed':
      return event.body.variants.map(({ text }) => text)
    case 'evaluation.finished':
      return [event.body.rows]
    case 'skills.named':
      return event.body.skills.map(({ text }) => text)
    case 'gate.decided':
      return optional(event.body.rows)
    case 'skill.version':
    case 'best.changed':
      return [event.body.text, event.body.origins]
    default:
      return []
  }
}

export function blobRefsOfAttempt({ messages, hidden }: AttemptTexts): BlobRef[] {
  return [...inMessages(messages), ...optional(hidden)]
}

function inMessages(messages: readonly NamedTexts[]): BlobRef[] {
  return messages.flatMap(({ blob, parts }) => [...optional(blob), ...(parts ?? []).map(part => part.blob)])
}

function optional(ref: BlobRef | undefined): BlobRef[] {
  return ref === undefined ? [] : [ref]
}
