import { useEffect, useRef, useState } from 'react'

/** Throttles a value that may change ten times a second to at most one change per `pauseMs`. */
export function useSlowly<T>(value: T, pauseMs: number): T {
  const [shown, setShown] = useState(value)
  const changedAt = useRef(0)
  useEffect(() => {
    if (Object.is(value, shown)) return
    const wait = Math.max(0, changedAt.current + pauseMs - performance.now())
    const timer = setTimeout(() => {
      changedAt.current = performance.now()
      setShown(value)
    }, wait)
    return () => clearTimeout(timer)
  }, [value, shown, pauseMs])
  return shown
}
