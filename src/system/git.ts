import { devNull } from 'node:os'
import { runProgram } from './run-program.js'

export type Variables = Readonly<Record<string, string | undefined>>

/** What git said, in one line; that there is none is one of its ways to fail. */
export class GitError extends Error {
  override readonly name = 'GitError'
}

interface GitOptions {
  /** Of the person: only what finds the program is taken. */
  readonly env: Variables
  /** Variables of git's own for this call. */
  readonly set?: Readonly<Record<string, string>>
  readonly input?: Buffer
}

/** A large tree on a slow disk takes a while; one that takes longer hangs. */
const longestSeconds = 300

/** A repository's own settings stand below these, and it may be anybody's: none of them starts a program. */
const harmless = ['core.fsmonitor=false', 'gc.auto=0', 'maintenance.auto=false'].flatMap(setting => [
  '-c',
  setting,
])
const unhooked = ['core.hooksPath', 'core.attributesFile'].flatMap(name => ['-c', `${name}=${devNull}`])

/**
 * Runs git for itself alone: nothing that a person or a system has set up for it takes part, no hook or filter or helper
 * is started, nothing is fetched, nobody is asked, and no lock is taken to tidy up. Returns what it printed.
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
    ...{ PATH, SystemRoot, TMPDIR, LC_ALL: 'C' },
    ...{ HOME: devNull, XDG_CONFIG_HOME: devNull, GIT_CONFIG_GLOBAL: devNull },
    ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_ATTR_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' },
    ...{ GIT_OPTIONAL_LOCKS: '0', GIT_NO_REPLACE_OBJECTS: '1' },
    // A clone that has left out files would fetch them when they are looked at.
    ...{ GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' },
  }
}

function lastLine(text: string): string {
  return (text.trim().split('\n').at(-1) ?? '').replace(/^(?:fatal|error): /, '').trim()
}

/** The repository that a project is in, or is. It is only ever read. */
export interface Repository {
  readonly project: string
  /** Where the project is in it: empty for all of it, or a path that ends in a slash. */
  readonly prefix: string
  /** The folder of its commits and files. */
  readonly objects: string
  /** How it names them. */
  readonly format: string
  /** The commit that is checked out. */
  readonly head: string
  readonly isShallow: boolean
}

/** Throws `GitError` where the project is in none, or git does not keep it. */
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

/** The project's own tree in a commit; undefined where there is no such commit, or it was not there yet. */
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

/** Whatever else stands where a name belongs, git might take for an option or an expression. */
function isObjectName(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/** Without the line's end: all else belongs to it, since a path may hold anything. */
export function oneText(printed: Buffer): string {
  return printed.toString('utf8').replace(/\r?\n$/, '')
}
