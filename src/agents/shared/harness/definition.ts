import type { Effort } from '../../../core/config/config.js'
import type { WorldFailure } from '../../../core/errors/errors.js'
import type { Capability } from '../../../core/ports/environment.js'
import type { Part } from '../../../core/task/task.js'
import type { AgentReader, Answered, Failed } from '../output/reading.js'
import type { MadeCall } from './mcp.js'
import type { AgentPlace } from './place.js'
import type { Variables } from './process.js'
import type { Changes } from './workspace.js'

/** What the harness knows of one agent: how it is started, what it is given, and how its words are read. */
export interface AgentDefinition {
  readonly id: string
  /** As people call it. */
  readonly title: string
  readonly program: string
  /** The command that installs it. */
  readonly install: string
  /** What to do when it is not logged in, as a sentence. */
  readonly login: string
  readonly version: AgentVersion
  readonly supports: readonly Capability[]
  /** Whether it can be asked with all its tools off, as optimizer and judge are. */
  readonly chats: boolean
  /** Levels of effort that it can be told; whatever else is asked for is refused. */
  readonly efforts: readonly Effort[]
  /** Whose prices its models have, where they are sold by one provider: a name of the price table. */
  readonly soldBy?: string
  /** Variables of the user that it gets besides the few that every program gets. */
  readonly variables: readonly string[]
  /** Of these, the ones that hold keys: their values appear in no message and no log. */
  readonly secrets: readonly string[]
  /** Of these, the ones that log it in with its own provider, where not all of them do. */
  readonly logins?: readonly string[]
  /** What it may do in each `access`, as sentences for the user. */
  readonly grants: Readonly<Record<AgentAccess, string>>
  /** The user's own files: by which it is logged in, and how it is set up. What does not exist is passed over. */
  filesOf(user: AgentUser, place: AgentPlace): AgentUserFiles
  /** Where it looks for skills, in the attempt's folders. */
  skillsFolder(place: AgentPlace): string
  prepare(job: AgentJob, place: AgentPlace): AgentPreparation
  /** From what it printed to what it did. */
  readonly read: AgentReader
  /** Lines that its reader has no use for, such as pieces of a text that comes whole later: they are not kept. */
  isNoise?(line: string): boolean
  /**
   * Tokens of the call that a line reports, where it reports each call when it is made: so an agent that goes on and on
   * is ended in time. Without it, what an attempt takes is known only at its end.
   */
  tokensIn?(line: string): number | undefined
}

/** `workspace` is the files of its task, and a shell only where its own sandbox keeps it there; `full` is everything. */
export type AgentAccess = 'workspace' | 'full'

export interface AgentUser {
  readonly home: string
  readonly env: Variables
}

/** Files or folders, `from` the user's, `to` the attempt's. */
export interface AgentUserFile {
  readonly from: string
  readonly to: string
  /** Of a login that stands among other things: what of the file it is. That is all there is of it, and stays there. */
  only?(content: string): string
}

export interface AgentUserFiles {
  /** Always there. Tokens that the agent renews are brought back, or the user would be logged out by it. */
  readonly login: readonly AgentUserFile[]
  /** Instructions, skills, servers, plugins, hooks, memory: only when the user wants them to have a part. */
  readonly setup: readonly AgentUserFile[]
}

export interface AgentVersion {
  readonly arguments: readonly string[]
  /** The version in what it printed. */
  read(printed: string): string | undefined
  /** The versions that were tried: the first, and the first that was not any more. */
  readonly tested: { readonly from: string; readonly below: string }
}

/** What one attempt asks of the agent. */
export interface AgentJob {
  /** A task to work on; or a question to be answered in words, with every tool off, that its own included. */
  readonly kind: 'work' | 'chat'
  /** The rules of the environment; may be empty. For `chat`, what stands in place of the agent's own instructions. */
  readonly instructions: string
  readonly prompt: readonly Part[]
  /** Stands in the skills folder already; to be invoked by this name, so that its text reaches the model. */
  readonly skill: { readonly name: string; readonly text: string } | undefined
  /** The session's tools, where it has any. */
  readonly tools: ToolServer | undefined
  /** Whether there are files to work on. Without, the agent's own tools have no part in the task, and are off. */
  readonly hasWorkspace: boolean
  /** Of the session: the most replies of the model, or turns with a world that answers. */
  readonly turnLimit: number
  /** Its own choice if not given. */
  readonly model: string | undefined
  readonly effort: Effort | undefined
  /** Base URL of an API in place of the one that the agent would use, as the user wrote it. */
  readonly endpoint: string | undefined
  /** The key from the variable that the user named in place of the agent's own. */
  readonly key: string | undefined
  /** The user's variables. */
  readonly env: Variables
  readonly access: AgentAccess
  /** Whether the user's own set-up is there too: it stands in the attempt's folders already. */
  readonly inherit: boolean
}

/** Where the agent finds the tools of its session, by MCP over HTTP. */
export interface ToolServer {
  readonly name: string
  readonly url: string
  /** Goes into the header `Authorization`, after `Bearer`. */
  readonly token: string
  readonly toolNames: readonly string[]
  /** The tool by which the agent says a turn to a world that answers, if it does. */
  readonly replyTool: string | undefined
}

export interface AgentFile {
  readonly path: string
  /** An object is written as JSON, over what the user's own file of that place says. */
  readonly content: string | Uint8Array | Readonly<Record<string, unknown>>
}

export interface AgentPreparation {
  /** Paths in the attempt's folders. Those in the workspace are taken away before the work is scored. */
  readonly files: readonly AgentFile[]
  readonly environment: Readonly<Record<string, string>>
  /** Without the prompt, which comes by stdin or in a file. */
  readonly arguments: readonly string[]
  readonly stdin?: string
  /** A file in which it leaves what it does not print; its reader gets the content. */
  readonly report?: string
}

export type AgentOutcome =
  | ({
      readonly status: 'ended'
      /** Of the session's tools, in order. */
      readonly calls: readonly MadeCall[]
      /** In the session's folder; undefined where there is none. */
      readonly changes?: Changes
    } & Answered)
  /** With the agent's own words, and with what it did and used before. */
  | ({ readonly status: 'failed'; readonly failure: WorldFailure } & Omit<Failed, 'failure'>)

export type VersionStanding = 'tested' | 'older' | 'newer' | 'unknown'

/** Where a version stands to those that were tried. One before them is too old; a later one is likely to do. */
export function standingOf(
  version: string | undefined,
  { from, below }: AgentVersion['tested'],
): VersionStanding {
  if (version === undefined || numbersOf(version) === undefined) return 'unknown'
  if (isBefore(version, from)) return 'older'
  return isBefore(version, below) ? 'tested' : 'newer'
}

function isBefore(left: string, right: string): boolean {
  const [a = [], b = []] = [numbersOf(left), numbersOf(right)]
  const at = [0, 1, 2].find(index => a[index] !== b[index])
  return at !== undefined && (a[at] ?? 0) < (b[at] ?? 0)
}

/** Major, minor and patch. What stands after them (`-beta.1`) is not told apart. */
function numbersOf(version: string): number[] | undefined {
  const found = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(version.trim())
  return found?.slice(1).map(part => Number(part ?? 0))
}
