/** Retry delay in milliseconds from `now`, given as seconds, a date, or in the provider's own header. */
export function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const milliseconds = numeric(headers['retry-after-ms'])
  if (milliseconds !== undefined) return milliseconds
  const value = headers['retry-after']
  const seconds = numeric(value)
  if (seconds !== undefined) return Math.ceil(seconds * 1000)
  if (value === undefined) return undefined
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function numeric(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
}
