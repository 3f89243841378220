import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react'
import { scrollFor } from './use-window.js'

/** What a key does in the list, for those who read it with the arrows or, as in many programs, with j and k. */
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
 * The keys go from the link of one row to that of the next. A row that is out of sight is not in the page: it is scrolled
 * to, and has the focus once it is there.
 */
export function useRowKeys(
  box: RefObject<HTMLElement | null>,
  rows: number,
  rowHeight: number,
): (event: KeyboardEvent) => void {
  const [wanted, setWanted] = useState<number>()
  // After every drawing: the row may be there now.
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
    // The heads of columns are buttons; they have no use for these keys.
    const row = isInRow instanceof HTMLElement ? Number(isInRow.dataset.row) : undefined
    const next = rowAfter(event.key, wanted ?? row, Math.ceil(element.scrollTop / rowHeight), rows)
    if (next === undefined) return
    event.preventDefault()
    element.scrollTop = scrollFor(next, element.scrollTop, element.clientHeight, rowHeight)
    setWanted(next)
  }
}
