import type { Context, MiddlewareHandler } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { changeHeader } from '../contract/session.js'
import type { Keys } from './keys.js'
import { addressWithout, passagePage } from './pages.js'
import { Refusal } from './refusal.js'

/** This route needs no token, because it only reveals that a dashboard runs here. */
export const aboutPath = '/api/about'

export const isApi = (path: string): boolean => path === '/api' || path.startsWith('/api/')

const reads = new Set(['GET', 'HEAD'])

/**
 * Checks each request before any route sees it. A request must use a known host name, come from the
 * dashboard's own pages and carry the cookie. A change must also carry the CSRF token.
 */
export function guard(hosts: ReadonlySet<string>, keys: Keys): MiddlewareHandler {
  return async (c, next) => {
    checkHost(c, hosts)
    checkMethod(c)
    checkOrigin(c)
    checkSite(c)
    const token = isApi(c.req.path) ? undefined : c.req.query('token')
    if (token !== undefined) return enter(c, token, keys)
    if (c.req.path !== aboutPath && !hasCookie(c, keys)) return welcome(c)
    if (!reads.has(c.req.method)) checkChange(c, keys)
    await next()
  }
}

/** Checks the host in the header and in the URL, because a proxy-style request carries both. */
function checkHost(c: Context, hosts: ReadonlySet<string>): void {
  const given = [c.req.header('host') ?? '', new URL(c.req.url).host]
  if (given.every(host => hosts.has(host.toLowerCase()))) return
  throw new Refusal(
    403,
    'The dashboard does not answer to this address.',
    'Open the one that `skillopt view` printed. Through SSH, forward the same port: ssh -N -L 7860:127.0.0.1:7860 host',
  )
}

function checkMethod(c: Context): void {
  if (reads.has(c.req.method) || (c.req.method === 'POST' && isApi(c.req.path))) return
  throw new Refusal(405, `The dashboard does not take ${c.req.method} here.`)
}

/** The request's origin must be the dashboard's own scheme, host and port. */
function checkOrigin(c: Context): void {
  const origin = c.req.header('origin')
  if (origin === undefined || origin === `http://${c.req.header('host')}`) return
  throw new Refusal(403, 'Other sites may not use the dashboard.', ownPage)
}

/** Browsers count other ports of this machine as the same site, so `same-site` is not trusted. */
function checkSite(c: Context): void {
  const site = c.req.header('sec-fetch-site')
  if (site === undefined || site === 'same-origin' || site === 'none') return
  if (isVisit(c)) return
  throw new Refusal(403, 'Other sites may not use the dashboard.', ownPage)
}

const ownPage = 'Open the address that `skillopt view` printed.'

/**
 * Whether the browser is opening a page, for example by a link. The page itself contains no data; it loads
 * its data with its own requests.
 */
function isVisit(c: Context): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = c.req.header()
  return reads.has(c.req.method) && !isApi(c.req.path) && mode === 'navigate' && destination === 'document'
}

/** Moves the token from the URL into a cookie and redirects to the page without it. */
function enter(c: Context, token: string, keys: Keys): Response | Promise<Response> {
  if (!keys.isToken(token))
    throw new Refusal(401, 'The token in this address is not that of the dashboard.', wholeAddress)
  setCookie(c, keys.cookieName, keys.cookie, { path: '/', httpOnly: true, sameSite: 'Strict' })
  const page = addressWithout(c, 'token')
  return isFromElsewhere(c) ? passagePage(c, page) : c.redirect(page, 303)
}

function hasCookie(c: Context, keys: Keys): boolean {
  const cookie = getCookie(c, keys.cookieName)
  return cookie !== undefined && keys.isCookie(cookie)
}

/** A link from another site comes without the cookie. One of our pages then repeats the request. */
function welcome(c: Context): Response | Promise<Response> {
  if (isFromElsewhere(c)) return passagePage(c, addressWithout(c, 'token'))
  throw new Refusal(401, 'This browser has not shown the token of the dashboard.', wholeAddress)
}

const isFromElsewhere = (c: Context): boolean => c.req.header('sec-fetch-site') === 'cross-site'

const wholeAddress = 'Open the whole address that `skillopt view` printed, with the token in it.'

function checkChange(c: Context, keys: Keys): void {
  if (c.req.header('origin') === undefined)
    throw new Refusal(403, 'What changes something must say which page it comes from.', ownPage)
  if (!keys.isChange(c.req.header(changeHeader) ?? ''))
    throw new Refusal(
      403,
      'This page is of a dashboard that was started with another token.',
      'Reload the page.',
    )
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
    throw new Refusal(415, 'What changes something is sent as JSON.')
}
