import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ServerContext } from './context.js'
import { guard } from './guard.js'
import type { Keys } from './keys.js'
import { tellNothingThere, tellProblem } from './problems.js'
import { Refusal } from './refusal.js'
import { attemptRoutes } from './routes/attempts.js'
import { compareRoutes } from './routes/compare.js'
import { detailRoutes } from './routes/details.js'
import { launchRoutes } from './routes/launch.js'
import { runRoutes } from './routes/runs.js'
import { sessionRoutes } from './routes/session.js'
import { skillRoutes } from './routes/skill.js'
import { sleepRoutes } from './routes/sleep.js'
import { staticRoutes, type WebFiles } from './static.js'

export interface AppOptions {
  readonly context: ServerContext
  readonly keys: Keys
  /** Accepted values of the Host header. */
  readonly hosts: ReadonlySet<string>
  readonly files: WebFiles
  /** The chosen folders, as the user wrote them. */
  readonly shownFolders: readonly string[]
  /** Called with errors that are bugs in the dashboard itself. */
  readonly unexpected: (error: unknown) => void
}

const largestBody = 1_000_000

export function createApp({ context, keys, hosts, files, shownFolders, unexpected }: AppOptions): Hono {
  const app = new Hono()
  app.onError(tellProblem(unexpected))
  app.notFound(tellNothingThere)
  app.use(guard(hosts, keys))
  app.use(bodyLimit({ maxSize: largestBody, onError: refuseLarge }))
  app.route('/api', sessionRoutes(keys, shownFolders))
  app.route('/api', runRoutes(context))
  app.route('/api', compareRoutes(context))
  app.route('/api', detailRoutes(context))
  app.route('/api', skillRoutes(context))
  app.route('/api', attemptRoutes(context))
  app.route('/api', sleepRoutes(context))
  app.route('/api', launchRoutes(context))
  app.route('/', staticRoutes(files))
  return app
}

function refuseLarge(): never {
  throw new Refusal(413, 'The request is larger than 1 MB.')
}
