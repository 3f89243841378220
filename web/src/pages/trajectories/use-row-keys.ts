import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react'
import { scrollFor } from './use-window.js'

/** The row that a key press moves to. The keys are the arrow keys, j and k. */
export function rowAfter(
  key: string,
  row: number | undefined,
  first: number,
  rows: number,
): number | undefined {
  const last = rows - 1
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return row === undefined ? first : Math.min(last, row + 1)
    case 'ArrowUp':
    case 'k':
      return row === undefined ? first : Math.max(0, row - 1)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return undefined
  }
}

/**
 * Moves the focus between the links of the rows. A row outside the view is not rendered; it is scrolled to
 * first and gets the focus once it is rendered.
 */
export function useRowKeys(
  box: RefObject<HTMLElement | null>,
  rows: number,
  rowHeight: number,
): (event: KeyboardEvent) => void {
  const [wanted, setWanted] = useState<number>()
  // Runs after every render, because only then the row may exist.
  useEffect(() => {
    if (wanted === undefined) return
    const link = box.current?.querySelector<HTMLElement>(`tr[data-row="${wanted}"] a`)
    if (!link) return
    link.focus({ preventScroll: true })
    setWanted(undefined)
  })
  return event => {
    const element = box.current
    if (element === null || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    const { activeElement } = document
    const isInRow = activeElement?.closest('tr[data-row]')
    // Column headers are buttons and ignore these keys.
    const row = isInRow instanceof HTMLElement ? Number(isInRow.dataset.row) : undefined
    const next = rowAfter(event.key, wanted ?? row, Math.ceil(element.scrollTop / rowHeight), rows)
    if (next === undefined) return
    event.preventDefault()
    element.scrollTop = scrollFor(next, element.scrollTop, element.clientHeight, rowHeight)
    setWanted(next)
  }
}
