import { Link } from 'wouter'
import { useAbsolutePath } from './address.js'

export interface TabItem {
  /** As in every link: with `~` in front it is absolute, also inside a nested route. */
  readonly href: string
  readonly name: string
}

/** Places next to each other. Links, not widgets: each has an address of its own. */
export function Tabs({
  label,
  items,
  current,
}: {
  readonly label: string
  readonly items: readonly TabItem[]
  /** The href of the one that is shown, where the path alone does not tell. */
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

/** The place itself, or the closest one that the path is inside of: one of many attempts is among the attempts. */
export function placeOf(items: readonly TabItem[], path: string): TabItem | undefined {
  return items
    .filter(({ href }) => path === pathOf(href) || path.startsWith(`${pathOf(href)}/`))
    .toSorted((one, other) => pathOf(other.href).length - pathOf(one.href).length)[0]
}

/** A page inside a place is not the place itself: `true`, and not `page`. */
function currentOf(href: string, shown: string | undefined, path: string): 'page' | 'true' | undefined {
  if (href !== shown) return undefined
  return path === pathOf(href) || !path.startsWith(`${pathOf(href)}/`) ? 'page' : 'true'
}
