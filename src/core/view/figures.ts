import type { RunView } from './run-view.js'

/** Number formatting shared by the terminal, the reports and the dashboard: must run in a browser. */

export function points(score: number): string {
  return `${(score * 100).toFixed(1)}%`
}

export function signedPoints(difference: number): string {
  const text = (difference * 100).toFixed(1)
  return difference > 0 ? `+${text}` : text.replace(/^-(?=0\.0$)/, '').replace('-', '−')
}

/** Created once, because creating a formatter takes a hundred times as long as using it. */
const figures = new Intl.NumberFormat('en-US')

export function count(number: number): string {
  return figures.format(Math.round(number))
}

/** A token count. It says "about", because it follows one provider's tokenizer and others differ. */
export function aboutTokens(tokens: number, limit?: number): string {
  return `about ${count(tokens)}${limit === undefined ? '' : ` of ${count(limit)}`} tokens (o200k)`
}

/** A count short enough for a status line: 950, 12.3k, 4.5M. */
export function shortCount(number: number): string {
  if (number < 1000) return String(Math.round(number))
  if (number < 99_950) return `${(number / 1000).toFixed(1)}k`
  if (number < 999_500) return `${Math.round(number / 1000)}k`
  return `${(number / 1_000_000).toFixed(1)}M`
}

export function money(dollars: number): string {
  if (dollars === 0) return '$0'
  if (dollars < 0.005) return '< $0.01'
  return `$${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
}

/** A token total, shown as a lower bound if the provider did not report all calls. */
export function knownTokens(tokens: number, spending: { calls: number; unknownUsage: number }): string {
  if (spending.calls > 0 && spending.unknownUsage === spending.calls) return 'unknown'
  return spending.unknownUsage > 0 ? `≥ ${count(tokens)}` : count(tokens)
}

/** Tokens read from the provider's cache. Unknown for imported runs, which did not record them separately. */
export function cachedTokens(
  tokens: number,
  spending: { calls: number; unknownUsage: number },
  { importedFrom }: Pick<RunView, 'importedFrom'>,
): string {
  return importedFrom === undefined ? knownTokens(tokens, spending) : 'unknown'
}

/** The known cost and the number of calls with unknown cost, without guessing. */
export function knownCost(spending: { calls: number; cost: number; unknownCost: number }): string {
  if (spending.calls > 0 && spending.unknownCost === spending.calls) return 'unknown'
  if (spending.unknownCost === 0) return money(spending.cost)
  return `${money(spending.cost)} + ${plural(spending.unknownCost, 'call')} of unknown price`
}

export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** Formats a time cap in minutes, which may be a fraction such as 1.5. */
export function minuteText(minutes: number): string {
  return `${Number(minutes.toFixed(2))} ${minutes === 1 ? 'minute' : 'minutes'}`
}

export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** Number of tasks in each split. For an imported run, numbers that were not recorded are "unknown". */
export function taskCounts({ tasks, importedFrom }: Pick<RunView, 'tasks' | 'importedFrom'>): string {
  const shown = (number: number) => (number === 0 && importedFrom !== undefined ? 'unknown' : String(number))
  return `${shown(tasks.train)} train, ${shown(tasks.val)} validation, ${shown(tasks.test)} test tasks`
}

/** Result of task mining, in words. */
export function minedText({ written, skipped, failed }: NonNullable<RunView['mining']>): string {
  return [
    `${plural(written, 'task')} written`,
    ...(skipped === 0 ? [] : [`${skipped} left out`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ].join(', ')
}

/** Active time. Unknown if an imported run recorded no time. */
export function workTime({ activeMs, importedFrom }: Pick<RunView, 'activeMs' | 'importedFrom'>): string {
  return activeMs === 0 && importedFrom !== undefined ? 'unknown' : duration(activeMs)
}

/** Where the run started from, if not from its own project. */
export function provenanceOf({
  forkedFrom,
  importedFrom,
}: Pick<RunView, 'forkedFrom' | 'importedFrom'>): string {
  const forked = forkedFrom === undefined ? '' : ` · forked from ${forkedFrom}`
  return importedFrom === undefined ? forked : `${forked} · imported from ${importedFrom}`
}

/** The first few names, and the number of others. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${count(names.length - 5)} more` : shown
}

export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  const power = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log10(value) / 3))
  const shown = value / 1000 ** power
  return `${shown.toFixed(power === 0 || shown >= 100 ? 0 : 1)} ${units[power]}`
}

/** A probability with two significant digits: 0.66%, 6.3%, 43%, 100%. */
export function chanceText(share: number): string {
  return share >= 0.1 ? `${Math.round(100 * share)}%` : `${(100 * Math.max(0, share)).toPrecision(2)}%`
}
