import { chmod, lstat, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { WorldFailure } from '../../../core/errors/errors.js'
import type { Session } from '../../../core/ports/environment.js'
import type { AgentWork, ChangedFile } from '../../../core/task/agent-work.js'
import { readPlainFile } from '../../../system/plain-file.js'
import { createSessionTools } from './mcp.js'
import type { Changes } from './workspace.js'

/** For all changed files of an attempt together; more would bloat the log. */
const keptBytes = 16 * 1024 * 1024

/** The changes with their content, read from the folder; undefined if they are too large to keep. */
export async function keepChanges(
  folder: string,
  { removed, folders, files }: Changes,
): Promise<readonly ChangedFile[] | undefined> {
  const changed: ChangedFile[] = removed.map(path => ({ path: portable(path) }))
  for (const path of folders) changed.push({ path: `${portable(path)}/`, content: '' })
  let bytes = 0
  for (const path of files) {
    const { size, mode } = await lstat(join(folder, path))
    bytes += size
    if (bytes > keptBytes) return undefined
    const content = (await readPlainFile(join(folder, path))).toString('base64')
    changed.push({ path: portable(path), content, mode: mode & 0o777 })
  }
  return changed
}

const portable = (path: string) => path.split(sep).join('/')

/**
 * Brings a new session into the state in which the agent left its own, by repeating its tool calls and file
 * changes. The tools' output is already in the log.
 */
export async function replayWork(
  session: Session,
  { calls, files }: AgentWork,
  signal: AbortSignal,
): Promise<void> {
  let failure: unknown
  const onFailure = (error: unknown) => {
    failure ??= error
  }
  const tools = createSessionTools({ session, signal, onFailure })
  for (const [id, { tool, arguments: given }] of calls.entries()) {
    const params = { name: tool, arguments: JSON.parse(given) as unknown }
    await tools.handle({ jsonrpc: '2.0', id, method: 'tools/call', params })
    if (failure !== undefined) throw failure
  }
  if (files.length === 0) return
  if (session.workspace === undefined) {
    throw new WorldFailure(
      'harness',
      'The task has no folder any more in which an agent had changed files.',
      {
        retryable: false,
      },
    )
  }
  for (const file of files) await change(session.workspace, file)
}

async function change(folder: string, { path, content, mode }: ChangedFile): Promise<void> {
  const target = join(folder, ...path.split('/'))
  if (content === undefined) return rm(target, { recursive: true, force: true })
  if (path.endsWith('/')) {
    await mkdir(target, { recursive: true })
    return
  }
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, content, 'base64')
  if (mode !== undefined) await chmod(target, mode)
}
