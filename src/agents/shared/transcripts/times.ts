const earliest = Date.UTC(2000, 0)
const latest = Date.UTC(2200, 0)
const withoutZone = /^\d{4}-\d\d-\d\d[T ][\d:.]+$/

/**
 * Milliseconds since 1970 of a time as agents write them: ISO 8601, seconds or milliseconds. One without a zone is taken
 * as UTC, which is what they write; one that cannot be is none.
 */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? ofText(value) : typeof value === 'number' ? ofNumber(value) : NaN
  return time >= earliest && time < latest ? time : undefined
}

/** The last of these that is one. */
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
