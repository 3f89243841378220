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

/** All that decides what is in a copy: git's name of the project's files, or the hash of them. */
export type ProjectState = ({ readonly tree: string } | { readonly files: string }) & {
  /** Paths that are in no copy. */
  readonly without?: readonly string[]
}

export interface CopyOptions {
  /** Its real path. */
  readonly project: string
  /** Where the person has it, if that is elsewhere: their words may name it so. */
  readonly knownAs?: string
  /** Id of an example's request, or of a task that has no examples -> the commit to try it on. Others: that of `HEAD`. */
  readonly commits: ReadonlyMap<string, string>
  /** Paths below the project that are to be in no copy, as a skill that is trained: an old text of it would be read too. */
  readonly without?: readonly string[]
  readonly env?: Variables
  readonly limits?: CopyLimits
}

/** A project that attempts get copies of. It is only ever read. */
export interface ProjectCopies {
  readonly warnings: readonly string[]
  stateFor(request: string): ProjectState
  /** A folder of its own for one attempt. */
  make(state: ProjectState): Promise<string>
  /** A folder with nothing but these files of a copy, to be looked at. */
  makeSome(state: ProjectState, paths: readonly string[]): Promise<string>
}

/** Throws `InputError` for a project that is too large to be copied. */
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

/** Undefined where the commit, or something in it, is not there any more. */
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

/** A folder that is whole, or gone. */
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

/** A disk that is full, or a repository that was damaged meanwhile: the next attempt would meet it too. */
function notMade(error: unknown): never {
  if (error instanceof SkillOptError) throw error
  throw new PausedError(`The copy of the project for an attempt could not be made: ${messageOf(error)}.`, {
    hint: 'See that there is room in the temporary folder (TMPDIR), then run the same command again: it goes on where it stopped.',
    cause: error,
  })
}
