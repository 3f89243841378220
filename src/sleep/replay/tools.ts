import type { Tool } from '../../core/ports/environment.js'
import type { Trajectory } from '../../core/task/task.js'
import { type SleepTask, scoredBy, toolNamePattern } from '../model/sleep-task.js'

/** A tool of a replayed task. It returns recorded output and never runs anything. */
export interface ReplayedTool {
  readonly name: string
  readonly description: string
  readonly result: string
}

/**
 * Names of the tools built into agents. In a project copy these tools do the work, so a replayed tool of the
 * same name would only get in the way.
 */
const agentTools = new Set(
  [
    'bash',
    'shell',
    'local_shell',
    'exec_command',
    'run_shell_command',
    'execute',
    'powershell',
    'read',
    'read_file',
    'read_many_files',
    'view',
    'view_image',
    'ls',
    'list',
    'list_directory',
    'find',
    'glob',
    'grep',
    'grep_search',
    'search_file_content',
    'codebase_search',
    'write',
    'write_file',
    'create',
    'edit',
    'edit_file',
    'multiedit',
    'notebookedit',
    'replace',
    'str_replace_editor',
    'apply_patch',
    'patch',
    'delete_file',
    'task',
    'agent',
    'skill',
    'activate_skill',
    'todowrite',
    'todoread',
    'todo_write',
    'update_plan',
    'webfetch',
    'web_fetch',
    'websearch',
    'web_search',
    'google_web_search',
  ].map(plainName),
)

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/**
 * Returns the tools for a replay: those of the task, and one for each further tool that its scoring requires.
 */
export function toolsOf(
  task: Pick<SleepTask, 'checks' | 'rubric' | 'tools'>,
  { inCopy }: { readonly inCopy: boolean },
): readonly ReplayedTool[] {
  const given = (task.tools ?? []).map(({ name, description, result }) => ({
    name,
    description: description ?? described(name),
    result,
  }))
  const known = new Set(given.map(({ name }) => name))
  const wanted = [...new Set(toolsAskedFor(task))].filter(
    name => toolNamePattern.test(name) && !known.has(name) && !(inCopy && agentTools.has(plainName(name))),
  )
  return [...given, ...wanted.map(name => ({ name, description: described(name), result: nothingRun(name) }))]
}

/** Returns tool names in the checks that no model can call. Such a check can only be met in text. */
export function uncallable(task: Pick<SleepTask, 'checks' | 'rubric'>): readonly string[] {
  return toolsAskedFor(task).filter(name => !toolNamePattern.test(name))
}

function toolsAskedFor(task: Pick<SleepTask, 'checks' | 'rubric'>): readonly string[] {
  if (scoredBy(task) !== 'checks') return []
  return task.checks.flatMap(({ op, arg }) => (op === 'tool_called' ? [arg] : []))
}

const described = (name: string) => `The tool ${name}. Say in "input" what it is to do.`

const nothingRun = (name: string) =>
  `The call of ${name} was noted. Nothing was run, so there is no result to report: go on without one.`

export function sessionTool({ name, description, result }: ReplayedTool): Tool {
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'What is asked of the tool.' } },
      required: ['input'],
      additionalProperties: false,
    },
    call: async () => result,
  }
}

/**
 * Matches the names under which agents log a call of a session's tool: `task.look`, `mcp__task__look`,
 * `task-look`, `mcp_task_look`.
 */
const throughServer = /^(?:mcp_{1,2})?task(?:__|[._-])(.+)$/

/** Restores the plain names of the task's tools in a trajectory, whichever agent called them. */
export function withPlainNames(trajectory: Trajectory, tools: readonly ReplayedTool[]): Trajectory {
  const names = new Set(tools.map(({ name }) => name))
  const plain = (called: string) => {
    const name = throughServer.exec(called)?.[1]
    return name !== undefined && names.has(name) && !names.has(called) ? name : called
  }
  return {
    ...trajectory,
    messages: trajectory.messages.map(message =>
      message.toolCalls === undefined
        ? message
        : { ...message, toolCalls: message.toolCalls.map(call => ({ ...call, name: plain(call.name) })) },
    ),
  }
}
