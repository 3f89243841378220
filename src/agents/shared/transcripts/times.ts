const earliest = Date.UTC(2000, 0)
const latest = Date.UTC(2200, 0)
const withoutZone = /^\d{4}-\d\d-\d\d[T ][\d:.]+$/

/**
 * Converts a time to milliseconds since 1970. Agents write ISO 8601, seconds or milliseconds; times without a
 * zone are in UTC. Impossible times are undefined.
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
