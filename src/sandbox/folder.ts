import { chmod, copyFile, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SandboxLimits } from '../core/ports.js'
import type { Watch } from './child.js'

/** What stands in a folder. Empty files cost no bytes and still room, so they are counted too. */
export interface Contents {
  readonly bytes: number
  readonly entries: number
}

/** More files and folders than any honest job makes. */
export const mostEntries = 20_000
const secondsBetweenLooks = 0.2

export function diskBytes({ diskMegabytes, fileMegabytes }: SandboxLimits): number {
  return Math.round((diskMegabytes ?? 4 * fileMegabytes) * 1024 * 1024)
}

export function tooMuch(limits: SandboxLimits): string {
  const megabytes = Math.round(diskBytes(limits) / 1024 / 1024)
  return `The sandbox stopped it: its folder may grow by ${megabytes} MB and to ${mostEntries} files.`
}

/** Adds up what stands in a folder, links not followed, and stops adding once it is more than `most`. */
export async function contentsOf(folder: string, most: Contents = endless): Promise<Contents> {
  let bytes = 0
  let entries = 0
  const pending = [folder]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of await unlessGone(() => readdir(next, { withFileTypes: true }), [])) {
      const path = join(next, entry.name)
      entries += 1
      if (entry.isDirectory()) pending.push(path)
      else bytes += await unlessGone(async () => (await lstat(path)).size, 0)
      if (isMore({ bytes, entries }, most)) return { bytes, entries }
    }
  }
  return { bytes, entries }
}

export function isMore({ bytes, entries }: Contents, most: Contents): boolean {
  return bytes > most.bytes || entries > most.entries
}

const endless: Contents = { bytes: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY }

/** For where no file system keeps the limit: looks again and again, and ends what has written too much. */
export function watchFolder(folder: string, limits: SandboxLimits, given: Contents): Watch {
  const most = { bytes: given.bytes + diskBytes(limits), entries: mostEntries }
  return (_, cut) => cutWhen(async () => isMore(await contentsOf(folder, most), most), cut, limits)
}

/** One look after the other, never two at once. What cannot be looked at, because it is locked, is ended as well. */
export function cutWhen(
  isTooMuch: () => Promise<boolean>,
  cut: (reason: string) => void,
  limits: SandboxLimits,
): () => void {
  let timer: NodeJS.Timeout | undefined
  let over = false
  const look = async () => {
    const ends = await isTooMuch().catch(() => true)
    if (over) return
    if (ends) cut(tooMuch(limits))
    else next()
  }
  const next = () => {
    timer = setTimeout(() => void look(), secondsBetweenLooks * 1000)
  }
  next()
  return () => {
    over = true
    clearTimeout(timer)
  }
}

/** Brings files and folders, and nothing else: a link or a pipe could lead whoever reads there astray. */
export async function copyPlain(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      await mkdir(target)
      await copyPlain(source, target)
    } else if (entry.isFile()) {
      await chmod(source, (await lstat(source)).mode | 0o600)
      await copyFile(source, target)
    }
  }
}

/** What ran there may have locked its own folders, which are its owner's to open. */
export async function unlock(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await unlock(join(folder, entry.name))
  }
}

export async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
}

/** A program may take things away while they are counted. */
async function unlessGone<T>(look: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await look()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return otherwise
    throw error
  }
}
