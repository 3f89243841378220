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
  /** Whose runs are shown; `runs` below `cwd` if none is named. */
  readonly folders: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** 127.0.0.1 if not given. One that other machines can reach demands a token that the user chose. */
  readonly host?: string | undefined
  /** 7860 if not given; 0 takes any that is free. */
  readonly port?: number | undefined
  /** In place of the one that is kept in the user's home. */
  readonly token?: string | undefined
  /** Makes another one, to be kept. */
  readonly newToken?: boolean | undefined
  /** The built pages. */
  readonly webFolder?: string | undefined
  /** Closes the dashboard. */
  readonly signal?: AbortSignal | undefined
  /** Told of what is a mistake of ours; printed if not given. */
  readonly onUnexpected?: ((error: unknown) => void) | undefined
}

export interface Dashboard {
  /** With the token: whoever opens it may use the dashboard. */
  readonly url: string
  /** Without it. */
  readonly address: string
  /** What it means where other machines can reach it. */
  readonly warning?: string
  close(): Promise<void>
}

/** Refuses what cannot be used before it listens. */
export async function startDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { cwd } = options
  const host = plainHost(options.host ?? '127.0.0.1')
  const folders = await chooseFolders(options.folders, cwd)
  const files = await readWebFiles(options.webFolder ?? ownWebFolder())
  const token = await chooseToken({ ...options, host })

  const closing = new AbortController()
  // Trainings that are started from here have no use for the way into the dashboard.
  const { SKILLOPT_VIEW_TOKEN: _token, ...env } = options.env
  const surroundings = { cwd, env, folders: folders.real, signal: closing.signal }
  const runs = createRunLibrary(surroundings)
  // The last thing to wait for: whoever connects finds somebody who answers.
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

/** Beside the server in the build; run from the sources, as in tests, it is the build's all the same. */
function ownWebFolder(): string {
  const isSource = import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(isSource ? '../../../dist/web' : '../../web', import.meta.url))
}
