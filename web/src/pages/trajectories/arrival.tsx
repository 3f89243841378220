import { type ReactNode, useEffect, useRef } from 'react'

/** Where the window was when this part of the pages was loaded: there the focus is already where it belongs. */
let openedAt: string | undefined = globalThis.location?.pathname

/**
 * The heading of a page under that of the run, which stays as one goes from the list to an attempt: so the focus comes
 * here, and does not stay with a link that is gone.
 */
export function ArrivalTitle({ children, id }: { readonly children: ReactNode; readonly id: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (location.pathname === openedAt) return
    openedAt = undefined
    heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h2 ref={heading} id={id} tabIndex={-1} className="attempt-title">
      {children}
    </h2>
  )
}
