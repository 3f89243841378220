import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { git, oneText, type Repository, type Variables } from '../../system/git.js'
import { type CopyLimits, checkSize } from './copy-limits.js'

type Place = Pick<Repository, 'project' | 'objects' | 'format'>

/** Checks a tree. Throws `InputError` if it is too large, and `GitError` if objects are missing. */
export async function checkTree(
  { project }: Place,
  tree: string,
  { env, limits }: { readonly env: Variables; readonly limits: CopyLimits },
): Promise<void> {
  const listed = await git(['-C', project, 'ls-tree', '-r', '-t', '-l', '-z', '--full-tree', tree], { env })
  const entries = recordsIn(listed)
  // A line holds mode, type, name and size, then a tab and the path.
  const sizes = entries.map(entry => Number(/^\d+ blob [0-9a-f]+ +(\d+)\t/.exec(entry.toString())?.[1] ?? 0))
  const size = { bytes: sizes.reduce((sum, each) => sum + each, 0), entries: entries.length }
  checkSize(size, limits, `The project ${project}`)
}

/**
 * Checks a tree out into an empty folder, which becomes a separate repository. `only` limits the files. Git
 * reads only the object folder of the person's repository, so none of its settings, hooks, filters and
 * remotes take effect.
 */
export async function checkOut(
  { objects, format }: Place,
  tree: string,
  folder: string,
  env: Variables,
  only?: readonly string[],
): Promise<void> {
  const at = { env, set: borrowing(objects) }
  const inFolder = (...args: readonly string[]) => git(['-C', folder, ...args], at)
  await inFolder('init', '--quiet', '--template=', '--initial-branch=main', `--object-format=${format}`)
  await inFolder('read-tree', tree)
  const unreadable = recordsIn(await inFolder('ls-files', '-z')).filter(name => !isText(name))
  await forget(folder, unreadable, at)
  if (only === undefined) await inFolder('checkout-index', '--all', '--index', '--force')
  else {
    const input = records(only.map(path => Buffer.from(path)))
    await git(['-C', folder, 'checkout-index', '-z', '--stdin', '--force'], { ...at, input })
  }
}

/** Author and date are fixed, so that the same tree always gives the same repository. */
const nobody = { name: 'The project', email: 'project@localhost', date: '946684800 +0000' }

/**
 * Commits the folder's content and makes the copy independent: afterwards it reads no objects from the
 * person's repository.
 */
export async function commitCopy({ objects }: Place, folder: string, env: Variables): Promise<void> {
  const at = {
    env,
    set: {
      ...borrowing(objects),
      GIT_AUTHOR_NAME: nobody.name,
      GIT_AUTHOR_EMAIL: nobody.email,
      GIT_AUTHOR_DATE: nobody.date,
      GIT_COMMITTER_NAME: nobody.name,
      GIT_COMMITTER_EMAIL: nobody.email,
      GIT_COMMITTER_DATE: nobody.date,
    },
  }
  const inFolder = async (...args: readonly string[]) => oneText(await git(['-C', folder, ...args], at))
  await forget(folder, recordsIn(await git(['-C', folder, 'ls-files', '--deleted', '-z'], at)), at)
  const commit = await inFolder('commit-tree', '-m', 'The project', await inFolder('write-tree'))
  await inFolder('update-ref', 'refs/heads/main', commit)
  await pack(folder, commit, at)
  // Git refuses the agent's commits without an identity, so a neutral one is set.
  await appendFile(
    join(folder, '.git', 'config'),
    `[user]\n\tname = ${nobody.name}\n\temail = ${nobody.email}\n`,
  )
}

type GitAt = Parameters<typeof git>[1]

/** Packs the objects. It is fast rather than thorough, because the copy is temporary. */
async function pack(folder: string, commit: string, at: GitAt): Promise<void> {
  const quick = ['-c', 'pack.compression=1', '-c', 'pack.threads=1']
  const target = join('.git', 'objects', 'pack', 'pack')
  await git(['-C', folder, ...quick, 'pack-objects', '--quiet', '--revs', '--window=0', target], {
    ...at,
    input: Buffer.from(`${commit}\n`),
  })
}

async function forget(folder: string, names: readonly Buffer[], at: GitAt): Promise<void> {
  if (names.length === 0) return
  const input = records(names)
  await git(['-C', folder, 'update-index', '--force-remove', '-z', '--stdin'], { ...at, input })
}

/** Lets git read objects from another folder. The path is quoted, because it may contain the separator. */
function borrowing(objects: string) {
  const quoted = `"${objects.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted }
}

function records(names: readonly Buffer[]): Buffer {
  return Buffer.concat(names.flatMap(name => [name, Buffer.from([0])]))
}

/** Splits NUL-terminated records. */
function recordsIn(printed: Buffer): readonly Buffer[] {
  const records: Buffer[] = []
  let start = 0
  for (let end = printed.indexOf(0); end !== -1; end = printed.indexOf(0, start)) {
    records.push(printed.subarray(start, end))
    start = end + 1
  }
  return records
}

/** File names in git are bytes. A name that is not valid UTF-8 could not be copied. */
const isText = (name: Buffer): boolean => name.equals(Buffer.from(name.toString('utf8')))
