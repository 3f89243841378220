import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'

/**
 * A pi extension that restricts pi's file tools, which otherwise accept any path on the machine, to the
 * folder in which pi was started. Skills may be read too. pi loads this file directly, so it may import only
 * Node modules.
 */
export default function fence(pi: PiEvents): void {
  pi.on('tool_call', ({ toolName, input }, { cwd }) => {
    if (!(reading.has(toolName) || writing.has(toolName))) return blocked(`${toolName} is not offered here.`)
    const given = input.path ?? '.'
    if (typeof given !== 'string') return blocked('The path must be a text.')
    const path = resolve(cwd, given.replace(/^@/, ''))
    const open = reading.has(toolName) ? [cwd, ...skillFolders()] : [cwd]
    if (given.startsWith('~') || !open.some(folder => isWithin(path, folder)))
      return blocked(`${given} is outside of ${cwd}: only files in that folder can be used.`)
    // The tool gets the path that was checked, so it does not matter how pi would parse the original text.
    input.path = path
    return undefined
  })
}

interface PiEvents {
  on(event: 'tool_call', handle: (call: PiToolCall, context: { readonly cwd: string }) => unknown): void
}

interface PiToolCall {
  readonly toolName: string
  readonly input: { path?: unknown }
}

const reading = new Set(['read', 'grep', 'find', 'ls'])
const writing = new Set(['edit', 'write'])

function skillFolders(): string[] {
  const own = process.env.PI_CODING_AGENT_DIR
  return [...(own === undefined ? [] : [join(own, 'skills')]), join(homedir(), '.agents', 'skills')]
}

function blocked(reason: string) {
  return { block: true, reason }
}

function isWithin(path: string, folder: string): boolean {
  const [real, root] = [realPath(path), realPath(folder)]
  return real === root || real.startsWith(root + sep)
}

/**
 * Resolves links. For a file that does not exist yet, the links of its nearest existing folder are resolved.
 */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error
    return join(realPath(parent), path.slice(parent.length))
  }
}
