import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { userHome } from '../../system/home.js'
import type { AgentDefinition, AgentFile, AgentJob, AgentUserFile } from './definition.js'
import type { AgentPlace } from './place.js'

/** A file of the user's that the agent has a copy of. */
interface Lent extends AgentUserFile {
  readonly content: Buffer
}

/** Copies what the agent needs of the user's own files. Gives back those by which it is logged in. */
export async function lendFiles(
  definition: AgentDefinition,
  { env, inherit }: Pick<AgentJob, 'env' | 'inherit'>,
  place: AgentPlace,
): Promise<readonly Lent[]> {
  const { login, setup } = definition.filesOf({ home: userHome(env), env }, place)
  if (inherit) {
    for (const { from, to } of setup) {
      if (await isThere(from)) await cp(from, to, { recursive: true, dereference: true })
    }
  }
  const lent: Lent[] = []
  for (const file of login) {
    if (!(await isThere(file.from))) continue
    const content = await readFile(file.from)
    await mkdir(dirname(file.to), { recursive: true })
    await writeFile(file.to, content, { mode: 0o600 })
    lent.push({ ...file, content })
  }
  return lent
}

/**
 * Tokens that the agent has renewed go back: often the old ones are worth nothing from then on. Where the user's own
 * file has changed meanwhile, by another attempt or by the user, that one stands.
 */
export async function returnLogin(lent: readonly Lent[]): Promise<void> {
  for (const { from, to, content } of lent) {
    const [now, own] = [await contentOf(to), await contentOf(from)]
    if (now === undefined || own === undefined || now.equals(content) || !own.equals(content)) continue
    await writeFileAtomic(from, now, { mode: 0o600 })
  }
}

export async function writeFiles(files: readonly AgentFile[]): Promise<void> {
  for (const { path, content } of files) {
    await mkdir(dirname(path), { recursive: true })
    const isText = typeof content === 'string' || content instanceof Uint8Array
    await writeFile(path, isText ? content : JSON.stringify(await overUsers(path, content), null, 2))
  }
}

/** What the user had set stays, where the harness says nothing else. */
async function overUsers(path: string, content: Readonly<Record<string, unknown>>): Promise<unknown> {
  const own = await contentOf(path)
  return own === undefined ? content : merged(JSON.parse(own.toString('utf8')), content)
}

function merged(below: unknown, above: unknown): unknown {
  if (!isPlainObject(below) || !isPlainObject(above)) return above
  const entries = Object.entries(above).map(([key, value]) => [key, merged(below[key], value)] as const)
  return { ...below, ...Object.fromEntries(entries) }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function isThere(path: string): Promise<boolean> {
  return (await unlessMissing(stat(path))) !== undefined
}

function contentOf(path: string): Promise<Buffer | undefined> {
  return unlessMissing(readFile(path))
}

async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
