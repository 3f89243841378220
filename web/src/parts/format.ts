import { plural } from '../../../src/core/view/figures.js'

export { visible, visibleLine } from '../../../src/core/text/visible.js'
export * from '../../../src/core/view/figures.js'

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const minute = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** A timestamp in the reader's time zone: 16 Nov 2026, 20:08. */
export function when(at: number): string {
  return at === 0 ? 'unknown' : minute.format(at)
}

/** A rough relative time; a date if more than a week ago. */
export function ago(at: number, now: number): string {
  if (at === 0) return 'unknown'
  const minutes = Math.floor(Math.max(0, now - at) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 48 * 60) return `${plural(Math.floor(minutes / 60), 'hour')} ago`
  if (minutes < 8 * 24 * 60) return `${plural(Math.floor(minutes / 1440), 'day')} ago`
  return day.format(at)
}
