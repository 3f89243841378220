import { useEffect, useRef, useState } from 'react'

/** A value that may change ten times a second, for what must not be asked that often: at most once in `pauseMs`. */
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
