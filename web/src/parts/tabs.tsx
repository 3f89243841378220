import { Link } from 'wouter'
import { useAbsolutePath } from './address.js'

export interface TabItem {
  /** As in every link, a leading `~` makes it absolute, even inside a nested route. */
  readonly href: string
  readonly name: string
}

/** A tab bar made of links, since each tab has its own URL. */
export function Tabs({
  label,
  items,
  current,
}: {
  readonly label: string
  readonly items: readonly TabItem[]
  /** Href of the current tab, if the path alone does not determine it. */
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

/**
 * The tab for the path itself, or the closest one that contains it: a single attempt belongs to the attempts
 * tab.
 */
export function placeOf(items: readonly TabItem[], path: string): TabItem | undefined {
  return items
    .filter(({ href }) => path === pathOf(href) || path.startsWith(`${pathOf(href)}/`))
    .toSorted((one, other) => pathOf(other.href).length - pathOf(one.href).length)[0]
}

/** A page below a tab is not the tab's own page, so `aria-current` is `true` instead of `page`. */
function currentOf(href: string, shown: string | undefined, path: string): 'page' | 'true' | undefined {
  if (href !== shown) return undefined
  return path === pathOf(href) || !path.startsWith(`${pathOf(href)}/`) ? 'page' : 'true'
}
