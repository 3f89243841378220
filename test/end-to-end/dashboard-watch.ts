import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { markOf } from '../support/hostile.js'
import { expectToFit } from './dashboard-support.js'

/** Checks that untrusted text stays text in a page: what the browser made of it, and what was blocked. */

/** Records from the start which scripts ran and what the CSP blocked. */
export async function watchTexts(page: Page): Promise<void> {
  await page.addInitScript(`
    globalThis.ran = []
    globalThis.stopped = []
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      stopped.push([violatedDirective, blockedURI, sample].join(' ')), true)
  `)
}

export interface Seen {
  readonly ran: readonly string[]
  readonly stopped: readonly string[]
  /** Elements and attributes that our pages never contain. */
  readonly strange: readonly string[]
  /** Links that lead out of the dashboard. */
  readonly outside: readonly string[]
  /** Places with invisible characters. */
  readonly unseen: readonly string[]
}

const seen = `(() => {
  const all = [...document.querySelectorAll('*')]
  const brief = element => element.outerHTML.slice(0, 200)
  const foreign = 'img, iframe, frame, style, object, embed, base, form[action], video, audio, math, foreignObject, ' +
    'animate, set, use, template, portal, area, map, marquee, meta[http-equiv], [srcdoc], [autofocus], [contenteditable]'
  const isOn = ({ name }) => name.startsWith('on')
  const holds = name => all.filter(element => element.hasAttribute(name))
  const isOwn = address => address.origin === location.origin && !/^\\/(?:api\\/(?!runs\\/)|\\/)/.test(address.pathname)
  const addresses = ['href', 'src', 'action', 'formaction', 'xlink:href', 'data', 'poster', 'ping', 'background']
    .flatMap(name => holds(name).map(element => [element, element.getAttribute(name)]))
  const hidden = /[\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\u001b\\u0007]/
  const words = ['title', 'aria-label', 'alt', 'placeholder', 'aria-description', 'content', 'label']
  const texts = [
    ['title', document.title],
    ...all.flatMap(element => [...element.childNodes].filter(({ nodeType }) => nodeType === 3)
      .map(({ data }) => [element.localName, data])),
    ...words.flatMap(name => holds(name).map(element => [name, element.getAttribute(name)])),
  ]
  return {
    ran, stopped,
    strange: [
      ...all.filter(element => element.matches(foreign)).map(brief),
      ...all.filter(element => [...element.attributes].some(isOn)).map(brief),
      ...all.filter(({ localName, src }) => localName === 'script' && !src).map(brief),
      ...holds('style').filter(({ style }) => /url|expression/.test(style.cssText)).map(brief),
    ],
    outside: addresses.filter(([, address]) => !isOwn(new URL(address, location.href))).map(([element]) => brief(element)),
    unseen: texts.filter(([, text]) => hidden.test(text)).map(([where, text]) => where + ': ' + text.slice(0, 160)),
  }
})()`

/** Expects that the page shows all marks, as plain text only. */
export async function expectInert(
  page: Page & { readonly misdeeds: readonly string[] },
  what: string,
  marks: readonly string[],
): Promise<void> {
  const missing = async () => {
    const text = await unfoldedText(page)
    return marks.filter(mark => !text.includes(markOf(mark)))
  }
  await expect.poll(missing, { message: `what ${what} does not show` }).toEqual([])
  const found = await page.evaluate<Seen>(seen)
  const nothing: Seen = { ran: [], stopped: [], strange: [], outside: [], unseen: [] }
  expect({ what, ...found, misdeeds: page.misdeeds }).toEqual({ what, ...nothing, misdeeds: [] })
  await expectToFit(page, what)
}

/** Collapsed content is part of the page too. */
const unfoldedText = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const closed = 'main details:not([open]) > summary, main [aria-expanded=false], main .diff-fold button'
    for (const element of document.querySelectorAll(closed)) element.click()
    return document.body.textContent
  })()`)
