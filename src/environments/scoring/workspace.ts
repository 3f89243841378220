import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'

/** A throw-away folder for one piece of work. */
export async function withWorkspace<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-'))
  try {
    return await work(folder)
  } finally {
    await removeWorkspace(folder)
  }
}

export async function writeWorkspaceFile(folder: string, name: string, content: string): Promise<void> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}

/** Whether a name stays below the folder it is put into. */
export function isBelow(name: string): boolean {
  const plain = normalize(name)
  return name !== '' && !isAbsolute(plain) && plain !== '.' && plain !== '..' && !plain.startsWith(`..${sep}`)
}

/** What ran in there may have taken away its own folders' permissions, which must not keep them from being removed. */
export async function removeWorkspace(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await open(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

async function open(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await open(join(folder, entry.name))
  }
}
