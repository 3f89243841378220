import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { HarvestQuery } from '../../../core/transcript/transcript.js'

/** The kind of a file, derived from its name alone. */
export type FileKind = 'session' | 'database' | 'sub-agent' | 'older-form'

export interface SessionFile {
  readonly path: string
  /** Time of the last write, in milliseconds since 1970. */
  readonly changedAt: number
  readonly bytes: number
}

/** No agent nests its sessions deeper; this also ends the walk in a folder that links to itself. */
const maxDepth = 12

const details = {
  'sub-agent': 'by its name, it is a sub-agent’s',
  'older-form': 'it is in an older form, which is not read',
}

/** Classifies files and folders by their path relative to the source's folder, with slashes as separators. */
interface FileClassifier {
  kindOf(path: string): FileKind | undefined
  enters?(folder: string): boolean
}

/**
 * The session files below these folders, newest first. A file last written before the requested time cannot
 * contain newer sessions and is not opened.
 */
export async function findSessions(
  source: string,
  places: readonly string[],
  { naming, query }: { naming: FileClassifier; query: HarvestQuery },
): Promise<readonly SessionFile[]> {
  const found: SessionFile[] = []
  for (const place of places) {
    const below = (path: string) => relative(place, path).split(sep).join('/')
    const enters = (folder: string) => naming.enters?.(below(folder)) ?? true
    for await (const path of filesBelow(source, place, { enters, query, depth: 0 })) {
      // A file that the user names directly is always read, as a session or a database.
      const kind = path === place ? 'database' : naming.kindOf(below(path))
      if (kind === undefined) continue
      if (kind === 'session') found.push({ path, ...(await stateOf(path)) })
      else if (kind === 'database') found.push({ path, ...(await stateOfDatabase(path)) })
      else {
        const reason = kind === 'sub-agent' ? kind : 'unreadable'
        query.skip({ source, file: path, reason, count: 1, detail: details[kind] })
      }
    }
  }
  const recent = found.filter(file => isRecent(source, file, query))
  return recent.sort((a, b) => b.changedAt - a.changedAt || (a.path < b.path ? -1 : 1))
}

/** A file whose stat fails is still listed; opening it reports the error. */
async function stateOf(path: string): Promise<Pick<SessionFile, 'changedAt' | 'bytes'>> {
  try {
    const { mtimeMs, size } = await stat(path)
    return { changedAt: mtimeMs, bytes: size }
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return { changedAt: Number.POSITIVE_INFINITY, bytes: 0 }
  }
}

/** State of a database, including its write-ahead log, which may hold the latest writes. */
async function stateOfDatabase(path: string): Promise<Pick<SessionFile, 'changedAt' | 'bytes'>> {
  const [own, log] = await Promise.all([stateOf(path), stateOf(`${path}-wal`)])
  if (log.changedAt === Number.POSITIVE_INFINITY) return own
  return { changedAt: Math.max(own.changedAt, log.changedAt), bytes: own.bytes + log.bytes }
}

function isRecent(source: string, { path, changedAt }: SessionFile, { after, skip }: HarvestQuery): boolean {
  if (after === undefined || changedAt > after) return true
  skip({ source, file: path, reason: 'too-old', count: 1, detail: 'it was not written to since' })
  return false
}

async function* filesBelow(
  source: string,
  path: string,
  { enters, query, depth }: { enters: (folder: string) => boolean; query: HarvestQuery; depth: number },
): AsyncGenerator<string> {
  query.signal.throwIfAborted()
  const entries = await entriesOf(source, path, query)
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = entry.name === '' ? path : join(path, entry.name)
    if (entry.isFile()) yield inner
    else if (entry.isDirectory() && depth < maxDepth && enters(inner))
      yield* filesBelow(source, inner, { enters, query, depth: depth + 1 })
  }
}

interface Named extends Pick<Dirent, 'isFile' | 'isDirectory'> {
  readonly name: string
}

/**
 * The entries of a folder, or the file itself if the path is a file. A missing folder has no entries, because
 * not every agent is installed.
 */
async function entriesOf(source: string, path: string, { skip }: HarvestQuery): Promise<Named[]> {
  try {
    return await readdir(path, { withFileTypes: true })
  } catch (error) {
    const code = systemCode(error)
    if (code === undefined) throw error
    if (code === 'ENOENT') return []
    if (code === 'ENOTDIR') return [{ name: '', isFile: () => true, isDirectory: () => false }]
    skip({
      source,
      file: path,
      reason: 'unreadable',
      count: 1,
      detail: `the folder cannot be read (${code})`,
    })
    return []
  }
}

/** The code of a system error; undefined for our own errors. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined
  return String(error.code)
}
