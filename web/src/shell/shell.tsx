import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { ThemeSwitch } from './theme.js'

const places = [
  { path: '/', name: 'Runs' },
  { path: '/launch', name: 'Train' },
  { path: '/sleep', name: 'Sleep' },
] as const

/** What stands around every page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation()
  const isCurrent = (path: string) =>
    path === '/' ? !/^\/(launch|sleep)/.test(location) : location.startsWith(path)
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="top">
        <Link href="/" className="brand">
          SkillOpt
        </Link>
        <nav aria-label="Main">
          {places.map(({ path, name }) => (
            <Link key={path} href={path} aria-current={isCurrent(path) ? 'page' : undefined}>
              {name}
            </Link>
          ))}
        </nav>
        <ThemeSwitch />
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}
