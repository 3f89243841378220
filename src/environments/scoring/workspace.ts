import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'
import { removeFolder } from '../../system/remove-folder.js'

/** A throw-away folder for one piece of work. */
export async function withWorkspace<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-'))
  try {
    return await work(folder)
  } finally {
    await removeFolder(folder)
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
