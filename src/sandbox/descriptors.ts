import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'

const closeOnExec = 0o200_0000
/** The array of a child's streams has a place for every number below the highest. */
const highestReplaced = 4096

let nothing: number | undefined

/**
 * Which of our open files a child would inherit, besides 0, 1 and 2. All that Node opens is closed in a child; what our own
 * parent left open (`exec 40</etc` in a shell) is not, and would let a program in the sandbox reach the file behind it.
 */
export function inheritedDescriptors(): number[] {
  if (process.platform !== 'linux') return []
  const open = readdirSync('/proc/self/fd').map(Number)
  return open.filter(descriptor => descriptor > 2 && isInherited(descriptor))
}

function isInherited(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')
    const flags = Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? '0', 8)
    return (flags & closeOnExec) === 0
  } catch (error) {
    // The one by which the folder was listed is closed again.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** A child's streams with `/dev/null` in place of every open file that it would inherit beyond those named. */
export function withoutInherited<T>(streams: readonly T[]): (T | 'ignore' | number)[] {
  const result: (T | 'ignore' | number)[] = [...streams]
  for (const descriptor of inheritedDescriptors()) {
    if (descriptor < streams.length) continue
    if (descriptor > highestReplaced) {
      // Nothing of ours has opened it, and a child can be kept from it in no other way.
      closeSync(descriptor)
      continue
    }
    while (result.length <= descriptor) result.push('ignore')
    nothing ??= openSync('/dev/null', 'r+')
    result[descriptor] = nothing
  }
  return result
}
