import { mkdir, mkdtemp, readdir, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { InputError } from '../core/errors/errors.js'
import { GitError, git } from '../system/git.js'
import { removeFolder } from '../system/remove-folder.js'

/** Everything that an experiment uses: a project, a home and Sleep's state, separate from the user's own. */
export interface ExperimentPlace {
  readonly root: string
  /** The project folder, with links resolved. */
  readonly project: string
  readonly home: string
  /** The few variables of the user that are needed to find programs. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Removes the files, unless the user wants to keep them. */
  close(): Promise<void>
}

/** Uses a temporary folder, or an empty one that the user names. */
export async function openPlace(
  projectName: string,
  { keep }: { readonly keep?: string | undefined } = {},
): Promise<ExperimentPlace> {
  const folder =
    keep === undefined ? await mkdtemp(join(tmpdir(), 'skillopt-experiment-')) : await emptyFolder(keep)
  const root = await realpath(folder)
  const home = join(root, 'home')
  const project = join(root, projectName)
  const { PATH, TMPDIR, SystemRoot } = process.env
  const env = { PATH, TMPDIR, SystemRoot, HOME: home, USERPROFILE: home }
  await mkdir(home)
  await mkdir(project)
  await writeFile(join(project, 'README.md'), `# ${projectName}\n`)
  await commit(project, env)
  return {
    root,
    project,
    home,
    env: { ...env, SKILLOPT_HOME: join(home, '.skillopt') },
    close: async () => {
      if (keep === undefined) await removeFolder(root)
    },
  }
}

async function emptyFolder(path: string): Promise<string> {
  const folder = resolve(path)
  try {
    await mkdir(folder, { recursive: true })
    if ((await readdir(folder)).length === 0) return folder
  } catch (error) {
    throw new InputError(`Nothing can be kept in ${path}: it is no folder that can be written.`, {
      cause: error,
    })
  }
  throw new InputError(`${path} is not empty; nothing was begun.`, {
    hint: 'Name a folder that is empty, or not there yet.',
  })
}

const monthMs = 30 * 86_400_000

/** Commits the project, dated a month ago. Without git the experiment runs without a commit. */
async function commit(project: string, env: ExperimentPlace['env']): Promise<void> {
  const date = new Date(Date.now() - monthMs).toISOString()
  const who = { GIT_AUTHOR_NAME: 'experiment', GIT_AUTHOR_EMAIL: 'experiment@localhost' }
  const set = {
    ...who,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
    GIT_COMMITTER_NAME: who.GIT_AUTHOR_NAME,
    GIT_COMMITTER_EMAIL: who.GIT_AUTHOR_EMAIL,
  }
  try {
    await git(['-C', project, 'init', '--quiet'], { env })
    await git(['-C', project, 'add', '--', 'README.md'], { env })
    await git(['-C', project, 'commit', '--quiet', '--message', 'Begin'], { env, set })
  } catch (error) {
    if (!(error instanceof GitError)) throw error
  }
}
