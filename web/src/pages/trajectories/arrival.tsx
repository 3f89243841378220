import { type ReactNode, useEffect, useRef } from 'react'

/** The path at which this code was loaded. There the focus is already in the right place. */
let openedAt: string | undefined = globalThis.location?.pathname

/**
 * The heading of a page inside a run's page. It takes the focus when the user moves between the list and an
 * attempt, because the clicked link no longer exists.
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
