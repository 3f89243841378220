import type { Effort } from '../../../core/config/config.js'
import type { WorldFailure } from '../../../core/errors/errors.js'
import type { Capability } from '../../../core/ports/environment.js'
import type { Part } from '../../../core/task/task.js'
import type { AgentReader, Answered, Failed } from '../output/reading.js'
import type { MadeCall } from './mcp.js'
import type { AgentPlace } from './place.js'
import type { Variables } from './process.js'
import type { Changes } from './workspace.js'

/**
 * Everything the harness knows about one agent: how to start it, what to give it, and how to read its
 * output.
 */
export interface AgentDefinition {
  readonly id: string
  /** Display name. */
  readonly title: string
  readonly program: string
  /** The shell command that installs the agent. */
  readonly install: string
  /** What the user can do if the agent is not logged in, as a sentence. */
  readonly login: string
  readonly version: AgentVersion
  readonly supports: readonly Capability[]
  /** Whether the agent can answer with all its tools off, as optimizer and judge models must. */
  readonly chats: boolean
  /** Supported effort levels; any other level is refused. */
  readonly efforts: readonly Effort[]
  /** Provider name in the price table, if a single provider sells its models. */
  readonly soldBy?: string
  /** The user's environment variables that this agent gets besides the basic ones that every program gets. */
  readonly variables: readonly string[]
  /** Names in `variables` that hold keys. The values are removed from messages and logs. */
  readonly secrets: readonly string[]
  /** Names in `secrets` that log the agent in with its own provider; by default, all of them. */
  readonly logins?: readonly string[]
  /** What the agent may do at each access level, as sentences for the user. */
  readonly grants: Readonly<Record<AgentAccess, string>>
  /** The user's login and set-up files for this agent. Missing files are skipped. */
  filesOf(user: AgentUser, place: AgentPlace): AgentUserFiles
  /** The folder, inside the attempt's folders, where the agent looks for skills. */
  skillsFolder(place: AgentPlace): string
  prepare(job: AgentJob, place: AgentPlace): AgentPreparation
  /** Parses the agent's output into messages, usage and an answer or a failure. */
  readonly read: AgentReader
  /**
   * Recognises lines to drop because the reader does not need them, such as deltas of a text that is printed
   * whole later.
   */
  isNoise?(line: string): boolean
  /**
   * Returns the tokens of the model call that a line reports, so that a runaway agent can be terminated in
   * time. Agents that report usage only at the end do not implement it.
   */
  tokensIn?(line: string): number | undefined
}

/**
 * `workspace` gives access to the task's files, and to a shell only if the agent's own sandbox confines the
 * shell to them. `full` allows everything.
 */
export type AgentAccess = 'workspace' | 'full'

export interface AgentUser {
  readonly home: string
  readonly env: Variables
}

/** A file or folder to copy from the user's path `from` to the attempt's path `to`. */
export interface AgentUserFile {
  readonly from: string
  readonly to: string
  /**
   * Extracts the login from a file that also holds other data. Only this part is copied, and it is never
   * copied back.
   */
  only?(content: string): string
}

export interface AgentUserFiles {
  /** Always copied. Tokens that the agent renews are copied back; otherwise the user would be logged out. */
  readonly login: readonly AgentUserFile[]
  /** Instructions, skills, servers, plugins, hooks, memory: copied only if the user opts in. */
  readonly setup: readonly AgentUserFile[]
}

export interface AgentVersion {
  readonly arguments: readonly string[]
  /** Extracts the version from the printed output. */
  read(printed: string): string | undefined
  /** The tested range: from the first tested version (inclusive) to the first untested one (exclusive). */
  readonly tested: { readonly from: string; readonly below: string }
}

/** The input of one attempt. */
export interface AgentJob {
  /**
   * `work` is a task to work on; `chat` is a question answered in text with every tool off, the agent's own
   * included.
   */
  readonly kind: 'work' | 'chat'
  /** The rules of the environment; may be empty. For `chat`, they replace the agent's own instructions. */
  readonly instructions: string
  readonly prompt: readonly Part[]
  /**
   * The skill, already written to the skills folder. The agent must invoke it by this name to load its text.
   */
  readonly skill: { readonly name: string; readonly text: string } | undefined
  /** The session's tools, if it has any. */
  readonly tools: ToolServer | undefined
  /** Whether the task has files to work on. If not, the agent's own tools are off. */
  readonly hasWorkspace: boolean
  /** Maximum number of model replies; if the environment replies, the maximum number of turns with it. */
  readonly turnLimit: number
  /** Model id; if undefined, the agent chooses. */
  readonly model: string | undefined
  readonly effort: Effort | undefined
  /** Base URL of an API to use instead of the agent's default, as the user wrote it. */
  readonly endpoint: string | undefined
  /** The key from the variable that the user named; it replaces the agent's own login. */
  readonly key: string | undefined
  /** The user's environment variables. */
  readonly env: Variables
  readonly access: AgentAccess
  /** Whether to use the user's own set-up. If so, it is already in the attempt's folders. */
  readonly inherit: boolean
}

/** Address of an MCP server over HTTP that offers the session's tools. */
export interface ToolServer {
  readonly name: string
  readonly url: string
  /** Bearer token, sent in the `Authorization` header. */
  readonly token: string
  readonly toolNames: readonly string[]
  /** The tool that sends a message to the environment, if the environment replies. */
  readonly replyTool: string | undefined
}

export interface AgentFile {
  readonly path: string
  /** An object is written as JSON and merged over the user's own file at that path. */
  readonly content: string | Uint8Array | Readonly<Record<string, unknown>>
}

export interface AgentPreparation {
  /**
   * Files to write to the attempt's folders. Those in the workspace are removed before the work is scored.
   */
  readonly files: readonly AgentFile[]
  readonly environment: Readonly<Record<string, string>>
  /** The command line without the prompt, which is passed by stdin or in a file. */
  readonly arguments: readonly string[]
  readonly stdin?: string
  /** A file that the agent writes in addition to its output; the reader gets its content. */
  readonly report?: string
}

export type AgentOutcome =
  | ({
      readonly status: 'ended'
      /** Calls of the session's tools, in order. */
      readonly calls: readonly MadeCall[]
      /** Changes to the files of the session's workspace; undefined if it has no workspace. */
      readonly changes?: Changes
    } & Answered)
  /** The failure in the agent's own words, with its messages and usage until then. */
  | ({ readonly status: 'failed'; readonly failure: WorldFailure } & Omit<Failed, 'failure'>)

export type VersionSupport = 'tested' | 'older' | 'newer' | 'unknown'

/** Compares a version with the tested range. Older versions are too old; newer ones will probably work. */
export function versionSupport(
  version: string | undefined,
  { from, below }: AgentVersion['tested'],
): VersionSupport {
  if (version === undefined || numbersOf(version) === undefined) return 'unknown'
  if (isBefore(version, from)) return 'older'
  return isBefore(version, below) ? 'tested' : 'newer'
}

function isBefore(left: string, right: string): boolean {
  const [a = [], b = []] = [numbersOf(left), numbersOf(right)]
  const at = [0, 1, 2].find(index => a[index] !== b[index])
  return at !== undefined && (a[at] ?? 0) < (b[at] ?? 0)
}

/** Major, minor and patch. Suffixes such as `-beta.1` are ignored. */
function numbersOf(version: string): number[] | undefined {
  const found = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(version.trim())
  return found?.slice(1).map(part => Number(part ?? 0))
}
