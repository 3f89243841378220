import { join } from 'node:path'
import type { FilePart, Part } from '../../../core/task/task.js'
import type { AgentFile, AgentJob, ToolServer } from './definition.js'
import type { AgentPlace } from './place.js'

/** What the agent is told: by stdin or in a file, never as an argument. */
export interface WrittenPrompt {
  readonly text: string
  /** Pictures and documents of the task, in the agent's workspace, at the names by which the text speaks of them. */
  readonly files: readonly AgentFile[]
  /** Of these, the paths of the pictures, for agents that are handed them with the prompt. */
  readonly pictures: readonly string[]
}

/**
 * The task in words. `invocation` is how this agent is told to use a skill, and comes first, where agents look for it;
 * then the rules, then the task.
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
  const told = [invocation, job.kind === 'work' ? job.instructions : '', turnsNote(job.tools), task]
  return { text: told.filter(part => part !== undefined && part !== '').join('\n\n'), files, pictures }
}

/** An agent answers once it is done; a world that answers back has to be spoken to before. */
function turnsNote(tools: ToolServer | undefined): string {
  if (tools?.replyTool === undefined) return ''
  return `Whatever you say or do in this task goes through the tool ${tools.replyTool} of the server ${tools.name}, one turn per call; what it gives back is the answer. Nobody reads what you write elsewhere. Go on until it says that the task is over.`
}

/** Of the user's name only what every file system takes; the ending tells agents what it is. */
function safeName({ name, mediaType }: FilePart): string {
  const kept = name.replace(/[^\w.-]+/g, '-').slice(-60)
  return kept === '' || kept.startsWith('.') ? `file.${mediaType.split('/')[1] ?? 'bin'}` : kept
}
