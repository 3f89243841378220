import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Secrets derived from the token, so that neither the cookie nor a page contains the token itself. */
export interface Keys {
  /**
   * Name of the cookie. It includes the port, because cookies are shared across ports and one machine may run
   * two dashboards.
   */
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

/** Compares two texts in constant time, so that timing reveals neither their length nor where they differ. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}
