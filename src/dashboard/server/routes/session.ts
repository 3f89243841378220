import { Hono } from 'hono'
import { product } from '../../../system/version.js'
import type { DashboardAbout, DashboardSession } from '../../contract/session.js'
import type { Keys } from '../keys.js'

export function sessionRoutes(keys: Keys, folders: readonly string[]): Hono {
  const about: DashboardAbout = { dashboard: 'skillopt' }
  const session: DashboardSession = { product, changeToken: keys.change, folders }
  return new Hono().get('/about', c => c.json(about)).get('/session', c => c.json(session))
}
