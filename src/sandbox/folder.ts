import type { SandboxLimits } from '../core/ports.js'
import { type Contents, isMore, measureTree, openFolder } from '../system/tree.js'

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

/** What stands in a folder, links not followed; stops adding once it is more than `most`. */
export async function contentsOf(path: string, most?: Contents): Promise<Contents> {
  const folder = await openFolder(path)
  try {
    return await measureTree(folder, most)
  } finally {
    await folder.close()
  }
}

/** For where no file system keeps the limit: looks again and again, and ends what has written too much. */
export function watchFolder(
  folder: string,
  limits: SandboxLimits,
  given: Contents,
): (cut: (reason: string) => void) => () => void {
  const most = { bytes: given.bytes + diskBytes(limits), entries: mostEntries }
  return cut => cutWhen(async () => isMore(await contentsOf(folder, most), most), cut, limits)
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
