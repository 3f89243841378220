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
  /** The command that installs it. */
  readonly install: string
  /** What to do if it is not logged in, as a sentence. */
  readonly login: string
  readonly version: AgentVersion
  readonly supports: readonly Capability[]
  /** Whether it can answer with all its tools off, as optimizer and judge must. */
  readonly chats: boolean
  /** Supported effort levels; any other level is refused. */
  readonly efforts: readonly Effort[]
  /** Provider name in the price table, if a single provider sells its models. */
  readonly soldBy?: string
  /** User variables that it gets besides the few that every program gets. */
  readonly variables: readonly string[]
  /** The `variables` that hold keys: their values appear in no message and no log. */
  readonly secrets: readonly string[]
  /** The `secrets` that log it in with its own provider, if not all of them do. */
  readonly logins?: readonly string[]
  /** What it may do at each access level, as sentences for the user. */
  readonly grants: Readonly<Record<AgentAccess, string>>
  /** The user's own login and set-up files. Missing files are skipped. */
  filesOf(user: AgentUser, place: AgentPlace): AgentUserFiles
  /** The folder, inside the attempt's folders, where it looks for skills. */
  skillsFolder(place: AgentPlace): string
  prepare(job: AgentJob, place: AgentPlace): AgentPreparation
  /** Turns the printed output into what the agent did. */
  readonly read: AgentReader
  /**
   * Lines that the reader does not need, such as deltas of a text that arrives whole later; they are
   * dropped.
   */
  isNoise?(line: string): boolean
  /**
   * Tokens of the call that a line reports, for agents that report each call as it is made; this lets a
   * runaway agent be terminated in time. Without it, an attempt's usage is known only at its end.
   */
  tokensIn?(line: string): number | undefined
}

/**
 * `workspace` allows the task's files, and a shell only if the agent's own sandbox confines it there; `full`
 * allows everything.
 */
export type AgentAccess = 'workspace' | 'full'

export interface AgentUser {
  readonly home: string
  readonly env: Variables
}

/** A file or folder: `from` is the user's, `to` the attempt's. */
export interface AgentUserFile {
  readonly from: string
  readonly to: string
  /**
   * For a login stored among other data: extracts the login from the file. Only that part is copied, and it
   * is never copied back.
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
  /** Already in the skills folder; must be invoked by this name so that its text reaches the model. */
  readonly skill: { readonly name: string; readonly text: string } | undefined
  /** The session's tools, if it has any. */
  readonly tools: ToolServer | undefined
  /** Whether there are files to work on. If not, the agent's own tools are off. */
  readonly hasWorkspace: boolean
  /** The session's maximum number of model replies, or of turns with an environment that replies. */
  readonly turnLimit: number
  /** Undefined leaves the choice to the agent. */
  readonly model: string | undefined
  readonly effort: Effort | undefined
  /** Base URL of an API to use instead of the agent's default, as the user wrote it. */
  readonly endpoint: string | undefined
  /** The key from the variable that the user named, replacing the agent's own. */
  readonly key: string | undefined
  /** The user's environment variables. */
  readonly env: Variables
  readonly access: AgentAccess
  /** Whether to use the user's own set-up, which is then already in the attempt's folders. */
  readonly inherit: boolean
}

/** Address of the session's tools: MCP over HTTP. */
export interface ToolServer {
  readonly name: string
  readonly url: string
  /** Sent in the `Authorization` header, after `Bearer`. */
  readonly token: string
  readonly toolNames: readonly string[]
  /** The tool with which the agent takes a turn, if the environment replies. */
  readonly replyTool: string | undefined
}

export interface AgentFile {
  readonly path: string
  /** An object is written as JSON and merged over the user's own file at that path. */
  readonly content: string | Uint8Array | Readonly<Record<string, unknown>>
}

export interface AgentPreparation {
  /** Paths in the attempt's folders. Those in the workspace are removed before the work is scored. */
  readonly files: readonly AgentFile[]
  readonly environment: Readonly<Record<string, string>>
  /** Without the prompt, which is passed by stdin or in a file. */
  readonly arguments: readonly string[]
  readonly stdin?: string
  /** A file to which the agent writes what it does not print; its reader gets the content. */
  readonly report?: string
}

export type AgentOutcome =
  | ({
      readonly status: 'ended'
      /** Calls of the session's tools, in order. */
      readonly calls: readonly MadeCall[]
      /** Changes in the session's folder; undefined if it has none. */
      readonly changes?: Changes
    } & Answered)
  /** With the agent's own words, and with what it did and used before. */
  | ({ readonly status: 'failed'; readonly failure: WorldFailure } & Omit<Failed, 'failure'>)

export type VersionSupport = 'tested' | 'older' | 'newer' | 'unknown'

/**
 * Compares a version with the tested range. An earlier version is too old; a later one will probably work.
 */
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
