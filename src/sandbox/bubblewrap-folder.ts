import { type FileHandle, open, statfs } from 'node:fs/promises'
import type { SandboxJob, SandboxResult } from '../core/ports.js'
import type { Watch } from './child.js'
import {
  contentsOf,
  copyPlain,
  cutWhen,
  diskBytes,
  empty,
  isMore,
  mostEntries,
  tooMuch,
  unlock,
  watchFolder,
} from './folder.js'

/** The workspace, as seen from inside. */
export const inside = '/workspace'
/** Where the files stand that a workspace in memory begins with. */
const given = '/given'

/** How the workspace gets into the sandbox, and out again. */
export interface Folder {
  readonly mounts: readonly string[]
  /** What is run inside, so that the program finds the workspace as it should be. */
  becoming(command: readonly string[]): readonly string[]
  readonly watch: Watch
  /** Whether the program waits until it is watched. */
  readonly waits: boolean
  /** After the program's end, whatever that was. */
  bringOut(result: SandboxResult): Promise<SandboxResult>
  /** Whether the workspace was there for the program. */
  isReady(): boolean
  close(): Promise<void>
}

/** The folder itself. What is written is looked at again and again, so a fast program gets a little too far. */
export async function sharedFolder({ workspace, limits }: SandboxJob): Promise<Folder> {
  return {
    mounts: ['--bind', workspace, inside],
    becoming: command => command,
    watch: watchFolder(workspace, limits, await contentsOf(workspace)),
    waits: false,
    bringOut: async result => result,
    isReady: () => true,
    close: async () => {},
  }
}

/**
 * A file system in memory with the workspace's files: nothing inside can write more than fits, not even into files that
 * it has removed again. `sh` fills it, says so, and becomes the program once somebody outside holds on to it, by way of
 * a process that lives in it. It then lasts until it is let go, whatever becomes of the program.
 */
export async function folderInMemory({ workspace, limits }: SandboxJob): Promise<Folder> {
  const before = await contentsOf(workspace)
  const most = { bytes: before.bytes + diskBytes(limits), entries: mostEntries }
  // Each file takes whole pages.
  const size = most.bytes + before.entries * 4096
  let handle: FileHandle | undefined
  const path = () => `/proc/self/fd/${handle?.fd}`
  return {
    mounts: ['--ro-bind', workspace, given, '--perms', '0700', '--size', String(size), '--tmpfs', inside],
    becoming: command => ['/bin/sh', '-c', fillThenBecome, 'sh', ...command],
    waits: true,
    async watch(report, cut) {
      const process = /"child-pid":\s*(\d+)/.exec(report)?.[1]
      handle = await open(`/proc/${process}/root${inside}`, 'r')
      // The size is the file system's to limit, the number of files is not.
      return cutWhen(async () => usedEntries(await statfs(path())) > mostEntries, cut, limits)
    },
    async bringOut(result) {
      await empty(workspace)
      // A file with holes, or one of many names, takes up little inside and much outside.
      if (await isLarger(path(), most)) return refused(result, tooMuch(limits))
      await copyPlain(path(), workspace)
      return result
    },
    isReady: () => handle !== undefined,
    close: async () => handle?.close(),
  }
}

/** Should the machine's memory run out, the kernel is to end this first. */
const fillThenBecome = `echo 1000 >/proc/self/oom_score_adj; cp -RPp ${given}/. . && echo ready >&4 && read -r go <&5 && exec "$@" 3>&- 4>&- 5<&-`

async function isLarger(folder: string, most: Parameters<typeof isMore>[1]): Promise<boolean> {
  try {
    await unlock(folder)
    return isMore(await contentsOf(folder, most), most)
  } catch (error) {
    // Folders in folders, deeper than a path can say.
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return true
    throw error
  }
}

function refused(result: SandboxResult, reason: string): SandboxResult {
  const stderr = [result.stderr, reason].filter(text => text !== '').join('\n')
  return { ...result, exitCode: result.exitCode === 0 ? 1 : result.exitCode, stderr }
}

function usedEntries({ files, ffree }: Awaited<ReturnType<typeof statfs>>): number {
  return Number(files) - Number(ffree)
}
