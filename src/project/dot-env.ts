import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { agentIds, loadAgent } from '../agents/registry/harnesses.js'
import { isReferenceKey } from '../compat/config/settings.js'
import type { Variables } from '../core/config/variables.js'
import { InputError } from '../core/errors/errors.js'
import { listProviders } from '../models/index.js'
import { reasonOf } from '../system/documents.js'
import { readPlainFile } from '../system/plain-file.js'
import { isWithin } from './outside-links.js'

export interface FolderVariables {
  /** The shell's variables, with the keys that `.env` files add. */
  readonly env: Variables
  /** The keys taken from `.env` files, each with its file. */
  readonly taken: readonly { readonly name: string; readonly file: string }[]
  /** One line for each `.env` file with variables that take effect only if the shell sets them. */
  readonly warnings: readonly string[]
}

/**
 * Adds API keys from the `.env` files of folders. The shell's variables take precedence, then the first
 * folder. A folder may come from anyone, so a `.env` file can only provide keys, and nothing that decides
 * code, hosts, gates or adoption. `named` lists the variables that the config names in `apiKeyEnv`.
 */
export async function withDotEnv(
  env: Variables,
  folders: readonly string[],
  named: readonly string[] = [],
): Promise<FolderVariables> {
  const files = await readAll(folders)
  if (files.length === 0) return { env, taken: [], warnings: [] }
  const known = await knownVariables()
  const own = new Set(named.filter(name => looksLikeKey.test(name)))
  const merged: Record<string, string | undefined> = { ...env }
  const isSet = (name: string) => (env[name] ?? '') !== ''
  const taken: { name: string; file: string }[] = []
  const warnings: string[] = []
  for (const { file, variables } of files) {
    const ignored: string[] = []
    for (const [name, value] of Object.entries(variables)) {
      const group = known.keys.get(name)
      // A provider may read its key from several variables. If the shell sets one of them, a key in a folder
      // must not replace it.
      if (group?.some(isSet) === true) continue
      const isKey = group !== undefined || own.has(name) || isReferenceKey(name)
      if (isKey && merged[name] === undefined) {
        merged[name] = value
        taken.push({ name, file })
      } else if (!isKey && !isSet(name) && known.isRead(name)) ignored.push(name)
    }
    if (ignored.length > 0) warnings.push(ignoredLine(file, ignored.sort()))
  }
  return { env: merged, taken, warnings }
}

/**
 * Warns if Sleep would use a project's key. Sleep sends the user's prompts to a model, and that key may
 * belong to another account.
 */
export function accountWarnings({ taken }: Pick<FolderVariables, 'taken'>, home: string): string[] {
  return taken
    .filter(({ file }) => !isWithin(home, file))
    .map(({ name, file }) => `${name} comes from ${file}: calls are charged to that key's account.`)
}

const looksLikeKey = /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD)\d*$/i

function ignoredLine(file: string, names: readonly string[]): string {
  const last = names.at(-1)
  const listed = names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
  return `${file}: ignored ${listed}. A .env file may only set API keys; set anything else in your shell or in the config.`
}

async function readAll(folders: readonly string[]) {
  const files = [...new Set(folders.map(folder => join(folder, '.env')))]
  const read = await Promise.all(files.map(async file => ({ file, variables: await readDotEnv(file) })))
  return read.flatMap(({ file, variables }) => (variables === undefined ? [] : [{ file, variables }]))
}

const mostDotEnvBytes = 1024 * 1024

async function readDotEnv(file: string): Promise<Record<string, string | undefined> | undefined> {
  try {
    const content = await readPlainFile(file, { mostBytes: mostDotEnvBytes })
    return { ...parseEnv(content.toString('utf8')) }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new InputError(`Cannot read ${file}: ${reasonOf(error)}.`, {
      hint: 'Set the keys in your shell instead.',
      cause: error,
    })
  }
}

/** Variables that Node, the network layer or telemetry reads, whichever provider is used. */
const machineVariables =
  /^(?:https?_proxy|no_proxy|all_proxy|ssl_cert_(?:file|dir)|node_.*|otel_.*|skillopt_.*|ld_.*|dyld_.*|aws_.*|azure_.*)$/i

/**
 * Lists the variables that are keys, each with the other variables of the same login, and all other variables
 * that are read from the shell.
 */
async function knownVariables() {
  const keys = new Map<string, readonly string[]>()
  const others = new Set<string>()
  for (const { keyVariables, endpointVariables, ...provider } of await listProviders()) {
    const login = [...keyVariables, ...(('loginVariables' in provider && provider.loginVariables) || [])]
    // All variables of a login must come from one place, because half of them from a file would make a
    // different login.
    for (const name of login) keys.set(name, keyVariables.includes(name) ? keyVariables : login)
    for (const name of endpointVariables) others.add(name)
  }
  for (const id of agentIds()) {
    const agent = await loadAgent(id)
    for (const name of agent?.variables ?? []) others.add(name)
    // Variables for headers do not count as keys, although they may contain one.
    for (const name of agent?.secrets ?? []) {
      if (!looksLikeKey.test(name)) others.add(name)
      else if (!keys.has(name)) keys.set(name, [name])
    }
  }
  return { keys, isRead: (name: string) => others.has(name) || machineVariables.test(name) }
}
