import { hash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import { readRegion, writeRegion } from '../model/managed-region.js'
import { isInside, type ProposalTarget } from '../model/proposal.js'
import { type Disk, FileTooLarge, nodeDisk } from './disk.js'
import { inWords } from './words.js'

/** Size limit of a target. A model reads a skill in full, so no real skill comes near this size. */
export const mostBytes = 1_000_000

/** Current state of a file that a proposal targets. */
export interface LiveFile {
  readonly path: string
  readonly realPath: string
  readonly link: boolean
  /** The file's content; undefined if the file does not exist. */
  readonly content: LiveContent | undefined
}

export interface LiveContent {
  readonly bytes: Buffer
  readonly text: string
  readonly mode: number
}

/** The path no longer holds a text file that can be replaced safely. */
export class Unsafe extends InputError {}

export function sha256(content: Buffer | string): string {
  return hash('sha256', content)
}

/** Reads a target. Throws if it could not be replaced safely. */
export async function readLive(
  path: string,
  roots: readonly string[],
  disk: Disk = nodeDisk,
): Promise<LiveFile> {
  try {
    return await readFileAt(path, roots, disk)
  } catch (error) {
    throw inWords(error, `${path} cannot be read`)
  }
}

async function readFileAt(path: string, roots: readonly string[], disk: Disk): Promise<LiveFile> {
  const entry = await disk.entry(path)
  const realPath = await realPathOf(path, disk)
  if (!roots.some(root => isInside(root, realPath))) {
    throw new Unsafe(`${path} leads to ${realPath}, outside of the folders that Sleep may write to.`, {
      hint: 'Nothing was changed. Name the folder that holds it as a root if it is yours.',
    })
  }
  const link = entry?.kind === 'link'
  if (link && (await disk.realPath(path)) === undefined) {
    throw refused(path, 'is a broken link', 'Remove it, or make the file that it leads to.')
  }
  const real = link ? await disk.entry(realPath) : entry
  if (real === undefined) return { path, realPath, link, content: undefined }
  if (real.kind === 'folder') throw refused(path, 'is a folder, not a file', 'Move the folder away.')
  if (real.kind !== 'file') throw refused(path, 'is not a file', 'Move it away.')
  if (real.names > 1) {
    throw refused(
      path,
      'has a second name (a hard link), which replacing it would cut off',
      'Make a copy of its own.',
    )
  }
  if ((real.mode & 0o200) === 0) throw refused(path, 'is read-only', `Make it writable (chmod u+w ${path}).`)
  const user = process.getuid?.()
  if (user !== undefined && real.owner !== user) {
    throw refused(path, 'belongs to another user', 'Let its owner adopt the proposal.')
  }
  const bytes = await readWhole(realPath, disk)
  return { path, realPath, link, content: { bytes, text: decode(bytes, path), mode: real.mode } }
}

async function readWhole(path: string, disk: Disk): Promise<Buffer> {
  try {
    const bytes = await disk.read(path, mostBytes)
    if (bytes !== undefined) return bytes
  } catch (error) {
    if (error instanceof FileTooLarge)
      throw refused(path, 'has more than 1 MB', 'Shorten it: a model reads it whole.')
    throw error
  }
  throw refused(path, 'was removed just now', 'Run the same command again.')
}

/** Resolves the links of a path. If the file is missing, the nearest existing parent folder is resolved. */
export async function realPathOf(path: string, disk: Disk = nodeDisk): Promise<string> {
  const real = await disk.realPath(path)
  if (real !== undefined) return real
  const folder = dirname(path)
  return folder === path ? path : join(await realPathOf(folder, disk), basename(path))
}

/** Decodes UTF-8 text. A byte order mark is kept, so that encoding the text again gives the same bytes. */
export function decode(bytes: Buffer, shownAs: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Unsafe(`${shownAs} is not UTF-8 text.`, {
      hint: 'Nothing was changed. Save the file as UTF-8.',
      cause,
    })
  }
}

/**
 * Returns the region's text; undefined if there is no region. Throws if the region's markers are ambiguous.
 */
export function regionOf(text: string, shownAs: string): string | undefined {
  const region = readRegion(text)
  if (region.state === 'broken') {
    throw new InputError(`${shownAs}, ${region.problem}.`, {
      hint: 'Nothing was changed. Correct the markers: one START and one END, each on a line of its own.',
    })
  }
  return region.state === 'found' ? region.text : undefined
}

/** Returns the document with this region. Throws if it cannot be written into the document. */
export function withRegion(document: string, region: string, shownAs: string): string {
  const written = writeRegion(document, region)
  if (written.state === 'written') return written.document
  throw new InputError(`${shownAs}, ${written.problem}.`, { hint: 'Nothing was changed.' })
}

/** Describes a file at the start of the night, for the proposal. */
export function describeTarget(
  name: string,
  { path, realPath, link, content }: LiveFile,
): Pick<ProposalTarget, 'name' | 'path' | 'realPath' | 'link' | 'before' | 'regionBefore' | 'mode'> {
  if (content === undefined)
    return { name, path, realPath, link, before: null, regionBefore: null, mode: null }
  const region = regionOf(content.text, path)
  return {
    name,
    path,
    realPath,
    link,
    mode: content.mode,
    before: sha256(content.bytes),
    regionBefore: region === undefined ? null : sha256(region),
  }
}

function refused(path: string, problem: string, todo: string): InputError {
  return new Unsafe(`${path} ${problem}.`, { hint: `Nothing was changed. ${todo}` })
}
