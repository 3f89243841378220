import { type ReactNode, useEffect, useRef } from 'react'

/** The path at which this part of the pages was loaded; there the focus is already in the right place. */
let openedAt: string | undefined = globalThis.location?.pathname

/**
 * The heading of a page below the run's heading. It takes the focus on navigation between the list and an
 * attempt, because the run's heading stays and the clicked link is gone.
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
