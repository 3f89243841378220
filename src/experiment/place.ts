import { mkdir, mkdtemp, readdir, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { InputError } from '../core/errors/errors.js'
import { GitError, git } from '../system/git.js'
import { removeFolder } from '../system/remove-folder.js'

/** Where an experiment happens: a project, a home and all that Sleep keeps, away from everything of the person's. */
export interface ExperimentPlace {
  readonly root: string
  /** The folder of the project, as the system knows it. */
  readonly project: string
  readonly home: string
  /** Of the person's variables, only what programs need to be found. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Removes it, unless it is to be kept. */
  close(): Promise<void>
}

/** In a temporary folder, or in one that the person names and that holds nothing yet. */
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
    ...{ root, project, home, env: { ...env, SKILLOPT_HOME: join(home, '.skillopt') } },
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

/** Begun a month ago. A project that git does not keep is one too, so that git need not be installed. */
async function commit(project: string, env: ExperimentPlace['env']): Promise<void> {
  const date = new Date(Date.now() - monthMs).toISOString()
  const who = { GIT_AUTHOR_NAME: 'experiment', GIT_AUTHOR_EMAIL: 'experiment@localhost' }
  const set = {
    ...{ ...who, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    ...{ GIT_COMMITTER_NAME: who.GIT_AUTHOR_NAME, GIT_COMMITTER_EMAIL: who.GIT_AUTHOR_EMAIL },
  }
  try {
    await git(['-C', project, 'init', '--quiet'], { env })
    await git(['-C', project, 'add', '--', 'README.md'], { env })
    await git(['-C', project, 'commit', '--quiet', '--message', 'Begin'], { env, set })
  } catch (error) {
    if (!(error instanceof GitError)) throw error
  }
}
