import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'

/**
 * Height of each row and of the header. The unit rem makes it follow the reader's text size. It must match
 * the style sheet.
 */
const rowHeightRem = 2.25
/** Number of extra rows rendered beyond each edge, so that scrolling shows no gaps. */
const spare = 10

/** Scroll position of each list, restored when the reader returns from an attempt. */
const leftAt = new Map<string, number>()

/**
 * The rows that are visible in a scrolling box. Each list, by name, keeps its own scroll position, which
 * starts at the top.
 */
export function useWindow(
  box: RefObject<HTMLElement | null>,
  name: string,
  rows: number,
): { readonly start: number; readonly end: number; readonly rowHeight: number } {
  const [rowHeight] = useState(readRowHeight)
  const [seen, setSeen] = useState({ top: 0, height: 800 })
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop = leftAt.get(name) ?? 0
  }, [box, name])
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const look = () => setSeen({ top: element.scrollTop, height: element.clientHeight })
    const scrolled = () => {
      leftAt.set(name, element.scrollTop)
      look()
    }
    const sized = new ResizeObserver(look)
    sized.observe(element)
    element.addEventListener('scroll', scrolled, { passive: true })
    look()
    return () => {
      sized.disconnect()
      element.removeEventListener('scroll', scrolled)
    }
  }, [box, name])
  return { ...windowOf(seen.top, seen.height, rows, rowHeight), rowHeight }
}

function readRowHeight(): number {
  return rowHeightRem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
}

export function windowOf(
  top: number,
  height: number,
  rows: number,
  rowHeight: number,
): { readonly start: number; readonly end: number } {
  const first = Math.min(Math.floor(top / rowHeight), Math.max(0, rows - 1))
  const start = Math.max(0, first - spare)
  return { start, end: Math.min(rows, first + Math.ceil(height / rowHeight) + spare) }
}

/**
 * The scroll position that brings a row into view below the sticky header. It is unchanged if the row is
 * already visible.
 */
export function scrollFor(row: number, top: number, height: number, rowHeight: number): number {
  const above = row * rowHeight
  const below = (row + 2) * rowHeight - height
  if (top > above) return above
  return top < below ? below : top
}
