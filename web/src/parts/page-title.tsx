import { useEffect, useRef } from 'react'

/** The path at which the window was opened. There the browser itself puts the focus at the top. */
let openedAt: string | undefined = globalThis.location?.pathname

/** The main heading of a page. It also sets the window's title and takes the focus on navigation. */
export function PageTitle({ children }: { readonly children: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${children} · SkillOpt`
  }, [children])
  useEffect(() => {
    if (location.pathname === openedAt) return
    openedAt = undefined
    heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}
