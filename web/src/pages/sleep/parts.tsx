import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { ApiError } from '../../api/client.js'
import { Badge, type BadgeTone } from '../../parts/badge.js'
import { PageTitle } from '../../parts/page-title.js'
import { Failed, Loading } from '../../parts/states.js'
import { type TabItem, Tabs } from '../../parts/tabs.js'

/** Renders the data of a query, or that it is loading or has failed. */
export function Answered<T>({
  query: { data, error, refetch },
  what,
  children,
}: {
  readonly query: UseQueryResult<T>
  readonly what: string
  readonly children: (data: T) => ReactNode
}) {
  return (
    <>
      {error !== null && <Failed error={error} retry={() => void refetch()} />}
      {data !== undefined ? children(data) : error === null && <Loading what={what} />}
    </>
  )
}

/** The heading, breadcrumb and tabs shown on every page of a project. */
export function SleepHeader({
  project,
  folder,
  title,
  trail,
  badges,
}: {
  readonly project: string
  /** Undefined until loaded. */
  readonly folder: string | undefined
  readonly title: string
  /** Breadcrumb items between the project and the current page. Undefined on the project's own page. */
  readonly trail?: readonly TabItem[] | undefined
  readonly badges?: ReactNode
}) {
  const base = `~/sleep/${encodeURIComponent(project)}`
  return (
    <header className="run-nav">
      <nav aria-label="Where this is" className="sleep-trail">
        <Link href="~/sleep">Sleep</Link>
        {trailOf(base, folder, trail).map(({ href, name }) => (
          <span key={href}>
            <span aria-hidden="true"> › </span>
            <Link href={href}>{name}</Link>
          </span>
        ))}
      </nav>
      <div className="run-nav-title">
        <PageTitle>{title}</PageTitle>
        {badges}
      </div>
      <Tabs
        label="Project"
        items={[
          { href: base, name: 'Overview' },
          { href: `${base}/tasks`, name: 'Tasks' },
          { href: `${base}/log`, name: 'Log' },
        ]}
      />
    </header>
  )
}

const trailOf = (base: string, folder: string | undefined, trail: readonly TabItem[] | undefined) =>
  trail === undefined ? [] : [{ href: base, name: folder ?? 'the project' }, ...trail]

/** A notice that the user should read before continuing. */
export function Notice({
  tone,
  title,
  children,
}: {
  readonly tone: Extract<BadgeTone, 'good' | 'bad' | 'warn' | 'info'>
  readonly title: string
  readonly children?: ReactNode
}) {
  return (
    <div className={`sleep-notice sleep-notice-${tone}`} {...(tone === 'bad' ? { role: 'alert' } : {})}>
      <strong>{title}</strong>
      {children}
    </div>
  )
}

/** The server's error message. */
export function Refusal({ error }: { readonly error: Error }) {
  return (
    <Notice tone="bad" title={error.message}>
      {error instanceof ApiError && error.hint !== undefined && <p>{error.hint}</p>}
    </Notice>
  )
}

/** A command to paste into a terminal. */
export function Command({ text, does }: { readonly text: string; readonly does: string }) {
  const [told, setTold] = useState('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setTold('Copied.')
    } catch {
      // Copying works only on localhost or over HTTPS, and the browser may forbid it.
      setTold('The browser does not let this page copy: select the line.')
    }
  }
  return (
    <div className="sleep-command">
      <p className="small">{does}</p>
      <div className="sleep-command-line">
        <code>{text}</code>
        <button type="button" onClick={() => void copy()} aria-label={`Copy the command: ${text}`}>
          Copy
        </button>
      </div>
      <p role="status" className="small muted">
        {told}
      </p>
    </div>
  )
}

/** A word with an explanation on hover. */
export function Word({
  tone = 'plain',
  meaning,
  children,
}: {
  readonly tone?: BadgeTone
  readonly meaning: string
  readonly children: ReactNode
}) {
  return (
    <Badge tone={tone} title={meaning}>
      {children}
    </Badge>
  )
}
