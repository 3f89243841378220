import { realpathSync } from 'node:fs'
import { systemCode } from '../../agents/shared/transcripts/files.js'
import { projectIn } from '../../agents/shared/transcripts/paths.js'
import { InputError } from '../../core/errors/errors.js'
import type { Scope } from './plan.js'

type IsWanted = (project: string | undefined) => boolean

/**
 * Returns a function that decides if a session's folder is in scope. Folders are compared by real path, with
 * links resolved and the file system's case. A deleted folder is compared as written. A session without a
 * folder is in scope only if all sessions are.
 */
export function createScope(scope: Scope, platform: NodeJS.Platform): IsWanted {
  if (scope.kind === 'all') return () => true
  const folders = scope.folders.map(folder => placeOf(fullPath(folder), platform))
  // Answers are cached, because thousands of sessions share a few folders.
  const known = new Map<string, boolean>()
  return project => {
    if (project === undefined) return false
    const answer = known.get(project) ?? folders.some(folder => isAt(placeOf(project, platform), folder))
    known.set(project, answer)
    return answer
  }
}

interface Place {
  readonly written: string
  /** Path with links resolved; undefined if the folder does not exist. */
  readonly real: string | undefined
}

function fullPath(folder: string): string {
  const path = projectIn(folder)
  if (path === undefined) {
    throw new InputError(`${JSON.stringify(folder)} is no full path of a folder`, {
      hint: 'write it from the root on, such as /home/me/project',
    })
  }
  return path
}

function placeOf(written: string, platform: NodeJS.Platform): Place {
  // A path of another operating system is not resolved, because it would count as relative to the current
  // folder.
  const isOfThisSystem = (platform === 'win32') === isWindowsPath(written)
  return { written, real: isOfThisSystem ? realPath(written) : undefined }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    // The folder was deleted or is not accessible.
    return undefined
  }
}

function isAt(session: Place, folder: Place): boolean {
  if (session.real !== undefined) return isBelow(session.real, folder.real ?? folder.written)
  return [folder.written, folder.real].some(path => path !== undefined && isBelow(session.written, path))
}

function isBelow(path: string, folder: string): boolean {
  const isWindows = isWindowsPath(folder)
  const [inner, outer] = isWindows ? [path.toLowerCase(), folder.toLowerCase()] : [path, folder]
  const separator = isWindows ? '\\' : '/'
  return inner === outer || inner.startsWith(outer.endsWith(separator) ? outer : `${outer}${separator}`)
}

function isWindowsPath(path: string): boolean {
  return !path.startsWith('/')
}
