import { Hono } from 'hono'
import type { DashboardAbout, DashboardSession } from '../../core/dashboard/session.js'
import { product } from '../../version.js'
import type { Keys } from '../keys.js'

export function sessionRoutes(keys: Keys, folders: readonly string[]): Hono {
  const about: DashboardAbout = { dashboard: 'skillopt' }
  const session: DashboardSession = { product, changeToken: keys.change, folders }
  return new Hono().get('/about', c => c.json(about)).get('/session', c => c.json(session))
}
