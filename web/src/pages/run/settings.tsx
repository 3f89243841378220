import { useQuery as useFetched } from '@tanstack/react-query'
import { memo, useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { RunView } from '../../../../src/core/view/run-view.js'
import { type Setting, settingsOf } from '../../../../src/core/view/settings-list.js'
import type { LaunchOptions } from '../../../../src/dashboard/contract/launch.js'
import { getJson } from '../../api/client.js'
import { useQuery, withChange } from '../../parts/address.js'
import { Badge } from '../../parts/badge.js'
import { count, plural, visible, visibleLine } from '../../parts/format.js'
import { Empty } from '../../parts/states.js'
import { type Column, DataTable } from '../../parts/table.js'
import { Prose } from '../launch/prose.js'
import { settingSections, shortValue, shownSettings } from './settings-list.js'

/** Milliseconds after the last keystroke until the search is written to the URL. */
const pauseMs = 250

/**
 * All settings of the run with their sources. In the URL, `?q=gate` searches, `?only=chosen` hides default
 * values, and `?setting=evaluation.gate` highlights one setting.
 */
export const SettingsPage = memo(function SettingsPage({
  config,
  sources,
}: Pick<RunView, 'config' | 'sources'>) {
  const settings = useMemo(() => settingsOf({ config, sources }), [config, sources])
  const [query] = useQuery()
  const named = query.get('setting')
  const onlyChosen = query.get('only') === 'chosen'
  const shown = shownSettings(settings, { words: query.get('q') ?? '', onlyChosen, named })
  if (settings.length === 0) {
    return (
      <Empty title="The settings of this run were not recorded.">
        <p>A run that was imported from another program may have none.</p>
      </Empty>
    )
  }
  const chosen = settings.filter(({ source }) => source !== 'default').length
  return (
    <div className="stack">
      <header className="spread">
        <h2>Settings</h2>
        <span className="small muted" role="status">
          {count(shown.length)} of {plural(settings.length, 'setting')} shown; {count(chosen)} differ from the
          defaults
        </span>
      </header>
      <SettingFilters />
      {named !== null && settings.every(({ path }) => path !== named) && (
        <p className="warn" role="status">
          This run has no setting “{visibleLine(named)}”.
        </p>
      )}
      {shown.length === 0 && (
        <p className="muted">
          {chosen === 0 && onlyChosen
            ? 'All settings are the defaults.'
            : 'No setting has all these words in its name, value or origin.'}
        </p>
      )}
      {settingSections(shown).map(section => (
        <Section key={section.name} {...section} named={named} />
      ))}
    </div>
  )
})

function SettingFilters() {
  const [query, change] = useQuery()
  const asked = query.get('q') ?? ''
  const [text, setText] = useState(asked)
  useEffect(() => setText(asked), [asked])
  useEffect(() => {
    if (text === asked) return
    const timer = setTimeout(() => change({ q: text }), pauseMs)
    return () => clearTimeout(timer)
  }, [text, asked, change])
  return (
    <search className="row" aria-label="Filter settings">
      <div className="field">
        <label htmlFor="settings-q">Name, value or origin</label>
        <input
          id="settings-q"
          type="search"
          maxLength={200}
          value={text}
          onChange={event => setText(event.target.value)}
        />
      </div>
      <label className="row">
        <input
          type="checkbox"
          checked={query.get('only') === 'chosen'}
          onChange={event => change({ only: event.target.checked ? 'chosen' : undefined })}
        />
        Only what differs from the defaults
      </label>
    </search>
  )
}

function Section({
  name,
  settings,
  named,
}: {
  readonly name: string
  readonly settings: readonly Setting[]
  readonly named: string | null
}) {
  const heading = `settings-${name}`
  return (
    <section className="run-tight run-settings" aria-labelledby={heading}>
      <h3 id={heading}>{visibleLine(name)}</h3>
      <DataTable
        caption={`Settings of ${visibleLine(name)}`}
        columns={columnsFor(named)}
        rows={settings}
        rowKey={({ path }) => path}
        rowClass={({ path }) => (path === named ? 'run-setting-named' : undefined)}
        cards
      />
    </section>
  )
}

function columnsFor(named: string | null): Column<Setting>[] {
  return [
    {
      key: 'setting',
      name: 'setting',
      header: true,
      cell: ({ path }) => <SettingName path={path} isNamed={path === named} />,
    },
    {
      key: 'value',
      name: 'value',
      cell: ({ path, value }) => (
        <code className="run-setting-value">
          {path === named ? visible(value) : visibleLine(shortValue(value))}
        </code>
      ),
    },
    {
      key: 'source',
      name: 'from',
      cell: ({ source }) =>
        source === 'default' ? (
          <span className="muted">default</span>
        ) : (
          <Badge tone="info">{visibleLine(source)}</Badge>
        ),
    },
  ]
}

/** The name of a setting, linked to itself so that the link can be copied and shared. */
function SettingName({ path, isNamed }: { readonly path: string; readonly isNamed: boolean }) {
  const [query] = useQuery()
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isNamed) link.current?.scrollIntoView({ block: 'nearest' })
  }, [isNamed])
  return (
    <>
      <Link
        ref={link}
        className="run-setting-name"
        href={`/settings?${withChange(query, { setting: isNamed ? undefined : path })}`}
        aria-current={isNamed ? 'true' : undefined}
        replace
      >
        {visibleLine(path)}
      </Link>
      {isNamed && <About path={path} />}
    </>
  )
}

/** The description and default of an option, as in the training form. */
function About({ path }: { readonly path: string }) {
  const { data, error } = useFetched({
    queryKey: ['launch', 'options'],
    queryFn: ({ signal }) => getJson<LaunchOptions>('/api/launch/options', signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error !== null)
    return <p className="small muted">What it does could not be looked up: {error.message}</p>
  if (data === undefined) return <p className="small muted">…</p>
  const option = data.options.find(each => each.path === path)
  if (option === undefined)
    return <p className="small muted">An option of this project’s own, or of an earlier version.</p>
  return (
    <div className="small run-setting-about">
      <p>
        <Prose text={visibleLine(option.description)} />
      </p>
      <p className="muted">
        {option.byDefault === undefined ? 'It has no default.' : `By default: ${option.byDefault}`}
        {option.mayChange ? ' A run may go on under another value.' : ''}
      </p>
    </div>
  )
}
