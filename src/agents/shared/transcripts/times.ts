const earliest = Date.UTC(2000, 0)
const latest = Date.UTC(2200, 0)
const withoutZone = /^\d{4}-\d\d-\d\d[T ][\d:.]+$/

/**
 * Milliseconds since 1970 for a time in any format that agents write: ISO 8601, seconds or milliseconds. A
 * time without a zone is UTC, which is what agents write; an impossible time is undefined.
 */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? ofText(value) : typeof value === 'number' ? ofNumber(value) : NaN
  return time >= earliest && time < latest ? time : undefined
}

/** The latest of the known times. */
export function lastOf(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter(time => time !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

function ofText(text: string): number {
  return Date.parse(withoutZone.test(text) ? `${text}Z` : text)
}

function ofNumber(number: number): number {
  return number < latest / 1000 ? Math.round(number * 1000) : number
}
