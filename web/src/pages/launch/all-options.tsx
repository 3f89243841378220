import type { LaunchOption } from '../../../../src/dashboard/contract/launch.js'
import { useQuery } from '../../parts/address.js'
import { plural } from '../../parts/format.js'
import type { FormState } from './form.js'
import { OptionField } from './option-field.js'
import { matches, sectionsOf } from './sections.js'

/** All other options by section, with a search over names and documentation. */
export function AllOptions({
  options,
  state,
}: {
  readonly options: readonly LaunchOption[]
  readonly state: FormState
}) {
  const [query, change] = useQuery()
  const search = query.get('q') ?? ''
  const onlyChanged = query.get('changed') === '1'
  const shown = options.filter(
    option => matches(option, search) && (!onlyChanged || state.changes[option.path] !== undefined),
  )
  const isFiltered = search.trim() !== '' || onlyChanged
  return (
    <section className="panel">
      <div className="spread">
        <h2>All options</h2>
        <span className="muted small" role="status">
          {isFiltered
            ? `${shown.length} of ${plural(options.length, 'option')}`
            : plural(options.length, 'option')}
        </span>
      </div>
      <div className="row">
        <div className="field launch-search">
          <label htmlFor="launch-search">Search in options</label>
          <input
            id="launch-search"
            type="search"
            value={search}
            onChange={event => change({ q: event.target.value })}
          />
        </div>
        <label>
          <input
            type="checkbox"
            checked={onlyChanged}
            onChange={event => change({ changed: event.target.checked ? '1' : undefined })}
          />{' '}
          Only what I changed
        </label>
        {Object.keys(state.changes).length > 0 && (
          <button type="button" onClick={() => change({ set: undefined })}>
            Undo all changes
          </button>
        )}
      </div>
      {shown.length === 0 && (
        <p className="muted">
          {onlyChanged
            ? 'Nothing here was changed.'
            : `No option has “${search}” in its name or documentation.`}
        </p>
      )}
      {sectionsOf(shown).map(([section, inner]) => (
        <Section key={section} name={section} options={inner} state={state} isOpen={isFiltered} />
      ))}
    </section>
  )
}

function Section({
  name,
  options,
  state,
  isOpen,
}: {
  readonly name: string
  readonly options: readonly LaunchOption[]
  readonly state: FormState
  readonly isOpen: boolean
}) {
  const [query, change] = useQuery()
  const opened = query.getAll('open')
  const changed = options.filter(({ path }) => state.changes[path] !== undefined).length
  const wrong = options.filter(({ path }) =>
    state.check?.problems.some(problem => problem.path === path),
  ).length
  const isShown = isOpen || opened.includes(name) || wrong > 0
  return (
    <div className="launch-section">
      <h3>
        <button
          type="button"
          className="quiet launch-toggle"
          aria-expanded={isShown}
          disabled={isOpen || wrong > 0}
          onClick={() =>
            change({ open: isShown ? opened.filter(other => other !== name) : [...opened, name] })
          }
        >
          <span aria-hidden="true">{isShown ? '▾' : '▸'}</span> {name}
          <span className="muted small launch-count">
            {plural(options.length, 'option')}
            {changed > 0 && `, ${changed} changed`}
            {wrong > 0 && `, ${wrong} wrong`}
          </span>
        </button>
      </h3>
      {isShown && (
        <div className="launch-options">
          {options.map(option => (
            <OptionField key={option.path} option={option} state={state} />
          ))}
        </div>
      )}
    </div>
  )
}
