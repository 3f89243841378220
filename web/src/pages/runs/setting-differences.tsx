import type { SettingDifference } from '../../../../src/dashboard/contract/compare.js'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { visibleLine } from '../../parts/format.js'
import { type Column, DataTable } from '../../parts/table.js'
import { LineMark } from './compare-table.js'
import { namesOf, toneAt } from './curves.js'

/** The settings in which the runs differ. They are the likely reasons for differences on the chart. */
export function SettingDifferences({
  summaries,
  settings,
}: {
  readonly summaries: readonly RunSummary[]
  readonly settings: readonly SettingDifference[]
}) {
  const names = namesOf(summaries)
  const columns: readonly Column<SettingDifference>[] = [
    { key: 'path', name: 'Setting', header: true, cell: ({ path }) => <code>{visibleLine(path)}</code> },
    ...summaries.map(({ id }, index): Column<SettingDifference> => {
      const name = names[index] ?? id
      return {
        key: `run ${id}`,
        name,
        head: (
          <span className="runs-head">
            <LineMark tone={toneAt(index)} />
            {name}
          </span>
        ),
        cell: ({ values }) => <Value value={values[index]} />,
      }
    }),
  ]
  return (
    <section className="stack runs-section runs-settings">
      <h2>Settings that differ</h2>
      {settings.length === 0 ? (
        <p className="muted">None: these runs were made under the same settings.</p>
      ) : (
        <DataTable
          caption="Settings that differ"
          columns={columns}
          rows={settings}
          rowKey={({ path }) => path}
        />
      )}
    </section>
  )
}

/** Number of characters of a long value that are shown until it is opened. */
const shownAtOnce = 160

/** A setting's value. Missing values arrive as null, because JSON turns undefined array items into null. */
function Value({ value }: { readonly value: string | null | undefined }) {
  if (value === undefined || value === null) return <span className="muted">not set</span>
  const text = visibleLine(value)
  if (text.length <= shownAtOnce) return <code>{text}</code>
  return (
    <details>
      <summary>
        <code>{text.slice(0, shownAtOnce)}…</code>
      </summary>
      <code>{text}</code>
    </details>
  )
}
