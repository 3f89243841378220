import { keepMessage, readMessage } from './messages.js'
import type { BlobRef, Message, StopReason, StoredMessage } from './task.js'

/** What an agent did in a call, beside its answer: enough to put a new session into the state in which it left its own. */
export interface AgentWork {
  /** What it said, called and got back, in order; not what it was asked. */
  readonly messages: readonly Message[]
  readonly stop: StopReason
  /** Its calls of the session's tools, in order; arguments as JSON. */
  readonly calls: readonly { readonly tool: string; readonly arguments: string }[]
  /** What it changed in the session's folder. */
  readonly files: readonly ChangedFile[]
  /** False where the changes are too large to be kept: then whoever needs them has to have the work done again. */
  readonly isWhole: boolean
}

export interface ChangedFile {
  /** Below the folder, with `/` between the parts. */
  readonly path: string
  /** Base64; absent where it was removed. */
  readonly content?: string
  readonly mode?: number
}

export interface StoredWork extends Omit<AgentWork, 'messages' | 'files'> {
  readonly messages: readonly StoredMessage[]
  readonly files: readonly { readonly path: string; readonly blob?: BlobRef; readonly mode?: number }[]
}

export function keepWork(work: AgentWork, put: (text: string) => BlobRef): StoredWork {
  return {
    ...work,
    messages: work.messages.map(message => keepMessage(message, put)),
    files: work.files.map(({ content, ...file }) =>
      content === undefined ? file : { ...file, blob: put(content) },
    ),
  }
}

export async function readWork(
  stored: StoredWork,
  get: (ref: BlobRef) => Promise<string>,
): Promise<AgentWork> {
  return {
    ...stored,
    messages: await Promise.all(stored.messages.map(message => readMessage(message, get))),
    files: await Promise.all(
      stored.files.map(async ({ blob, ...file }) =>
        blob === undefined ? file : { ...file, content: await get(blob) },
      ),
    ),
  }
}
