import { posix, win32 } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownPrefix } from '../../../system/own-folder.js'
import { asText } from './values.js'

/**
 * The folder that a session says it was at. Only a full path says anything: an empty or relative one would match whatever
 * folder somebody happens to be in.
 */
export function projectIn(value: unknown): string | undefined {
  const path = asText(value)
  if (path === undefined) return undefined
  if (path.startsWith('file:')) return projectIn(pathOfUrl(path))
  if (posix.isAbsolute(path)) return posix.resolve(path)
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path) ? win32.resolve(path) : undefined
}

function pathOfUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url)
  } catch {
    // An address of another machine, or none at all: it says no folder of this one.
    return undefined
  }
}

/** Whether a folder is, or lies in, one that was made for an attempt of ours. */
export function isOwn(project: string): boolean {
  return project.split(/[\\/]/).some(name => name.startsWith(`${ownPrefix}-`))
}
