import { InvalidArgumentError } from '@commander-js/extra-typings'

/** Parsers for option values, and help texts. */

export function example(...lines: string[]): string {
  return `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map(line => `  ${line}`).join('\n')}`
}

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

export function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number <= 0)
    throw new InvalidArgumentError('Expected a whole number above 0.')
  return number
}

export function positiveNumber(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number) || number <= 0)
    throw new InvalidArgumentError('Expected a number above 0.')
  return number
}

export function notNegative(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number) || number < 0)
    throw new InvalidArgumentError('Expected a number ≥ 0.')
  return number
}

export function port(text: string): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number > 65_535)
    throw new InvalidArgumentError('Expected a whole number from 0 to 65535.')
  return number
}

export function minutes(text: string): number {
  const [, digits, unit = 'm'] = /^(\d+(?:\.\d+)?)\s*([smh]?)$/.exec(text) ?? []
  if (digits === undefined || Number(digits) <= 0)
    throw new InvalidArgumentError('Expected minutes, such as 30, or 90s, 45m, 2h.')
  return Number(digits) * { s: 1 / 60, m: 1, h: 60 }[unit === '' ? 'm' : (unit as 's' | 'm' | 'h')]
}

export function clock(text: string): { readonly hour: number; readonly minute: number } {
  const [, hour, minute] = /^(\d{1,2}):(\d\d)$/.exec(text) ?? []
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59)
    throw new InvalidArgumentError('Expected a time of day from 00:00 to 23:59.')
  return { hour: Number(hour), minute: Number(minute) }
}
