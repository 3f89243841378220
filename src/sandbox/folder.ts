import type { SandboxLimits, SandboxResult } from '../core/ports/sandbox.js'
import {
  type Contents,
  emptyTree,
  isMore,
  keepPlainFiles,
  measureTree,
  openFolder,
  TooDeepError,
  unlockTree,
} from '../system/tree.js'

/** Maximum number of files and folders; no legitimate program creates more. */
export const mostEntries = 20_000
const secondsBetweenLooks = 0.2

export function diskBytes({ diskMegabytes, fileMegabytes }: SandboxLimits): number {
  return Math.round((diskMegabytes ?? 4 * fileMegabytes) * 1024 * 1024)
}

export function tooMuch(limits: SandboxLimits): string {
  const megabytes = Math.round(diskBytes(limits) / 1024 / 1024)
  return `The sandbox stopped it: its folder may grow by ${megabytes} MB and to ${mostEntries} files.`
}

/** Measures a folder without following links. It stops counting once the size exceeds `most`. */
export async function contentsOf(path: string, most?: Contents): Promise<Contents> {
  const folder = await openFolder(path)
  try {
    return await measureTree(folder, most)
  } finally {
    await folder.close()
  }
}

/**
 * Makes a folder safe to read after a program has worked in it: only plain files, with masked modes, within
 * the limits. Call it once the program and its children have ended.
 */
export async function sanitizeFolder(
  path: string,
  result: SandboxResult,
  { given, limits }: { readonly given: Contents; readonly limits: SandboxLimits },
): Promise<SandboxResult> {
  const most = { bytes: given.bytes + diskBytes(limits), entries: mostEntries }
  const folder = await openFolder(path)
  try {
    await unlockTree(folder)
    const leftOut = await keepPlainFiles(folder)
    if (!isMore(await measureTree(folder, most), most)) return withNote(result, leftOut)
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error
  } finally {
    await folder.close()
  }
  await emptyFolder(path)
  return refused(result, tooMuch(limits))
}

async function emptyFolder(path: string): Promise<void> {
  const folder = await openFolder(path)
  try {
    await emptyTree(folder)
  } finally {
    await folder.close()
  }
}

/**
 * Kills a program that has written too much. The folder is measured from time to time, for platforms where no
 * file system enforces the limit.
 */
export function watchFolder(
  folder: string,
  limits: SandboxLimits,
  given: Contents,
): (cut: (reason: string) => void) => () => void {
  const most = { bytes: given.bytes + diskBytes(limits), entries: mostEntries }
  return cut => cutWhen(async () => isMore(await contentsOf(folder, most), most), cut, limits)
}

/** Checks at intervals whether a limit is exceeded, then kills the program; a failed check kills it too. */
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

export function refused(result: SandboxResult, reason: string): SandboxResult {
  return { ...said(result, reason), exitCode: result.exitCode === 0 ? 1 : result.exitCode }
}

/**
 * Adds a note about files that were left out because of their names. The program chose the names, so this is
 * part of its result and not our error.
 */
export function withNote(result: SandboxResult, leftOut: readonly string[]): SandboxResult {
  if (leftOut.length === 0) return result
  const [first] = leftOut
  const more = leftOut.length === 1 ? '' : ` and ${leftOut.length - 1} more`
  return said(
    result,
    `The sandbox left out files whose names are not UTF-8 or whose paths are too long: ${first}${more}`,
  )
}

function said(result: SandboxResult, line: string): SandboxResult {
  return { ...result, stderr: [result.stderr, line].filter(text => text !== '').join('\n') }
}
