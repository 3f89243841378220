import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'

const closeOnExec = 0o200_0000
/** Highest descriptor to replace, because a child's stdio array needs an entry for every lower number. */
const highestReplaced = 4096

let nothing: number | undefined

/**
 * Our open descriptors that a child would inherit, except 0, 1 and 2. Node closes its own in a child, but not
 * those that our parent process left open (`exec 40</etc` in a shell). A sandboxed program could reach files
 * through them.
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
    // This is the descriptor that was used to list the folder, and it is closed again.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Extends a child's stdio with `/dev/null` for every further descriptor that it would inherit. */
export function withoutInherited<T>(streams: readonly T[]): (T | 'ignore' | number)[] {
  const result: (T | 'ignore' | number)[] = [...streams]
  for (const descriptor of inheritedDescriptors()) {
    if (descriptor < streams.length) continue
    if (descriptor > highestReplaced) {
      // The number is too high to replace. The descriptor is not ours, so it is closed.
      closeSync(descriptor)
      continue
    }
    while (result.length <= descriptor) result.push('ignore')
    nothing ??= openSync('/dev/null', 'r+')
    result[descriptor] = nothing
  }
  return result
}
