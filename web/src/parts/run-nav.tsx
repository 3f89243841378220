import type { RunSummary } from '../../../src/dashboard/contract/runs.js'
import { SimulatedBadge, StateBadge } from './badge.js'
import { visibleLine } from './format.js'
import { PageTitle } from './page-title.js'
import { Tabs } from './tabs.js'

/** The heading and tabs shown on every page of a run. */
export function RunNav({ run, summary }: { readonly run: string; readonly summary?: RunSummary }) {
  const base = `~/runs/${encodeURIComponent(run)}`
  return (
    <header className="run-nav">
      <div className="run-nav-title">
        <PageTitle>{visibleLine(summary?.name ?? run)}</PageTitle>
        {summary !== undefined && <StateBadge state={summary.state} />}
        {summary?.simulated === true && <SimulatedBadge />}
      </div>
      {summary !== undefined && (
        <p className="run-nav-facts">
          {factsOf(summary).map(fact => (
            <span key={fact}>{visibleLine(fact)}</span>
          ))}
        </p>
      )}
      <Tabs
        label="Run"
        items={[
          { href: base, name: 'Overview' },
          { href: `${base}/gate`, name: 'Gate & edits' },
          { href: `${base}/skill`, name: 'Skill' },
          { href: `${base}/trajectories`, name: 'Trajectories' },
          { href: `${base}/spending`, name: 'Spending' },
          { href: `${base}/settings`, name: 'Settings' },
        ]}
      />
    </header>
  )
}

function factsOf({ environment, models, directory }: RunSummary): readonly string[] {
  const { target, optimizer } = models
  return [
    environment,
    ...(target === undefined ? [] : [`target ${target}`]),
    ...(optimizer === undefined ? [] : [`optimizer ${optimizer}`]),
    directory,
  ].filter(fact => fact !== '')
}
