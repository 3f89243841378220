import type { SkillVersion } from '../../../../src/dashboard/contract/skill.js'
import { useQuery } from '../../parts/address.js'
import { TextDiff } from '../../parts/diff.js'
import { visibleLine } from '../../parts/format.js'
import { Failed, Loading } from '../../parts/states.js'
import { RenderedDiff } from './rendered-diff.js'
import { useSource } from './source-of.js'
import { scoreText } from './timeline.js'

/** The differences between any two versions. */
export function Changes({
  run,
  versions,
  from,
  to,
}: {
  readonly run: string
  readonly versions: readonly SkillVersion[]
  readonly from: string
  readonly to: string
}) {
  const [query, change] = useQuery()
  const isRendered = query.get('text') === 'rendered'
  const Shown = isRendered ? RenderedDiff : TextDiff
  const mode = query.get('mode') === 'side' ? 'side' : 'inline'
  const skillOf = (id: string) => versions.find(version => version.id === id)?.skill ?? ''
  const before = useSource(run, from, skillOf(from))
  const after = useSource(run, to, skillOf(to))
  const error = before.error ?? after.error
  const nameOf = (id: string) => visibleLine(versions.find(version => version.id === id)?.name ?? id)
  return (
    <div className="stack">
      <div className="row">
        <Choice
          label="From"
          versions={versions}
          value={from}
          choose={id => change({ from: id, as: 'changes' })}
        />
        <Choice label="To" versions={versions} value={to} choose={id => change({ to: id })} />
        <button
          type="button"
          onClick={() => change({ from: to, to: from, as: 'changes' })}
          title="Compare the other way round"
        >
          Swap
        </button>
        <label className="row">
          <input
            type="checkbox"
            checked={mode === 'side'}
            onChange={event => change({ mode: event.target.checked ? 'side' : undefined })}
          />
          Side by side
        </label>
        <label className="row">
          <input
            type="checkbox"
            checked={isRendered}
            onChange={event => change({ text: event.target.checked ? 'rendered' : undefined })}
          />
          Rendered
        </label>
      </div>
      {error !== null ? (
        <Failed error={error} />
      ) : before.data === undefined || after.data === undefined ? (
        <Loading what="both versions" />
      ) : (
        <Shown
          before={before.data.text}
          after={after.data.text}
          mode={mode}
          names={[nameOf(from), nameOf(to)]}
          lineHref={(side, line) => lineHref(side === 'before' ? from : to, line)}
        />
      )}
    </div>
  )
}

/** Link to a line in the source of its version, where the page shows its origin. */
function lineHref(version: string, line: number): string {
  return `?${new URLSearchParams({ to: version, as: 'source' })}#L${line}`
}

function Choice({
  label,
  versions,
  value,
  choose,
}: {
  readonly label: string
  readonly versions: readonly SkillVersion[]
  readonly value: string
  readonly choose: (id: string) => void
}) {
  return (
    <label className="row">
      {label}
      <select value={value} onChange={event => choose(event.target.value)}>
        {versions.map(version => (
          <option key={version.id} value={version.id} disabled={!version.hasText}>
            {visibleLine(version.name)} · {scoreText(version)}
            {version.isBest ? ' · best' : ''}
            {version.outcome === undefined ? '' : ` · ${version.outcome.replaceAll('-', ' ')}`}
          </option>
        ))}
      </select>
    </label>
  )
}
