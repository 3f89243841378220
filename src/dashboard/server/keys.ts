import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Secrets derived from the token, so that neither the cookie nor a page reveals the token itself. */
export interface Keys {
  /** Includes the port: cookies are shared across ports, and two dashboards may run on one machine. */
  readonly cookieName: string
  readonly cookie: string
  /** CSRF token; see `DashboardSession`. */
  readonly change: string
  isToken(text: string): boolean
  isCookie(text: string): boolean
  isChange(text: string): boolean
}

export function createKeys(token: string, port: number): Keys {
  const derived = (use: string) => createHmac('sha256', token).update(`${use} ${port}`).digest('base64url')
  const cookie = derived('cookie')
  const change = derived('change')
  return {
    cookieName: `skillopt-${port}`,
    cookie,
    change,
    isToken: text => isSame(text, token),
    isCookie: text => isSame(text, cookie),
    isChange: text => isSame(text, change),
  }
}

/** Constant-time comparison: timing reveals neither where two texts differ nor how long they are. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}
