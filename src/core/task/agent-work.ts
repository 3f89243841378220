import { keepMessage, readMessage } from './messages.js'
import type { BlobRef, Message, StopReason, StoredMessage } from './task.js'

/**
 * An agent's work in a call besides its answer. It suffices to bring a new session into the state in which
 * the agent left the old one.
 */
export interface AgentWork {
  /** The agent's messages, tool calls and tool results in order, without the request. */
  readonly messages: readonly Message[]
  readonly stop: StopReason
  /** Calls of the session's tools in order, with arguments as JSON. */
  readonly calls: readonly { readonly tool: string; readonly arguments: string }[]
  /** Changes to the session's folder. */
  readonly files: readonly ChangedFile[]
  /** False if the changes were too large to keep. The work is then done again if they are needed. */
  readonly isWhole: boolean
}

export interface ChangedFile {
  /** Relative to the folder, with `/` as separator. */
  readonly path: string
  /** Base64; absent if the file was removed. */
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
