import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser, look, type Served, serve } from './dashboard-support.js'
import { watchTexts } from './dashboard-watch.js'
import { filesOf, temporaryFolder, writeProject } from './support.js'

/**
 * The browser's protections in addition to the server's: foreign pages in the same browser while the
 * dashboard is open.
 */

let cwd: string
let served: Served
/** A foreign site. */
let others: Server
/** Without a trailing slash. */
let dashboard: string
let page: Awaited<ReturnType<typeof look>>

describeInBrowser('the dashboard in a browser with other pages', () => {
  beforeAll(async () => {
    cwd = await temporaryFolder()
    await writeProject(join(cwd, 'desk'))
    served = await serve(cwd, { HOME: join(cwd, 'home'), SKILLOPT_HOME: join(cwd, 'home', '.skillopt') })
    dashboard = new URL(served.url).origin
    others = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<!doctype html><title>Another site</title><h1>Another site</h1>')
    })
    await new Promise<void>(ready => others.listen(0, ready))
    page = await look(served.url)
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
  })
  afterAll(async () => {
    await served?.end()
    others?.closeAllConnections()
    others?.close()
  })

  const elsewhere = (name: string) => `http://${name}:${(others.address() as AddressInfo).port}`

  it('keeps its token out of the address, and its cookie from scripts and other sites', async () => {
    const token = new URL(served.url).searchParams.get('token') ?? ''
    expect(token).not.toBe('')
    expect(page.url()).toBe(`${dashboard}/`)
    expect(await page.context().cookies()).toEqual([
      expect.objectContaining({
        name: `skillopt-${new URL(dashboard).port}`,
        domain: '127.0.0.1',
        path: '/',
        httpOnly: true,
        sameSite: 'Strict',
        expires: -1,
        value: expect.not.stringContaining(token),
      }),
    ])
    const left = await page.evaluate<string>(
      'JSON.stringify([document.cookie, document.referrer, { ...localStorage }, { ...sessionStorage },' +
        ' document.documentElement.outerHTML, performance.getEntriesByType("resource").map(({ name }) => name)])',
    )
    expect(JSON.parse(left)[0]).toBe('')
    expect(left).not.toContain(token)
  })

  it('says on every page what a browser may do with it', async () => {
    const answer = await page.reload()
    expect(await answer?.allHeaders()).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'; require-trusted-types-for 'script'/,
      ),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    })
  })

  it('blocks injected elements by its content policy as well', async () => {
    const own = await page.context().newPage()
    await watchTexts(own)
    await own.goto(`${dashboard}/`)
    await own.evaluate(tamper, `${elsewhere('127.0.0.1')}/`)
    const stopped = () =>
      own.evaluate<string[]>('[...new Set(stopped.map(text => text.split(" ")[0]))].sort()')
    await expect
      .poll(stopped)
      .toEqual([
        'base-uri',
        'connect-src',
        'form-action',
        'frame-src',
        'img-src',
        'require-trusted-types-for',
        'style-src-elem',
      ])
    expect(await own.evaluate('ran')).toEqual([])
    await own.close()
  })

  it.each([
    // Same-site to a browser, which therefore sends the cookie.
    ['on another port', '127.0.0.1'],
    ['of another name', 'localhost'],
  ])('gives nothing to a page %s', async (_what, name) => {
    const before = await filesOf(join(cwd, 'desk'))
    const other = await page.context().newPage()
    await other.goto(elsewhere(name))
    // The dashboard's own page can access everything.
    expect(await page.evaluate(statusesOf, dashboard)).toEqual([200, 200, 200, 200])
    expect(await other.evaluate(tryAll, dashboard)).toEqual({
      read: 'refused',
      blind: 'refused',
      post: 'refused',
      change: 'refused',
      picture: 'refused',
      script: 'refused',
      style: 'refused',
      stream: 'refused',
    })

    await other.evaluate(frameIn, dashboard)
    const frame = other.frames().find(each => each !== other.mainFrame())
    expect(frame?.url()).toBe('chrome-error://chromewebdata/')

    await other.evaluate(submit, `${dashboard}/api/launch/start`)
    await other.waitForURL(`${dashboard}/api/launch/start`)
    expect(await bodyOf(other)).toContain('Other sites may not use the dashboard.')
    await other.close()
    expect(await filesOf(join(cwd, 'desk'))).toEqual(before)
  })

  it.each(['127.0.0.1', 'localhost'])(
    'opens for whoever follows a link on a page of %s, which does not get hold of it',
    async name => {
      const other = await page.context().newPage()
      await other.goto(elsewhere(name))
      const [opened] = await Promise.all([
        other.waitForEvent('popup'),
        other.evaluate(`void (globalThis.opened = open(${JSON.stringify(`${dashboard}/`)}))`),
      ])
      await opened.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
      expect(await opened.evaluate('opener')).toBeNull()
      await expect.poll(() => other.evaluate('opened.closed')).toBe(true)
      await other.close()
      await opened.close()
    },
  )

  it.each([
    ['no token', '/', 401, 'with the token in it'],
    ['a wrong token', '/?token=wrong', 401, 'The token in this address is not that of the dashboard.'],
    ['a name of somebody else’s', 'http://evil.localhost:PORT/', 403, 'does not answer to this address'],
  ])('refuses a browser with %s, and says what to do', async (_what, address, status, words) => {
    const context = await page.context().browser()?.newContext()
    const stranger = await context?.newPage()
    const url = new URL(address.replace('PORT', new URL(dashboard).port), dashboard)
    const answer = await stranger?.goto(url.href)
    expect(answer?.status()).toBe(status)
    const said = stranger === undefined ? '' : await bodyOf(stranger)
    expect(said).toContain(words)
    expect(said).toContain('skillopt view')
    expect(await context?.cookies()).toEqual([])
    await context?.close()
  })

  it.each(['/runs/..%2f..%2f..%2fetc%2fpasswd', '/runs/%2e%2e%2fhome', '/runs/x%00y', '/runs/%5c..%5cdesk'])(
    'knows no run at %s',
    async path => {
      await page.goto(`${dashboard}${path}`)
      await page
        .getByRole('alert')
        .getByText(/no (?:such )?run/i)
        .waitFor()
      expect(page.misdeeds).toEqual([])
    },
  )
})

const bodyOf = (one: Page) => one.evaluate<string>('document.body.innerText')

// ── In the pages ────────────────────────────────────────────────────────────

/** Everything a page can do with an address of another site, and the outcome. */
const tryAll = inPage(`async base => {
  const told = asked => asked.then(answer => answer.type + ' ' + answer.status, () => 'refused')
  const load = (name, given) => new Promise(done => {
    const element = Object.assign(document.createElement(name), given)
    element.onload = () => done('loaded')
    element.onerror = () => done('refused')
    document.body.append(element)
  })
  const start = base + '/api/launch/start'
  const post = { method: 'POST', body: '{}', credentials: 'include' }
  const json = { 'content-type': 'application/json', 'x-skillopt-change': 'guessed' }
  navigator.sendBeacon(start, '{}')
  return {
    read: await told(fetch(base + '/api/session', { credentials: 'include' })),
    blind: await told(fetch(base + '/api/runs', { mode: 'no-cors', credentials: 'include' })),
    post: await told(fetch(start, { ...post, mode: 'no-cors' })),
    change: await told(fetch(start, { ...post, headers: json })),
    picture: await load('img', { src: base + '/icon.svg' }),
    script: await load('script', { src: base + '/theme.js' }),
    style: await load('link', { rel: 'stylesheet', href: base + '/' }),
    stream: await new Promise(done => {
      const source = new EventSource(base + '/api/runs/live', { withCredentials: true })
      source.onopen = () => done('opened')
      source.onerror = () => done('refused')
    }),
  }
}`)

const statusesOf = inPage(`base => Promise.all(['/api/session', '/api/runs', '/icon.svg', '/theme.js']
  .map(async path => (await fetch(base + path)).status))`)

const frameIn = inPage(`base => new Promise(done => {
  const frame = Object.assign(document.createElement('iframe'), { src: base + '/', onload: done })
  document.body.append(frame)
}).then(() => undefined)`)

const submit = inPage(`action => {
  const form = Object.assign(document.createElement('form'), { action, method: 'POST', enctype: 'text/plain' })
  document.body.append(form)
  form.submit()
}`)

/** Simulates injected text that has passed every other defence. */
const tamper = inPage(`elsewhere => {
  const attempt = work => { try { work() } catch {} }
  const add = (name, given) => attempt(() => {
    const element = document.createElement(name)
    for (const [key, value] of Object.entries(given)) element.setAttribute(key, value)
    document.body.append(element)
    return element
  })
  attempt(() => { document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="ran.push(1)">') })
  add('base', { href: elsewhere })
  add('img', { src: elsewhere })
  add('iframe', { src: elsewhere })
  add('script', { src: elsewhere })
  add('link', { rel: 'stylesheet', href: elsewhere })
  add('p', { onclick: 'ran.push(2)' })
  attempt(() => document.querySelector('p[onclick]').click())
  fetch(elsewhere).catch(() => undefined)
  const form = document.createElement('form')
  form.setAttribute('action', elsewhere)
  document.body.append(form)
  form.submit()
}`)

/** Tests have no document, so code for the page is passed as a string. */
function inPage(source: string): (given: string) => Promise<unknown> {
  return new Function('given', `return (${source})(given)`) as (given: string) => Promise<unknown>
}
