import { Link } from 'wouter'
import { useAbsolutePath } from './address.js'

export interface TabItem {
  /** Link of the tab. A leading `~` makes it absolute, even inside a nested route. */
  readonly href: string
  readonly name: string
}

/** A bar of tabs. They are links, because each tab has its own URL. */
export function Tabs({
  label,
  items,
  current,
}: {
  readonly label: string
  readonly items: readonly TabItem[]
  /** Link of the current tab, needed if the path alone does not determine it. */
  readonly current?: string
}) {
  const path = useAbsolutePath()
  const shown = current ?? placeOf(items, path)?.href
  return (
    <nav className="tabs" aria-label={label}>
      {items.map(({ href, name }) => (
        <Link key={href} href={href} aria-current={currentOf(href, shown, path)}>
          {name}
        </Link>
      ))}
    </nav>
  )
}

const pathOf = (href: string) => href.replace(/^~/, '').replace(/[?#].*$/, '')

/** The tab whose link equals the path or is its closest parent, such as the list of an attempt. */
export function placeOf(items: readonly TabItem[], path: string): TabItem | undefined {
  return items
    .filter(({ href }) => path === pathOf(href) || path.startsWith(`${pathOf(href)}/`))
    .toSorted((one, other) => pathOf(other.href).length - pathOf(one.href).length)[0]
}

/** The value of `aria-current`: `page` on the tab's own page, `true` on pages below it. */
function currentOf(href: string, shown: string | undefined, path: string): 'page' | 'true' | undefined {
  if (href !== shown) return undefined
  return path === pathOf(href) || !path.startsWith(`${pathOf(href)}/`) ? 'page' : 'true'
}
