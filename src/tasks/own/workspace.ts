import { copyFile, mkdir, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path'
import { InputError, messageOf } from '../../core/errors/errors.js'
import { bytes, count } from '../../core/text/format.js'
import { canonicalJson, contentHash } from '../../core/text/hash.js'
import { makeOwnFolder } from '../../system/own-folder.js'
import { readPlainFile } from '../../system/plain-file.js'
import { removeFolder } from '../../system/remove-folder.js'
import type { PlacedItem } from '../loading/data.js'
import { changed, isOutside } from '../loading/files.js'
import { isMissing } from '../loading/rows.js'
import { isFileName, textFiles, writeWorkspaceFile } from '../scoring/workspace.js'

/** Size limits of a workspace, of which every attempt gets a copy. */
export interface WorkspaceLimits {
  readonly bytes: number
  readonly files: number
}

const usualLimits: WorkspaceLimits = { bytes: 100_000_000, files: 10_000 }

/** The files that an agent works on: their texts, or a hash of a folder's contents. */
export type TaskWorkspace =
  | { readonly texts: Readonly<Record<string, string>> }
  | { readonly folderHash: string }

/** The workspaces of tasks. A folder is read once for its hash and copied for every attempt. */
export class TaskWorkspaces {
  readonly #baseDir: string
  readonly #limits: WorkspaceLimits
  readonly #hashOf = new Map<string, string>()
  readonly #folderOf = new Map<string, string>()

  constructor(baseDir: string, limits: WorkspaceLimits = usualLimits) {
    this.#baseDir = baseDir
    this.#limits = limits
  }

  /** The workspace of an item. Throws an `InputError` that names the item and the problem. */
  async find(item: PlacedItem, field: string, id: string): Promise<TaskWorkspace> {
    const value = item.fields[field]
    const refuse: Refuse = (problem, hint) => {
      throw new InputError(`${item.at} (task ${id}): ${problem}.`, { hint })
    }
    if (typeof value === 'string' && value.trim() !== '')
      return { folderHash: await this.#knowFolder(value, item, refuse) }
    const texts = textFiles.safeParse(value)
    if (texts.success) return { texts: checkedTexts(texts.data, field, { limits: this.#limits, refuse }) }
    return refuse(
      value === undefined || value === null || value === ''
        ? `there are no files to work on in "${field}"`
        : `"${field}" holds neither the path of a folder nor an object of names and texts`,
      'Write the path of a folder, or an object such as {"notes.md": "…"}; {} is an empty folder.',
    )
  }

  /** Creates a copy for one attempt. Throws if the files have changed since the tasks were read. */
  async open(workspace: TaskWorkspace): Promise<string> {
    const folder = await makeOwnFolder()
    try {
      if ('texts' in workspace) {
        for (const [name, text] of Object.entries(workspace.texts))
          await writeWorkspaceFile(folder, name, text)
      } else await this.#copyFolder(workspace.folderHash, folder)
      return folder
    } catch (error) {
      await removeFolder(folder)
      throw error
    }
  }

  async #knowFolder(path: string, item: PlacedItem, refuse: Refuse): Promise<string> {
    const place = `Paths start in ${item.folder}.`
    const roots = [this.#baseDir, item.root]
    const given = resolve(item.folder, path)
    if (isAbsolute(path) || roots.every(root => isOutside(root, given)))
      refuse(
        `the folder ${path} lies outside of ${this.#baseDir}`,
        `${place} Move it into the folder of the config.`,
      )
    const found = await realpath(given).catch((error: unknown) =>
      refuse(
        `the folder ${path} ${isMissing(error) ? 'does not exist' : `cannot be read: ${messageOf(error)}`}`,
        place,
      ),
    )
    const realRoots = await Promise.all(roots.map(root => realpath(root)))
    if (realRoots.every(root => isOutside(root, found)))
      refuse(`the folder ${path} is a link to a place outside of ${this.#baseDir}`, 'Copy it instead.')
    const known = this.#hashOf.get(found)
    if (known !== undefined) return known
    if (!(await stat(found)).isDirectory())
      refuse(`${path} is not a folder`, 'Name the folder that the agent works in, not a file of it.')
    const inFolder: Refuse = (problem, hint) => refuse(`in the folder ${path}, ${problem}`, hint)
    const names = await filesBelow(found, inFolder)
    if (names.length === 0)
      refuse(
        `the folder ${path} has no files`,
        'For an agent that begins with nothing, write {} instead of a path.',
      )
    const sizes = await Promise.all(names.map(async name => (await stat(join(found, name))).size))
    const size = sizes.reduce((sum, each) => sum + each, 0)
    checkSize({ bytes: size, files: names.length }, `the folder ${path}`, { limits: this.#limits, refuse })
    const hash = await hashOf(found, names)
    this.#hashOf.set(found, hash)
    this.#folderOf.set(hash, found)
    return hash
  }

  async #copyFolder(hash: string, target: string): Promise<void> {
    const source = this.#folderOf.get(hash)
    if (source === undefined) throw new Error(`No folder was read with the content ${hash}.`)
    const what = `The folder ${source}`
    const hasChanged = (error?: unknown) => changed(what, error)
    const names = await filesBelow(source, problem => hasChanged(problem)).catch(hasChanged)
    for (const name of names) {
      await mkdir(dirname(join(target, name)), { recursive: true })
      await copyFile(join(source, name), join(target, name)).catch(hasChanged)
    }
    // The copy is hashed rather than the original, because the attempt gets the copy.
    if ((await hashOf(target, names)) !== hash) hasChanged()
  }
}

type Refuse = (problem: string, hint: string) => never

function checkedTexts(
  texts: Readonly<Record<string, string>>,
  field: string,
  { limits, refuse }: { readonly limits: WorkspaceLimits; readonly refuse: Refuse },
): Readonly<Record<string, string>> {
  const names = Object.keys(texts)
  const plain = names.map(name => normalize(name))
  const outside = names.find(name => !isFileName(name))
  if (outside !== undefined)
    refuse(
      `"${outside}" in "${field}" is not the name of a file below the agent's folder`,
      'Write names such as "notes.md" or "src/main.py".',
    )
  const twice = plain.find((name, index) => plain.indexOf(name) !== index)
  if (twice !== undefined) refuse(`"${field}" has the file ${twice} twice`, 'Leave one of them out.')
  const both = plain.find(name => plain.some(other => other.startsWith(name + sep)))
  if (both !== undefined)
    refuse(`in "${field}", ${both} is a file and a folder at once`, 'Give one of them another name.')
  const size = Object.values(texts).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  checkSize({ bytes: size, files: names.length }, `the content of "${field}"`, { limits, refuse })
  return texts
}

function checkSize(
  size: WorkspaceLimits,
  what: string,
  { limits, refuse }: { readonly limits: WorkspaceLimits; readonly refuse: Refuse },
): void {
  if (size.bytes <= limits.bytes && size.files <= limits.files) return
  refuse(
    `${what} is too large: ${bytes(size.bytes)} in ${count(size.files)} files; the limit is ${bytes(limits.bytes)} in ${count(limits.files)} files`,
    'Each attempt gets a copy: remove files that the task does not need.',
  )
}

/**
 * Names of all files below a folder, sorted. A link to one of these files is copied as a file. Other links
 * are rejected, because an agent could read or write outside the folder through them.
 */
async function filesBelow(folder: string, refuse: Refuse): Promise<readonly string[]> {
  const names: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue
    const name = relative(folder, join(entry.parentPath, entry.name))
    if (entry.isSymbolicLink()) await checkLink(folder, name, refuse)
    else if (!entry.isFile()) refuse(`${name} is neither a file nor a folder`, 'Take it out.')
    names.push(name)
  }
  return names.sort()
}

async function checkLink(folder: string, name: string, refuse: Refuse): Promise<void> {
  const hint = 'Put the file itself there.'
  const leadsTo = await realpath(join(folder, name)).catch((error: unknown) =>
    refuse(`${name} is a broken link: ${messageOf(error)}`, hint),
  )
  if (isOutside(folder, leadsTo)) refuse(`${name} is a link to a file outside`, hint)
  if (!(await stat(leadsTo)).isFile()) refuse(`${name} is a link to a folder`, hint)
}

/** Hashes relative names and contents, so that moving the folder changes nothing. */
async function hashOf(folder: string, names: readonly string[]): Promise<string> {
  const files: [string, string][] = []
  for (const name of names)
    files.push([name.replaceAll(sep, '/'), contentHash(await readPlainFile(join(folder, name)))])
  return contentHash(canonicalJson(files))
}
