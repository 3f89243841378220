import { mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InputError, messageOf } from '../core/errors/errors.js'
import { canonicalJson, contentHash } from '../core/text/hash.js'
import { skilloptHome } from '../system/home.js'
import { shownPath } from '../system/shown-path.js'
import type { LoadedProject } from './load.js'
import { isWithin } from './outside-links.js'
import { type TrustItem, type TrustScope, trustItems } from './trust-items.js'

/** A question to the user. It is asked before any of the items is run, read or sent. */
export interface TrustRequest {
  /** The config file, links resolved. */
  readonly file: string
  readonly items: readonly TrustItem[]
  /** True if the user trusted the file before and its items have changed since. */
  readonly hasChanged: boolean
}

/** `as-is` trusts the file until its items change, `always` also after changes. */
export type TrustAnswer = 'as-is' | 'always' | 'no'

/** `true` trusts the file for one call only. A function is asked if the user has not trusted the file yet. */
export type Trust = true | ((request: TrustRequest) => Promise<TrustAnswer>)

type Surroundings = Parameters<typeof skilloptHome>[0]

/** The package's own examples need no trust: anyone who can change them can also change this file. */
const bundledExamples = fileURLToPath(new URL('../../examples', import.meta.url))

/** Throws `InputError` unless everything in the config file is harmless or trusted by the user. */
export async function requireTrust(
  project: LoadedProject,
  trust: Trust | undefined,
  scope: TrustScope,
): Promise<void> {
  if (trust === true) return
  const items = await trustItems(project, scope)
  if (items.length === 0) return
  const file = await realpath(project.file)
  if (await isTrustedPlace(file, project)) return
  const known = await readRecord(file, project)
  if (known?.trusted === 'any' || items.every(item => known?.trusted.includes(hashOf(item)))) return
  const request = { file, items, hasChanged: known !== undefined }
  if (trust === undefined) throw untrusted(request, project.cwd)
  const answer = await trust(request)
  if (answer === 'no') throw untrusted(request, project.cwd)
  // Training and Sleep ask about different parts of a file, so items trusted earlier stay trusted.
  const trusted = new Set([...(known?.trusted ?? []), ...items.map(hashOf)])
  await rememberTrust(file, answer === 'always' ? 'any' : [...trusted], project)
}

async function isTrustedPlace(file: string, surroundings: Surroundings): Promise<boolean> {
  const own = [bundledExamples, skilloptHome(surroundings)]
  for (const folder of own) {
    const real = await realpath(folder).catch(ifThere)
    if (real !== undefined && isWithin(real, file)) return true
  }
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if ((await readRecord(folder, surroundings))?.trusted === 'any') return true
    if (dirname(folder) === folder) return false
  }
}

const hashOf = (item: TrustItem): string => contentHash(canonicalJson(item))

export function untrusted({ file, items, hasChanged }: TrustRequest, cwd: string): InputError {
  const shown = shownPath(file, cwd)
  const folder = shownPath(dirname(file), cwd)
  // A config with an unusual name is not found by its folder, so its path is shown.
  const named = /^skillopt\.(?:ya?ml|json)$/.test(basename(file)) ? folder : `--config ${shown}`
  const state = hasChanged ? 'has changed since it was trusted' : 'is not trusted yet'
  return new InputError(
    `${shown} ${state}; nothing was run. It can do this on your machine:\n${items.map(item => `  ${itemText(item)}`).join('\n')}`,
    {
      hint: `Read this first. If you trust it, run \`skillopt trust${named === cwd ? '' : ` ${named}`}\`, or pass --trust in a script.`,
    },
  )
}

/** Formats an item on one line. Control characters in a value must not fake another line. */
export function itemText({ option, value, effect }: TrustItem): string {
  const line = /^[^\p{C}\p{Zl}\p{Zp}]*$/u.test(value) ? value : JSON.stringify(value)
  return `${option}: ${line.length > longestValue ? `${line.slice(0, longestValue)}…` : line} (${effect})`
}

const longestValue = 200

// ── Trust records: one file each, so that concurrent commands do not overwrite each other ──

interface TrustRecord {
  /** Path of a config file, or of a folder whose files are all covered. */
  readonly path: string
  /** Hashes of the trusted items. `any` also trusts every future change. */
  readonly trusted: 'any' | readonly string[]
}

const recordFile = (path: string, surroundings: Surroundings): string =>
  join(skilloptHome(surroundings), 'trust', `${contentHash(path)}.json`)

async function readRecord(path: string, surroundings: Surroundings): Promise<TrustRecord | undefined> {
  const file = recordFile(path, surroundings)
  const text = await readFile(file, 'utf8').catch(ifThere)
  if (text === undefined) return undefined
  try {
    const { path: recorded, trusted } = JSON.parse(text) as Partial<TrustRecord>
    if (recorded !== path || (trusted !== 'any' && !Array.isArray(trusted)))
      throw new Error('it belongs to another project')
    return { path, trusted }
  } catch (error) {
    throw new InputError(`Cannot read ${file}: ${messageOf(error)}.`, {
      hint: 'Remove the file; you are asked again whether you trust the project.',
      cause: error,
    })
  }
}

/** Stores a trust record. `path` is a config file, or a folder whose files are all covered. */
export async function rememberTrust(
  path: string,
  trusted: TrustRecord['trusted'],
  surroundings: Surroundings,
): Promise<void> {
  const file = recordFile(path, surroundings)
  const draft = `${file}.${process.pid}.partial`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const handle = await open(draft, 'w', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify({ path, trusted, at: new Date().toISOString() }, null, 2)}\n`)
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    throw new InputError(`Cannot save your decision in ${file}: ${messageOf(error)}.`, {
      hint: 'Make that folder writable, or set SKILLOPT_HOME to a writable one.',
      cause: error,
    })
  }
}

/** Removes a trust record. Returns true if there was one. */
export async function forgetTrust(path: string, surroundings: Surroundings): Promise<boolean> {
  const isKnown = (await readRecord(path, surroundings)) !== undefined
  await rm(recordFile(path, surroundings), { force: true })
  return isKnown
}

function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
