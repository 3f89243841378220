import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { DashboardProblem } from '../contract/session.js'
import { contentPolicy } from './headers.js'

/** Server-rendered pages for clients that may not load the dashboard. */

const style = `body { max-width: 38rem; margin: 12vh auto; padding: 0 1.25rem; font: 1rem/1.55 system-ui, sans-serif }
h1 { font-size: 1.35rem }`
const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

export function refusalPage(c: Context, { error, hint }: DashboardProblem, status: ContentfulStatusCode) {
  return page(c, error, hint === undefined ? html`` : html`<p>${withCode(hint)}</p>`, status)
}

/** Renders text between backticks as code. */
function withCode(text: string): readonly Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

/**
 * Redirects through a page of our own. The browser sends our SameSite cookie only with navigations that
 * start there, not with a link followed from another site.
 */
export function passagePage(c: Context, to: string) {
  const refresh = html`<meta http-equiv="refresh" content="0; url=${to}" />`
  return page(c, 'Opening the dashboard', html`<p><a href="${to}">Go on</a></p>`, 200, refresh)
}

/** The requested URL without one parameter, as a path that cannot lead to another server. */
export function addressWithout(c: Context, parameter: string): string {
  const { pathname, searchParams } = new URL(c.req.url)
  searchParams.delete(parameter)
  const query = searchParams.toString()
  return `/${pathname.replace(/^\/+/, '')}${query === '' ? '' : `?${query}`}`
}

type Html = ReturnType<typeof html>

function page(c: Context, title: string, content: Html, status: ContentfulStatusCode, head: Html | '' = '') {
  c.header('content-security-policy', contentPolicy(styleHash))
  return c.html(
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
${head}
<title>${title} · SkillOpt</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`,
    status,
  )
}
