import { sep } from 'node:path'
import type { SleepHarvestResult } from '../../app/index.js'
import type { Skipped, SkipReason } from '../../core/transcript/transcript.js'
import { type Colors, clean, count, plural, table } from './text.js'

interface AuditOptions {
  readonly colors: Colors
  /** True to list every location; otherwise only a summary is printed. */
  readonly whole: boolean
  /** Home folder, shown as ~ in paths. */
  readonly home: string
}

const reasons: Readonly<Record<SkipReason, string>> = {
  'sub-agent': 'sub-agent sessions',
  own: 'sessions made by SkillOpt',
  copy: 'duplicates in another form',
  'no-request': 'sessions without a request',
  'other-project': 'sessions of other projects',
  'too-old': 'sessions from before',
  unreadable: 'unreadable files',
  record: 'damaged or unknown records',
}

/** Lists what was found but skipped, with the reasons. */
export function leftOutText(skipped: readonly Skipped[], { colors, whole, home }: AuditOptions): string {
  if (skipped.length === 0) return ''
  const counts = new Map<SkipReason, number>()
  for (const { reason, count: number } of skipped) counts.set(reason, (counts.get(reason) ?? 0) + number)
  const rows = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([reason, number]) => [reasons[reason], count(number)])
  const short = table(['left out', 'number'], rows, { colors, right: [1] })
  // By default, sessions of other projects or times are only counted. `whole` lists them.
  const told = skipped.filter(({ reason }) => reason === 'unreadable' || reason === 'record' || whole)
  if (told.length === 0) return short
  const lines = whole ? told : told.slice(0, 5)
  const places = lines.map(
    ({ file, detail, count: number }) =>
      `  ${shownFile(file, home)}: ${number > 1 ? `${count(number)} ` : ''}${clean(detail)}`,
  )
  const more = told.length - lines.length
  return [short, ...places, ...(more > 0 ? [`  and ${count(more)} more (--audit shows all)`] : [])].join('\n')
}

/** Lists redactions by kind and location. Their content is never shown. */
export function auditText(
  redacted: SleepHarvestResult['redacted'],
  { colors, whole, home }: AuditOptions,
): string {
  if (redacted.length === 0) return 'No secrets found.'
  const total = redacted.reduce((sum, one) => sum + one.count, 0)
  const kinds = new Set(redacted.map(({ kind }) => kind))
  const files = new Set(redacted.map(({ file }) => file))
  const short = `Hidden: ${plural(total, 'secret')} of ${plural(kinds.size, 'kind')}, in ${plural(files.size, 'file')}`
  if (!whole) return `${short} (--audit shows where).`
  const rows = redacted
    .toSorted((left, right) => (left.kind < right.kind ? -1 : left.kind > right.kind ? 1 : 0))
    .map(({ kind, count: number, file, record }) => [
      clean(kind),
      count(number),
      `${shownFile(file, home)}${record === undefined ? '' : `:${record}`}`,
    ])
  return `${short}.\n${table(['hidden', 'times', 'where'], rows, { colors, right: [1] })}`
}

function shownFile(file: string, home: string): string {
  return clean(file.startsWith(`${home}${sep}`) ? `~${file.slice(home.length)}` : file)
}
