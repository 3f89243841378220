import type { SandboxLimits, SandboxResult } from '../core/ports/sandbox.js'
import { createMemoryCgroup, findCgroupPlace, type MemoryCgroup } from './cgroup.js'
import { tooMuchMemory, watchMemory } from './memory.js'
import { openNamespace, type ProcessNamespace } from './namespace.js'

/**
 * The processes of one sandbox and their memory limit, from before the program starts until all have ended.
 */
export interface LimitedProcesses {
  /** Starts watching. Returns the pid of the sandbox's first process and a function that stops watching. */
  begin(report: string, bubblewrap: number, cut: (reason: string) => void): Promise<[number, () => void]>
  hasBegun(): boolean
  kill(): Promise<void>
  end(): Promise<void>
  /** Adds the reason to the result if the kernel killed the program for its memory use. */
  judged(result: SandboxResult): Promise<SandboxResult>
  close(): Promise<void>
}

export function createLimitedProcesses(
  limits: SandboxLimits,
  workspaceBytes: number,
  createGroup: (bytes: number) => Promise<MemoryCgroup | undefined> = groupOfMachine,
): LimitedProcesses {
  let space: ProcessNamespace | undefined
  let group: MemoryCgroup | undefined
  return {
    async begin(report, bubblewrap, cut) {
      space = await openNamespace(report, bubblewrap)
      group = await createGroup(limits.memoryMegabytes * 1024 * 1024 + workspaceBytes)
      if (await group?.add(await space.processes())) return [space.init, () => {}]
      await group?.remove()
      group = undefined
      return [space.init, watchMemory(space, cut, limits)]
    },
    hasBegun: () => space !== undefined,
    kill: async () => space?.kill(),
    end: async () => space?.end(),
    async judged(result) {
      if (group === undefined || !(await group.wasExceeded())) return result
      const stderr = [result.stderr, tooMuchMemory(limits)].filter(text => text !== '').join('\n')
      return { ...result, stderr }
    },
    close: async () => group?.remove(),
  }
}

async function groupOfMachine(bytes: number): Promise<MemoryCgroup | undefined> {
  return createMemoryCgroup(bytes, await findCgroupPlace())
}
