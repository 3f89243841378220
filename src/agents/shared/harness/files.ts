import { cp, mkdir, stat, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { InputError, messageOf } from '../../../core/errors/errors.js'
import { userHome } from '../../../system/home.js'
import { readPlainFile } from '../../../system/plain-file.js'
import type { AgentDefinition, AgentFile, AgentJob, AgentUserFile } from './definition.js'
import type { AgentPlace } from './place.js'

/** A file of the user that was copied for the agent. */
interface CopiedFile extends AgentUserFile {
  readonly content: Buffer
}

/**
 * Copies the user's files that the agent needs and returns the copied login files. If the config names a key,
 * no login is copied: the agent might send it to another provider's server.
 */
export async function copyUserFiles(
  definition: AgentDefinition,
  { env, inherit, key }: Pick<AgentJob, 'env' | 'inherit' | 'key'>,
  place: AgentPlace,
): Promise<readonly CopiedFile[]> {
  const { login, setup } = definition.filesOf({ home: userHome(env), env }, place)
  if (inherit) {
    for (const { from, to } of setup) {
      // `force: false` keeps our own files, such as the skill, if the user has a skill of the same name.
      if (await exists(from)) await cp(from, to, { recursive: true, dereference: true, force: false })
    }
  }
  const lent: CopiedFile[] = []
  for (const file of key === undefined ? login : []) {
    if (!(await exists(file.from))) continue
    const content = await readPlainFile(file.from)
    await mkdir(dirname(file.to), { recursive: true })
    const part = file.only === undefined ? content : Buffer.from(file.only(content.toString('utf8')))
    lent.push({ ...file, content: part })
    // If the user's set-up was copied, this file is there already, and not just the part with the login.
    if (file.only === undefined || !(await exists(file.to))) await writeFile(file.to, part, { mode: 0o600 })
  }
  return lent
}

/**
 * Copies renewed tokens back to the user's files, because the old tokens are often invalid after a renewal. A
 * file that the user or another attempt has changed meanwhile is left as it is.
 */
export async function writeBackLogin(lent: readonly CopiedFile[]): Promise<void> {
  for (const { from, to, content, only } of lent) {
    // Only a part of the user's file was copied, so the copy must not replace the whole file.
    if (only !== undefined) continue
    const [now, own] = [await contentOf(to), await contentOf(from)]
    if (now === undefined || own === undefined || now.equals(content) || !own.equals(content)) continue
    await writeFileAtomic(from, now, { mode: 0o600 })
  }
}

/** Shorter values in a login file are names and dates, not tokens. */
const minTokenLength = 20

/** Secrets in the login files, before and after the agent ran. They are removed from all output. */
export async function loginTokens(lent: readonly CopiedFile[]): Promise<readonly string[]> {
  const texts = await Promise.all(
    lent.map(async ({ to, content, only = text => text }) => {
      const now = await contentOf(to)
      return [String(content), now === undefined ? '' : only(String(now))]
    }),
  )
  const words = texts.flat().flatMap(text => text.match(/[\w.~+/=-]+/g) ?? [])
  return [...new Set(words.filter(word => word.length >= minTokenLength))]
}

export async function writeFiles(files: readonly AgentFile[]): Promise<void> {
  for (const { path, content } of files) {
    await mkdir(dirname(path), { recursive: true })
    const isText = typeof content === 'string' || content instanceof Uint8Array
    await writeFile(path, isText ? content : JSON.stringify(await mergeOverUserFile(path, content), null, 2))
  }
}

/** Merges the content over the user's file, so that the user's other settings stay. */
async function mergeOverUserFile(path: string, content: Readonly<Record<string, unknown>>): Promise<unknown> {
  const own = await contentOf(path)
  return own === undefined ? content : merged(parseUserSettings(own, path), content)
}

function parseUserSettings(own: Buffer, path: string): unknown {
  try {
    return JSON.parse(own.toString('utf8'))
  } catch (error) {
    throw new InputError(`Your ${basename(path)} for the agent is not valid JSON: ${messageOf(error)}.`, {
      hint: 'Fix it (comments are not allowed), or run the agent without your set-up.',
    })
  }
}

function merged(below: unknown, above: unknown): unknown {
  if (!isPlainObject(below) || !isPlainObject(above)) return above
  const entries = Object.entries(above).map(([key, value]) => [key, merged(below[key], value)] as const)
  return { ...below, ...Object.fromEntries(entries) }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function exists(path: string): Promise<boolean> {
  return (await undefinedIfMissing(stat(path))) !== undefined
}

/** The content of the agent's report file, if the agent wrote one. */
export async function readReport(path: string): Promise<{ report?: string }> {
  const content = await contentOf(path)
  return content === undefined ? {} : { report: content.toString('utf8') }
}

function contentOf(path: string): Promise<Buffer | undefined> {
  return undefinedIfMissing(readPlainFile(path))
}

async function undefinedIfMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
