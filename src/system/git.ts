import { devNull } from 'node:os'
import { runProgram } from './run-program.js'

export type Variables = Readonly<Record<string, string | undefined>>

/** An error of git with its message in one line. A missing git program is reported in the same way. */
export class GitError extends Error {
  override readonly name = 'GitError'
}

interface GitOptions {
  /** The user's variables. Only those needed to find the program are used. */
  readonly env: Variables
  /** Variables for git in this call. */
  readonly set?: Readonly<Record<string, string>>
  readonly input?: Buffer
}

/** Time limit of a git call. A large tree on a slow disk takes a while; beyond this, git hangs. */
const longestSeconds = 300

/** Override the repository's settings, which are untrusted, so that none of them can start a program. */
const harmless = ['core.fsmonitor=false', 'gc.auto=0', 'maintenance.auto=false'].flatMap(setting => [
  '-c',
  setting,
])
const unhooked = ['core.hooksPath', 'core.attributesFile'].flatMap(name => ['-c', `${name}=${devNull}`])

/**
 * Runs git in isolation and returns its output. Git ignores user and system settings, starts no hook, filter
 * or helper, fetches nothing, never prompts, and takes no lock for maintenance.
 */
export async function git(args: readonly string[], { env, set = {}, input }: GitOptions): Promise<Buffer> {
  const end = await runProgram(['git', ...unhooked, ...harmless, ...args], {
    env: { ...aloneIn(env), ...set },
    seconds: longestSeconds,
    ...(input === undefined ? {} : { input }),
  }).catch((error: unknown) => {
    throw new GitError(`git cannot be started: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  })
  if (end === undefined) throw new GitError('git is not installed')
  if (end.code === 0) return end.stdout
  if (end.code === undefined) throw new GitError('git took too long, or printed too much, and was ended')
  throw new GitError(`git says: ${lastLine(end.stderr)}`)
}

function aloneIn({ PATH, SystemRoot, TMPDIR }: Variables): Variables {
  return {
    PATH,
    SystemRoot,
    TMPDIR,
    LC_ALL: 'C',
    HOME: devNull,
    XDG_CONFIG_HOME: devNull,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    // In a partial clone, git would otherwise fetch missing files when it reads them.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  }
}

function lastLine(text: string): string {
  return (text.trim().split('\n').at(-1) ?? '').replace(/^(?:fatal|error): /, '').trim()
}

/** The repository that contains the project. It is only ever read. */
export interface Repository {
  readonly project: string
  /** Path of the project in the repository: empty for the repository's root, otherwise ending in a slash. */
  readonly prefix: string
  /** Path of the folder with git's objects. */
  readonly objects: string
  /** Object format: the name of the hash function. */
  readonly format: string
  /** Id of the checked-out commit. */
  readonly head: string
  readonly isShallow: boolean
}

/** Throws `GitError` if the project is in no repository or is not tracked. */
export async function openRepository(project: string, env: Variables): Promise<Repository> {
  const ask = async (...question: readonly string[]) =>
    oneText(await git(['-C', project, 'rev-parse', ...question], { env }))
  const isInside = await ask('--is-inside-work-tree').catch(inNone)
  if (isInside !== 'true') throw new GitError('it is the inside of a repository, not a place to work in')
  const repository = {
    project,
    prefix: await ask('--show-prefix'),
    objects: await ask('--path-format=absolute', '--git-path', 'objects'),
    format: await ask('--show-object-format'),
    head: await ask('--verify', '--quiet', 'HEAD^{commit}').catch(() => {
      throw new GitError('there is no commit yet, or the last one cannot be read')
    }),
    isShallow: (await ask('--is-shallow-repository')) === 'true',
  }
  if ((await treeAt(repository, repository.head, env)) === undefined)
    throw new GitError('the project is a folder of a repository that does not keep it')
  return repository
}

function inNone(error: Error): never {
  throw /not a git repository/.test(error.message)
    ? new GitError('git finds no repository in the project')
    : error
}

/**
 * The project's own tree in a commit; undefined if the commit does not exist or does not contain the
 * project.
 */
export async function treeAt(
  { project, prefix }: Pick<Repository, 'project' | 'prefix'>,
  commit: string,
  env: Variables,
): Promise<string | undefined> {
  if (!isObjectName(commit)) return undefined
  const resolved = async (name: string) =>
    oneText(await git(['-C', project, 'rev-parse', '--verify', '--quiet', name], { env }))
  try {
    const found = prefix === '' ? commit : await resolved(`${commit}:${prefix.slice(0, -1)}`)
    return await resolved(`${found}^{tree}`)
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}

/** Whether a text is an object's hash. Git might read anything else as an option or an expression. */
function isObjectName(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/** Output of git without its final line break. Nothing else is trimmed: a path may contain anything. */
export function oneText(printed: Buffer): string {
  return printed.toString('utf8').replace(/\r?\n$/, '')
}
