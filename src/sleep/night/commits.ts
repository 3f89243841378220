import { messageOf } from '../../core/errors/errors.js'
import { GitError, git, oneText, openRepository, type Repository, type Variables } from '../../system/git.js'
import { askedIn, lastCommit, type SleepTask } from '../model/sleep-task.js'

export interface PinnedCommits {
  /**
   * Maps the id of each request, or of each task without examples, to the commit for its replay. `HEAD` maps
   * to the commit for everything added later.
   */
  readonly commits: ReadonlyMap<string, string>
  /** Explains why tasks are not replayed on the project's state at request time; undefined if they are. */
  readonly reason: string | undefined
}

/**
 * Pins each request to the last commit before it, on its branch if that branch still exists. Requests without
 * a known commit are pinned to the latest commit, so that commits made meanwhile do not affect the night.
 * Nothing is pinned without a repository.
 */
export async function pinCommits(
  tasks: readonly SleepTask[],
  project: string,
  env: Variables = process.env,
): Promise<PinnedCommits> {
  try {
    const repository = await openRepository(project, env)
    return repository.isShallow ? atHead(tasks, repository) : await inHistory(tasks, repository, env)
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    const reason = `The commits at which tasks were asked are not known: ${messageOf(error)}.`
    return { commits: new Map(), reason }
  }
}

function atHead(tasks: readonly SleepTask[], { head }: Repository): PinnedCommits {
  const asked = tasks.flatMap(askedIn)
  return {
    commits: new Map([[lastCommit, head], ...asked.map(({ request }) => [request, head] as const)]),
    reason: 'The commits at which tasks were asked are not known: the clone of the project is a shallow one.',
  }
}

async function inHistory(
  tasks: readonly SleepTask[],
  repository: Repository,
  env: Variables,
): Promise<PinnedCommits> {
  const branches = await branchesOf(repository, env)
  const known = new Map<string, string>()
  const commits = new Map([[lastCommit, repository.head]])
  for (const { request, at, branch } of tasks.flatMap(askedIn)) {
    const tip = (branch === undefined ? undefined : branches.get(branch)) ?? repository.head
    const moment = `${tip} ${at}`
    const commit = known.get(moment) ?? (await lastBefore(repository, tip, at, env)) ?? repository.head
    known.set(moment, commit)
    commits.set(request, commit)
  }
  return { commits, reason: undefined }
}

/**
 * Branches are listed rather than looked up by name, because a branch name in a transcript is untrusted
 * input.
 */
async function branchesOf({ project }: Repository, env: Variables): Promise<ReadonlyMap<string, string>> {
  const format = '--format=%(objectname) %(refname:lstrip=2)'
  const printed = oneText(await git(['-C', project, 'for-each-ref', format, 'refs/heads'], { env }))
  return new Map(
    printed.split('\n').flatMap(line => {
      const [, commit, name] = /^([0-9a-f]+) (.+)$/.exec(line) ?? []
      return commit === undefined || name === undefined ? [] : [[name, commit] as const]
    }),
  )
}

/**
 * Returns the last commit before the given time; undefined if the time is unknown or before the first commit.
 */
async function lastBefore(
  { project }: Repository,
  tip: string,
  at: string | undefined,
  env: Variables,
): Promise<string | undefined> {
  if (at === undefined) return undefined
  const seconds = Math.floor(Date.parse(at) / 1000)
  const question = ['rev-list', '--max-count=1', `--min-age=${seconds}`, tip, '--']
  const found = oneText(await git(['-C', project, ...question], { env }))
  return found === '' ? undefined : found
}
