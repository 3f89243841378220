import { fileURLToPath } from 'node:url'
import { createApp } from './app.js'
import { chooseFolders } from './folders.js'
import { authorityOf, isLoopback, knownHosts, plainHost, reachableHost } from './hosts.js'
import { createKeys } from './keys.js'
import { answerWith, listen, stop } from './listen.js'
import { cannotListen } from './port-taken.js'
import { createRunLibrary } from './runs/library.js'
import { readWebFiles } from './static.js'
import { chooseToken, exposure } from './token.js'

export interface DashboardOptions {
  /** Folders whose runs are shown. If empty, the folder `runs` below `cwd` is shown. */
  readonly folders: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Default 127.0.0.1. A host that other machines can reach requires a token chosen by the user. */
  readonly host?: string | undefined
  /** Default 7860; 0 picks any free port. */
  readonly port?: number | undefined
  /** Overrides the token stored in the user's home. */
  readonly token?: string | undefined
  /** Generates and stores a new token. */
  readonly newToken?: boolean | undefined
  /** Folder of the built pages. */
  readonly webFolder?: string | undefined
  /** Closes the dashboard. */
  readonly signal?: AbortSignal | undefined
  /** Called with errors that are bugs in the dashboard; by default they are printed. */
  readonly onUnexpected?: ((error: unknown) => void) | undefined
}

export interface Dashboard {
  /** URL that includes the token: anyone who opens it can use the dashboard. */
  readonly url: string
  /** The URL without the token. */
  readonly address: string
  /** Security warning, present if other machines can reach the dashboard. */
  readonly warning?: string
  close(): Promise<void>
}

/** Starts the dashboard's server. Invalid options are rejected before it listens. */
export async function startDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { cwd } = options
  const host = plainHost(options.host ?? '127.0.0.1')
  const folders = await chooseFolders(options.folders, cwd)
  const files = await readWebFiles(options.webFolder ?? ownWebFolder())
  const token = await chooseToken({ ...options, host })

  const closing = new AbortController()
  // Trainings started from here must not inherit the dashboard token.
  const { SKILLOPT_VIEW_TOKEN: _token, ...env } = options.env
  const surroundings = { cwd, env, folders: folders.real, signal: closing.signal }
  const runs = createRunLibrary(surroundings)
  // Nothing is awaited after binding the port, so the first connection already finds a handler.
  const { server, port } = await bind(host, options.port ?? 7860).catch(async error => {
    await runs.close()
    throw error
  })
  const app = createApp({
    context: { ...surroundings, runs },
    keys: createKeys(token, port),
    hosts: knownHosts(host, port),
    files,
    shownFolders: folders.shown,
    unexpected: options.onUnexpected ?? (error => console.error(error)),
  })
  answerWith(server, app)

  let ended: Promise<void> | undefined
  const end = async () => {
    closing.abort()
    await stop(server)
    await runs.close()
  }
  const close = () => {
    ended ??= end()
    return ended
  }
  if (options.signal?.aborted) await close()
  options.signal?.addEventListener('abort', close, { once: true })

  const address = `http://${authorityOf(reachableHost(host), port)}/`
  return {
    address,
    url: `${address}?token=${encodeURIComponent(token)}`,
    ...(isLoopback(host) ? {} : { warning: exposure }),
    close,
  }
}

async function bind(host: string, port: number): ReturnType<typeof listen> {
  try {
    return await listen(host, port)
  } catch (error) {
    throw await cannotListen(error, host, port)
  }
}

/** The pages lie next to the server in the build. Code run from source uses the build's pages. */
function ownWebFolder(): string {
  const isSource = import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(isSource ? '../../../dist/web' : '../../web', import.meta.url))
}
