import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** What is derived from the token, so that neither the cookie nor a page gives the token itself away. */
export interface Keys {
  /** With the port in its name: cookies do not know ports, and two dashboards may run on one machine. */
  readonly cookieName: string
  readonly cookie: string
  /** Goes with every change; see `DashboardSession`. */
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

/** How long it takes says nothing about where two texts differ, nor about how long they are. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}
