import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'

/** As the style sheet has it: all rows, and the head, are as high as this, in the reader's own size of text. */
const rowHeightRem = 2.25
/** Rows beyond the edge, so that none is missing while one scrolls. */
const spare = 10

/** Where each list was left: whoever comes back from an attempt finds the list as it was. */
const leftAt = new Map<string, number>()

/** Which of so many rows are in sight of a box that scrolls. Another list, by its name, begins at its top. */
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

/** How far down the box must be so that a row is in sight, below the head that stays; as it is, if it is. */
export function scrollFor(row: number, top: number, height: number, rowHeight: number): number {
  const above = row * rowHeight
  const below = (row + 2) * rowHeight - height
  if (top > above) return above
  return top < below ? below : top
}
