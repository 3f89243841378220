import { useEffect, useRef } from 'react'

/** Where the window was opened: there the focus is the browser's, which begins at the top. */
let openedAt: string | undefined = globalThis.location?.pathname

/** The one heading of a page. The window is named after it, and the focus comes here when somebody goes to the page. */
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
