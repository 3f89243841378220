import { count } from '../../core/text/format.js'
import type { Block, Section } from '../blocks/blocks.js'
import type { ReportSource } from '../blocks/source.js'
import { type BarRow, barChart } from '../charts/bars.js'

/** Everything that failed and was not scored, or a statement that nothing failed. */
export function troubleSection({ view }: ReportSource): Section[] {
  const rows: BarRow[] = [
    ...byKind('try', view.failedTries, 'tries'),
    ...byKind('attempt', view.failedAttempts, 'attempts'),
    ...row('optimizer reply', view.optimizerFailures, 'optimizer'),
    ...row('unmatched edit', view.unmatchedEdits, 'edits'),
  ]
  const blocks: Block[] =
    rows.length === 0
      ? [
          {
            kind: 'text',
            text: view.importedFrom === undefined ? nothing : notRecorded,
          },
        ]
      : [
          barChart(rows, {
            title: 'Failures by kind',
            description: `How often each thing failed. ${rows.map(({ name, text }) => `${name}: ${text}`).join('; ')}.`,
            parts: legendOf(rows),
          }),
          {
            kind: 'table',
            caption: 'Failures by kind',
            head: ['failure', 'count'],
            rows: rows.map(({ name, text }) => [name, text]),
            right: [1],
          },
          {
            kind: 'text',
            text: view.importedFrom === undefined ? explained : notRecorded,
          },
        ]
  return [{ id: 'failures', title: 'Failures', blocks }]
}

const explained =
  'Failed calls were retried. Failed attempts are left out of every mean; they never count as 0.'
const nothing = 'Nothing failed: no call, attempt, optimizer reply or edit anchor.'
const notRecorded =
  'This run was imported, and its failures were not recorded: external failures may have been scored as 0.'

const meanings: Readonly<Record<string, string>> = {
  tries: 'call, retried',
  attempts: 'attempt, not scored',
  optimizer: 'unusable optimizer reply',
  edits: 'edit whose anchor was not found',
}

function legendOf(rows: readonly BarRow[]) {
  const used = new Set(rows.flatMap(({ parts }) => parts.map(({ part }) => part)))
  return [...used].map(part => ({ part, name: meanings[part] ?? part }))
}

function byKind(what: string, counts: Readonly<Record<string, number>>, part: string): BarRow[] {
  return Object.entries(counts).flatMap(([kind, number]) => row(`${what}: ${kind}`, number, part))
}

function row(name: string, number: number, part: string): BarRow[] {
  return number === 0 ? [] : [{ name, parts: [{ part, value: number }], text: count(number) }]
}
