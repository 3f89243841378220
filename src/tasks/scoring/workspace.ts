import { lstat, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'
import { z } from 'zod'
import { makeOwnFolder } from '../../system/own-folder.js'
import { removeFolder } from '../../system/remove-folder.js'
import { openFolder } from '../../system/tree.js'
import { copyTree } from '../../system/tree-copy.js'
import { isMissing } from '../loading/rows.js'

/** Files given inside a task: their names and texts. */
export const textFiles = z.record(z.string(), z.string())

/** Runs `work` in a temporary folder and then removes the folder. */
export async function withWorkspace<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeOwnFolder()
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

/**
 * Copies the files and folders that an agent left. It skips links, which could lead outside, names that are
 * not valid text, and entries nested too deeply.
 */
export async function copyWork(from: string, to: string): Promise<void> {
  const source = await openFolder(from)
  try {
    const target = await openFolder(to)
    try {
      await copyTree(source, target)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** Removes what an agent left at a path that we need, such as a file in place of a folder. */
export async function makeWay(folder: string, name: string): Promise<void> {
  const steps = normalize(name).split(sep)
  for (const [index] of steps.entries()) {
    const path = join(folder, ...steps.slice(0, index + 1))
    const isLast = index === steps.length - 1
    if (isLast || !(await isFolderOrMissing(path))) await rm(path, { recursive: true, force: true })
  }
}

async function isFolderOrMissing(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory()
  } catch (error) {
    if (isMissing(error)) return true
    throw error
  }
}

/** Whether a name is valid for a file below a folder. */
export function isFileName(name: string): boolean {
  return isBelow(name) && !name.includes('\0') && !/[\\/]$/.test(name)
}

/** Whether a relative path stays inside its folder. */
export function isBelow(name: string): boolean {
  const plain = normalize(name)
  return name !== '' && !isAbsolute(plain) && plain !== '.' && plain !== '..' && !plain.startsWith(`..${sep}`)
}
