import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'

const closeOnExec = 0o200_0000
/** A child's stdio array needs a slot for every number below the highest. */
const highestReplaced = 4096

let nothing: number | undefined

/**
 * Our open descriptors that a child would inherit, besides 0, 1 and 2. Node closes its own in a child, but
 * not those that our parent left open (`exec 40</etc` in a shell), which would let a sandboxed program reach
 * the file behind them.
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
    // The descriptor used for listing the folder is closed again.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** A child's stdio with `/dev/null` for every descriptor that it would inherit beyond the given ones. */
export function withoutInherited<T>(streams: readonly T[]): (T | 'ignore' | number)[] {
  const result: (T | 'ignore' | number)[] = [...streams]
  for (const descriptor of inheritedDescriptors()) {
    if (descriptor < streams.length) continue
    if (descriptor > highestReplaced) {
      // We did not open it, and there is no other way to keep it from a child.
      closeSync(descriptor)
      continue
    }
    while (result.length <= descriptor) result.push('ignore')
    nothing ??= openSync('/dev/null', 'r+')
    result[descriptor] = nothing
  }
  return result
}
