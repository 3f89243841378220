import { type ReactNode, useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { ConnectionState } from './connection.js'
import { KeyHelp } from './help.js'
import { ThemeSwitch } from './theme.js'

const places = [
  { path: '/', name: 'Runs' },
  { path: '/launch', name: 'Train' },
  { path: '/sleep', name: 'Sleep' },
] as const

/** The layout around every page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation()
  useEffect(scrollUpOnNavigation, [])
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="top">
        <Link href="/" className="brand">
          <Mark />
          SkillOpt
        </Link>
        <nav aria-label="Main">
          {places.map(({ path, name }) => (
            <Link key={path} href={path} aria-current={currentOf(path, location)}>
              {name}
            </Link>
          ))}
        </nav>
        <div className="top-end">
          <ConnectionState />
          <ThemeSwitch />
          <KeyHelp />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}

/** The value of `aria-current`: `page` on the section's own page, `true` on pages below it. */
function currentOf(path: string, location: string): 'page' | 'true' | undefined {
  if (path === location) return 'page'
  const isInside = path === '/' ? /^\/(runs|compare)(\/|$)/.test(location) : location.startsWith(`${path}/`)
  return isInside ? 'true' : undefined
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M6 23l6-7 5 4 9-12" />
    </svg>
  )
}

/** Scrolls to the top when a new page opens. On "back" the browser restores the position. */
function scrollUpOnNavigation(): () => void {
  let path = location.pathname
  const moved = () => {
    if (location.pathname !== path) window.scrollTo(0, 0)
    path = location.pathname
  }
  const wentBack = () => {
    path = location.pathname
  }
  // wouter dispatches this event when it changes the history.
  addEventListener('pushState', moved)
  addEventListener('popstate', wentBack)
  return () => {
    removeEventListener('pushState', moved)
    removeEventListener('popstate', wentBack)
  }
}
