import { join } from 'node:path'
import type { FilePart, Part } from '../../../core/task/task.js'
import type { AgentFile, AgentJob, ToolServer } from './definition.js'
import type { AgentPlace } from './place.js'

/** The agent's prompt: passed by stdin or in a file, never as an argument. */
export interface WrittenPrompt {
  readonly text: string
  /** Images and documents of the task, in the agent's workspace under the names that the text uses. */
  readonly files: readonly AgentFile[]
  /** Paths of the images among `files`, for agents that take them with the prompt. */
  readonly pictures: readonly string[]
}

/**
 * Writes the task as text. `invocation` invokes the skill in this agent's syntax and comes first, where
 * agents look for it; the rules and the task follow.
 */
export function writtenPrompt(job: AgentJob, place: AgentPlace, invocation?: string): WrittenPrompt {
  const files: AgentFile[] = []
  const pictures: string[] = []
  const write = (part: Part): string => {
    if (part.type === 'text') return part.text
    const name = `task-files/${files.length + 1}-${safeName(part)}`
    const path = join(place.workspace, name)
    files.push({ path, content: Buffer.from(part.data, 'base64') })
    if (part.type === 'image') pictures.push(path)
    return `(The ${part.type} ${name} belongs here: look at it.)`
  }
  const task = job.prompt.map(write).join('\n\n')
  const sections = [invocation, job.kind === 'work' ? job.instructions : '', turnsNote(job.tools), task]
  return { text: sections.filter(part => part !== undefined && part !== '').join('\n\n'), files, pictures }
}

/**
 * Tells the agent to reply to the environment through the tool. Otherwise it would write its answer at the
 * end, where the environment does not see it.
 */
function turnsNote(tools: ToolServer | undefined): string {
  if (tools?.replyTool === undefined) return ''
  return `Whatever you say or do in this task goes through the tool ${tools.replyTool} of the server ${tools.name}, one turn per call; what it gives back is the answer. Nobody reads what you write elsewhere. Go on until it says that the task is over.`
}

/**
 * Replaces characters that some file system rejects. The extension stays, because agents read the file type
 * from it.
 */
function safeName({ name, mediaType }: FilePart): string {
  const kept = name.replace(/[^\w.-]+/g, '-').slice(-60)
  return kept === '' || kept.startsWith('.') ? `file.${mediaType.split('/')[1] ?? 'bin'}` : kept
}
