import { hash } from 'node:crypto'
import { mkdtemp, realpath } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { processSpace, startOf } from './process-identity.js'

export const ownPrefix = 'skillopt-agent'
const ownName = /^skillopt-agent-(\d+)-(\d+|unknown)-([0-9a-f]{8})-[A-Za-z0-9]{6}$/

/** Creates a folder for an attempt, named after our process, so that leftovers can be recognised. */
export async function makeOwnFolder(root: string = tmpdir()): Promise<string> {
  const start = (await startOf(process.pid)) ?? 'unknown'
  // Links are resolved, because agents' sandboxes compare real paths.
  return mkdtemp(join(await realpath(root), `${ownPrefix}-${process.pid}-${start}-${machine()}-`))
}

/**
 * The local process that a folder is named after. Undefined for folders of other machines or containers that
 * share the location, since their processes cannot be looked up here.
 */
export function ownerOf(
  name: string,
): { readonly pid: number; readonly start: string | undefined } | undefined {
  const [, pid, start, where] = ownName.exec(name) ?? []
  if (pid === undefined || where !== machine()) return undefined
  return { pid: Number(pid), start: start === 'unknown' ? undefined : start }
}

/** Hash of machine and container: containers may share a host name and a folder, but not process ids. */
function machine(): string {
  return hash('sha256', `${hostname()} ${processSpace().pidNamespace ?? ''}`).slice(0, 8)
}
