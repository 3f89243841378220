import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDashboardWorld, openPage, pageText, send, sendRaw } from '../../../test/support/dashboard.js'
import type { Dashboard } from './index.js'

let world: Awaited<ReturnType<typeof makeDashboardWorld>>
let dashboard: Dashboard
let page: Awaited<ReturnType<typeof openPage>>
beforeAll(async () => {
  world = await makeDashboardWorld()
  dashboard = await world.start()
  page = await openPage(dashboard)
})
afterAll(() => world.end())

const token = () => new URL(dashboard.url).searchParams.get('token') ?? ''
const authority = () => new URL(dashboard.address).host
const port = () => new URL(dashboard.address).port

describe('the token', () => {
  it('is 256 bits, in the printed address only', () => {
    expect(token()).toMatch(/^[\w-]{43}$/)
    expect(dashboard.address).toBe(`http://127.0.0.1:${port()}/`)
  })

  it('moves from the URL into a cookie that scripts and other sites cannot read', async () => {
    const { status, headers } = await send(dashboard, { path: `/?token=${token()}` })
    expect({ status, location: headers.location }).toEqual({ status: 303, location: '/' })
    expect(String(headers['set-cookie'])).toMatch(
      new RegExp(`^skillopt-${port()}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    )
    expect(String(headers['set-cookie'])).not.toContain(token())
  })

  it.each([
    ['/runs/abc?sort=cost&token=TOKEN&dir=up', '/runs/abc?sort=cost&dir=up'],
    ['//evil.example/?token=TOKEN', '/evil.example/'],
    ['/runs/%2e%2e/x?token=TOKEN&token=again', '/x'],
    ['/a%0d%0aset-cookie:%20b=c?token=TOKEN', '/a%0d%0aset-cookie:%20b=c'],
  ])('of %s leads to the same page without it', async (path, location) => {
    const answer = await send(dashboard, { path: path.replace('TOKEN', token()) })
    expect({ status: answer.status, location: answer.headers.location }).toEqual({ status: 303, location })
    expect(String(answer.headers['set-cookie'])).toContain(`skillopt-${port()}=`)
  })

  it.each([
    ['none', '/', {}],
    ['an empty one', '/?token=', {}],
    ['a wrong one', `/?token=${'x'.repeat(43)}`, {}],
    ['one in an address of the API', '/api/runs?token=TOKEN', {}],
    ['one in a header', '/api/runs', { authorization: 'Bearer TOKEN' }],
    ['the token as the cookie', '/api/runs', { cookie: 'COOKIE=TOKEN' }],
    ['a wrong cookie', '/api/runs', { cookie: 'COOKIE=abc' }],
    ['an empty cookie', '/api/runs', { cookie: 'COOKIE=' }],
    ['the cookie under the name of another port', '/api/runs', { cookie: 'skillopt-1=VALUE' }],
    ['no file either', '/assets/app-Xy12.js', {}],
    ['a page that is not there', '/no/such/page', {}],
    ['an API that is not there', '/api/nothing', {}],
  ])('is demanded: %s is refused', async (_name, path, headers) => {
    const value = page.cookie.split('=')[1] ?? ''
    const filled = (text: string) =>
      text.replace('TOKEN', token()).replace('COOKIE', `skillopt-${port()}`).replace('VALUE', value)
    const given = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, filled(text)]))
    const answer = await send(dashboard, { path: filled(path), headers: given })
    expect(answer.status).toBe(401)
    expect(answer.body).toContain('skillopt view')
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(answer.body).not.toContain('<script')
  })

  it('admits requests with the cookie', async () => {
    expect((await page.get('/')).body).toBe(pageText)
    expect(JSON.parse((await page.get('/api/session')).body)).toEqual({
      product: expect.stringMatching(/^skillopt \d/),
      changeToken: expect.stringMatching(/^[\w-]{43}$/),
      folders: ['runs'],
    })
  })

  it('is not needed to learn that a dashboard runs here, and nothing else', async () => {
    const { status, body } = await send(dashboard, { path: '/api/about' })
    expect({ status, body }).toEqual({ status: 200, body: '{"dashboard":"skillopt"}' })
  })
})

describe('the host', () => {
  it.each(['127.0.0.1:PORT', 'localhost:PORT', 'LOCALHOST:PORT', '[::1]:PORT'])('may be %s', async host => {
    const { status } = await page.get('/api/session', { host: host.replace('PORT', port()) })
    expect(status).toBe(200)
  })

  it.each([
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1',
    '127.0.0.1:1',
    'localhost.evil.example:PORT',
    '127.0.0.1:PORT.evil.example',
    'user@127.0.0.1:PORT',
    '127.1:PORT',
    '2130706433:PORT',
    '0.0.0.0:PORT',
  ])('may not be %s', async host => {
    for (const path of ['/', '/api/session', '/api/about']) {
      const { status, body } = await page.get(path, { host: host.replace('PORT', port()) })
      expect([400, 403]).toContain(status)
      expect(body).not.toContain('changeToken')
    }
  })

  it('may not be given twice', async () => {
    for (const hosts of [
      [authority(), 'evil.example'],
      ['evil.example', authority()],
    ]) {
      const lines = [
        'GET /api/session HTTP/1.1',
        ...hosts.map(host => `Host: ${host}`),
        `Cookie: ${page.cookie}`,
      ]
      const said = await sendRaw(dashboard, `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`)
      expect(said).toMatch(/^HTTP\/1\.1 40[03] /)
    }
  })

  it('may not differ in the request URL, as in a proxy request', async () => {
    expect((await page.get('http://evil.example/api/session')).status).toBe(403)
    expect((await page.get(`http://${authority()}/api/session`)).status).toBe(200)
  })
})

describe('the origin', () => {
  it.each([
    'http://evil.example',
    'null',
    'https://127.0.0.1:PORT',
    'http://127.0.0.1:1',
    'http://localhost:PORT',
    '',
  ])('may not be %s', async origin => {
    const given = { ...page.change, origin: origin.replace('PORT', port()) }
    expect((await page.get('/api/session', { origin: given.origin })).status).toBe(403)
    const changed = await send(dashboard, {
      method: 'POST',
      path: '/api/nothing',
      headers: given,
      body: '{}',
    })
    expect(changed.status).toBe(403)
  })

  it('must match the host: a page under one of our names may not use another', async () => {
    const given = { host: `localhost:${port()}`, origin: `http://localhost:${port()}` }
    expect((await page.get('/api/session', given)).status).toBe(200)
    expect((await page.get('/api/session', { ...given, host: authority() })).status).toBe(403)
  })
})

describe('Sec-Fetch-Site', () => {
  const visit = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

  it.each(['cross-site', 'same-site', 'something-new'])('%s allows only navigation to a page', async site => {
    const from = { 'sec-fetch-site': site }
    for (const path of ['/api/session', '/api/runs', '/assets/app-Xy12.js', '/'])
      expect((await page.get(path, { ...from, 'sec-fetch-mode': 'no-cors' })).status).toBe(403)
    expect((await page.get('/api/session', { ...from, ...visit })).status).toBe(403)
    expect((await page.get('/', { ...from, ...visit, 'sec-fetch-dest': 'iframe' })).status).toBe(403)
    expect((await page.get('/', { ...from, ...visit })).body).toBe(pageText)
    const changed = await send(dashboard, {
      method: 'POST',
      path: '/api/nothing',
      body: '{}',
      headers: { ...page.change, ...from },
    })
    expect(changed.status).toBe(403)
  })

  it.each(['same-origin', 'none'])('%s allows everything', async site => {
    expect((await page.get('/api/session', { 'sec-fetch-site': site })).status).toBe(200)
  })

  it('redirects cross-site links through our own page, so that the cookie is sent', async () => {
    const headers = { ...visit, 'sec-fetch-site': 'cross-site' }
    const path = '/runs/x?a="><script>alert(1)</script>'
    const { status, body } = await send(dashboard, { path, headers })
    expect(status).toBe(200)
    expect(body).toContain('content="0; url=/runs/x?a=%22%3E%3Cscript%3Ealert%281%29%3C%2Fscript%3E"')
    const entered = await send(dashboard, { path: `/runs/x?token=${token()}`, headers })
    expect(entered.body).toContain('content="0; url=/runs/x"')
    expect(entered.body).not.toContain(token())
    expect(String(entered.headers['set-cookie'])).toContain('SameSite=Strict')
  })
})

describe('a change', () => {
  const post = (headers: Readonly<Record<string, string>>, body = '{}') =>
    send(dashboard, { method: 'POST', path: '/api/nothing', headers, body })
  const without = (name: string) =>
    Object.fromEntries(Object.entries(page.change).filter(([header]) => header !== name))

  it('reaches the routes with the headers of a page', async () => {
    expect((await post(page.change)).status).toBe(404)
    expect((await post({ ...page.change, 'content-type': 'application/json; charset=utf-8' })).status).toBe(
      404,
    )
  })

  it.each([
    ['cookie', 401],
    ['origin', 403],
    ['x-skillopt-change', 403],
    ['content-type', 415],
  ])('is refused without %s', async (name, status) => {
    expect((await post(without(name))).status).toBe(status)
  })

  it.each(['', 'wrong', 'COOKIE', 'TOKEN'])('is refused with the change token %j', async text => {
    const given = text.replace('COOKIE', page.cookie.split('=')[1] ?? '').replace('TOKEN', token())
    expect((await post({ ...page.change, 'x-skillopt-change': given })).status).toBe(403)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp'])(
    'is refused as %s, which a form on another site can send',
    async type => {
      expect((await post({ ...page.change, 'content-type': type })).status).toBe(415)
    },
  )

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'QUERY'])('is never a %s', async method => {
    for (const path of ['/', '/api/runs'])
      expect((await send(dashboard, { method, path, headers: page.change })).status).toBe(405)
  })

  it('is never made on a page', async () => {
    expect(
      (await send(dashboard, { method: 'POST', path: '/', headers: page.change, body: '{}' })).status,
    ).toBe(405)
  })

  it('is limited to 1 MB, even without a content length', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(1_100_000) })
    expect((await post(page.change, body)).status).toBe(413)
    expect((await post({ ...page.change, 'transfer-encoding': 'chunked' }, body)).status).toBe(413)
    expect((await post(page.change, JSON.stringify({ text: 'x'.repeat(900_000) }))).status).toBe(404)
  })
})
