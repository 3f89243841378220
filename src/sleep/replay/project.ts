import { InputError, messageOf, PausedError, SkillOptError } from '../../core/errors/errors.js'
import { listed, plural } from '../../core/text/format.js'
import { GitError, openRepository, type Repository, treeAt, type Variables } from '../../system/git.js'
import { makeOwnFolder } from '../../system/own-folder.js'
import { removeFolder } from '../../system/remove-folder.js'
import { isBelow } from '../../tasks/scoring/workspace.js'
import { lastCommit } from '../model/sleep-task.js'
import { checkOut, checkTree, commitCopy } from './commit-copy.js'
import { type CopyLimits, usualLimits } from './copy-limits.js'
import { copyFiles, copySome, hashFiles, listFiles } from './file-copy.js'
import { liveSettings } from './live-settings.js'
import { prune } from './prune.js'

/** What determines a copy's content: git's tree hash of the project, or a hash of its files. */
export type ProjectState = ({ readonly tree: string } | { readonly files: string }) & {
  /** Paths that are excluded from the copy. */
  readonly without?: readonly string[]
}

export interface CopyOptions {
  /** The project's folder, with links resolved. */
  readonly project: string
  /** The path by which the person knows the project, if it differs. Requests may use it. */
  readonly knownAs?: string
  /**
   * Maps the id of each request, or of each task without examples, to its commit. All others use the commit
   * of `HEAD`.
   */
  readonly commits: ReadonlyMap<string, string>
  /**
   * Project paths to exclude from copies, such as the trained skill: the agent would read its old text as
   * well.
   */
  readonly without?: readonly string[]
  readonly env?: Variables
  readonly limits?: CopyLimits
}

/** Makes project copies for attempts. The project itself is never changed. */
export interface ProjectCopies {
  readonly warnings: readonly string[]
  stateFor(request: string): ProjectState
  /** Makes a new folder for one attempt. */
  make(state: ProjectState): Promise<string>
  /** Makes a folder with only these files of a copy, so that changes can be compared with them. */
  makeSome(state: ProjectState, paths: readonly string[]): Promise<string>
}

/** Prepares copies of a project. Throws `InputError` if the project is too large to copy. */
export async function openCopies(
  { project, commits, without = [], env = process.env, limits = usualLimits }: CopyOptions,
  requests: readonly string[],
): Promise<ProjectCopies> {
  const astray = without.find(path => !isBelow(path))
  if (astray !== undefined) {
    throw new InputError(`"${astray}" is to be left out of the copies, and is no path below the project.`, {
      hint: `Name it as it is called in ${project}.`,
    })
  }
  const settings = { env, limits, kept: without.length === 0 ? {} : { without: [...without].sort() } }
  try {
    const repository = await openRepository(project, env)
    return await copiesOfCommits(repository, { ...settings, commits, requests })
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    return copiesOfFiles(project, { ...settings, reason: error.message })
  }
}

interface Settings {
  readonly env: Variables
  readonly limits: CopyLimits
  readonly kept: Pick<ProjectState, 'without'>
}

async function copiesOfCommits(
  repository: Repository,
  {
    commits,
    requests,
    env,
    limits,
    kept,
  }: Settings & Pick<CopyOptions, 'commits'> & { readonly requests: readonly string[] },
): Promise<ProjectCopies> {
  const trees = new Map<string, string | undefined>()
  const usable = async (commit: string) => {
    if (!trees.has(commit)) trees.set(commit, await usableTree(repository, commit, { env, limits }))
    return trees.get(commit)
  }
  const last = (await usable(commits.get(lastCommit) ?? repository.head)) ?? (await usable(repository.head))
  if (last === undefined) throw new GitError('the last commit cannot be read')
  const stateOf = new Map<string, ProjectState>()
  const gone = new Set<string>()
  for (const request of requests) {
    const commit = commits.get(request)
    const tree = commit === undefined ? undefined : await usable(commit)
    if (commit !== undefined && tree === undefined) gone.add(commit)
    if (tree !== undefined) stateOf.set(request, { tree, ...kept })
  }
  return {
    warnings: goneWarnings([...gone]),
    stateFor: request => stateOf.get(request) ?? { tree: last, ...kept },
    make: state =>
      inOwnFolder(async folder => {
        await checkOut(repository, treeIn(state), folder, env)
        await prune(folder, [...liveSettings, ...(state.without ?? [])])
        await commitCopy(repository, folder, env)
      }),
    makeSome: (state, paths) =>
      inOwnFolder(folder => checkOut(repository, treeIn(state), folder, env, paths)),
  }
}

function treeIn(state: ProjectState): string {
  if ('tree' in state) return state.tree
  throw new Error('A copy of files was asked of a repository.')
}

/** Returns the tree of a commit; undefined if the commit or one of its objects no longer exists. */
async function usableTree(
  repository: Repository,
  commit: string,
  { env, limits }: Pick<Settings, 'env' | 'limits'>,
): Promise<string | undefined> {
  const tree = await treeAt(repository, commit, env)
  if (tree === undefined) return undefined
  try {
    await checkTree(repository, tree, { env, limits })
    return tree
  } catch (error) {
    if (error instanceof GitError) return undefined
    throw error
  }
}

function goneWarnings(commits: readonly string[]): string[] {
  if (commits.length === 0) return []
  const names = listed(commits.map(commit => commit.slice(0, 10)))
  return [
    `${plural(commits.length, 'commit')} of the project cannot be read any more: ${names}. Their tasks are tried on what was committed last.`,
  ]
}

async function copiesOfFiles(
  project: string,
  { env: _, limits, kept, reason }: Settings & { readonly reason: string },
): Promise<ProjectCopies> {
  const { entries, leftOut } = await listFiles(project, limits)
  const files = await hashFiles(project, entries)
  const omitted =
    leftOut.length === 0 ? '' : ` ${listed(leftOut)} stays behind: too large, or closed to whoever runs this.`
  return {
    warnings: [
      `Tasks are tried on the files of ${project} as they are now, without those that usually hold secrets: ${reason}.${omitted}`,
    ],
    stateFor: () => ({ files, ...kept }),
    make: state =>
      inOwnFolder(async folder => {
        if (!('files' in state)) throw new Error('A copy of a commit was asked of a folder without git.')
        await copyFiles(project, state.files, folder, limits)
        await prune(folder, [...liveSettings, ...(state.without ?? [])])
      }),
    makeSome: (_, paths) => inOwnFolder(folder => copySome(project, paths, folder)),
  }
}

/** Creates and fills a folder; removes it if filling fails. */
async function inOwnFolder(fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = await makeOwnFolder().catch(notMade)
  try {
    await fill(folder)
    return folder
  } catch (error) {
    await removeFolder(folder)
    return notMade(error)
  }
}

/** Throws `PausedError`, because a full disk or a damaged repository would make the next attempt fail too. */
function notMade(error: unknown): never {
  if (error instanceof SkillOptError) throw error
  throw new PausedError(`The copy of the project for an attempt could not be made: ${messageOf(error)}.`, {
    hint: 'See that there is room in the temporary folder (TMPDIR), then run the same command again: it goes on where it stopped.',
    cause: error,
  })
}
