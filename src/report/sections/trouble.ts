import { count } from '../../core/text/format.js'
import type { Block, Section } from '../blocks.js'
import { type BarRow, barChart } from '../charts/bars.js'
import type { ReportSource } from '../source.js'

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
            head: ['what failed', 'how often'],
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
  'A failed try was tried again. A failed attempt is left out of every mean; it is never a score of 0.'
const nothing = 'Nothing failed: no call, no attempt, no reply of the optimizer, no edit without its anchor.'
const notRecorded =
  'The run was imported: what failed in it was not recorded. There a failure of the world may have been scored as 0.'

const meanings: Readonly<Record<string, string>> = {
  tries: 'try of a call',
  attempts: 'attempt, not scored',
  optimizer: 'unusable reply of the optimizer',
  edits: 'edit without its anchor',
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
