import { Link } from 'wouter'
import type { ReadingProgress, RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { Badge, SimulatedBadge, StateBadge } from '../../parts/badge.js'
import { ago, bytes, plural, points, visibleLine, when } from '../../parts/format.js'
import { Progress } from '../../parts/progress.js'
import { Sparkline } from '../../parts/sparkline.js'
import { type Figure, isRead, modelsIn, placeOf } from './figures.js'
import { kindWords } from './filters.js'

/** A run's name and directory, with warnings that concern all its figures. */
export function NameCell({ run }: { readonly run: RunSummary }) {
  const { id, directory, kind, reading, problem } = run
  return (
    <div className="runs-name">
      <span className="runs-title">
        <RunLink id={id} name={run.name} />
        <Marks run={run} />
      </span>
      <span className="small muted">
        {kind !== 'train' && isRead(run) && `${kindWords[kind]} · `}
        {visibleLine(directory)}
      </span>
      {problem !== undefined && <span className="small bad runs-problem">{visibleLine(problem)}</span>}
      {reading !== undefined && <Reading reading={reading} />}
    </div>
  )
}

export function RunLink({ id, name }: { readonly id: string; readonly name: string }) {
  return <Link href={`~/runs/${encodeURIComponent(id)}`}>{visibleLine(name)}</Link>
}

/** Badges for the run's origin, where it changes what the figures mean. */
function Marks({ run: { simulated, sleep, forkedFrom, importedFrom } }: { readonly run: RunSummary }) {
  return (
    <>
      {simulated && <SimulatedBadge />}
      {sleep !== undefined && (
        <Badge tone="info" title={`Part of night ${sleep.night} of Sleep for ${visibleLine(sleep.project)}.`}>
          Sleep, night {sleep.night}
        </Badge>
      )}
      {forkedFrom !== undefined && (
        <Badge title={`It began from a skill of ${visibleLine(forkedFrom)}.`}>fork</Badge>
      )}
      {importedFrom !== undefined && (
        <Badge title={`Another program made it: ${visibleLine(importedFrom)}.`}>imported</Badge>
      )}
    </>
  )
}

function Reading({ reading: { bytes: done, of } }: { readonly reading: ReadingProgress }) {
  const part = of === 0 ? 0 : Math.min(100, Math.floor((done / of) * 100))
  return <Progress label={`Reading its log (${bytes(of)}), percent`} done={part} total={100} />
}

export function StateCell({ run }: { readonly run: RunSummary }) {
  if (run.reading !== undefined) return <Badge title="Its log is still being read.">being read</Badge>
  const place = isRead(run) ? placeOf(run) : undefined
  return (
    <div className="runs-lines">
      <StateBadge state={run.state} />
      {place !== undefined && <span className="small muted">{place}</span>}
    </div>
  )
}

/** The target model, and below it the models of the optimizer and the judge. */
export function ModelsCell({ run }: { readonly run: RunSummary }) {
  const [first, ...others] = modelsIn(run)
  if (first === undefined) return <Nothing />
  return (
    <div className="runs-lines runs-models">
      <span>
        <ModelName model={first} />
      </span>
      {others.map(model => (
        <span key={model} className="small muted">
          <ModelName model={model} />
        </span>
      ))}
    </div>
  )
}

/** Name of a model. In a narrow cell the line breaks after the provider. */
function ModelName({ model }: { readonly model: string }) {
  const [provider, ...rest] = visibleLine(model).split('/')
  return rest.length === 0 ? (
    provider
  ) : (
    <>
      {provider}/<wbr />
      {rest.join('/')}
    </>
  )
}

/** A figure with its note. A run that was not read yet shows none, because the figure would be wrong. */
export function FigureCell({ run, figure }: { readonly run: RunSummary; readonly figure: Figure }) {
  if (!isRead(run)) return <Unread run={run} />
  return (
    <div className="runs-lines">
      <span className="runs-figure">{figure.text}</span>
      {figure.note !== undefined && <span className="small muted">{figure.note}</span>}
    </div>
  )
}

export function SparkCell({ run }: { readonly run: RunSummary }) {
  if (!isRead(run)) return <Unread run={run} />
  const [first, last] = [run.spark[0], run.spark.at(-1)]
  if (first === undefined || last === undefined) return <Nothing />
  const label = `Best validation score from ${points(first.value)} to ${points(last.value)} in ${plural(last.step - first.step, 'step')}`
  return <Sparkline points={run.spark} label={label} />
}

export function StartedCell({ run, now }: { readonly run: RunSummary; readonly now: number }) {
  if (run.startedAt === 0) return <span className="muted">unknown</span>
  return (
    <time dateTime={new Date(run.startedAt).toISOString()} title={when(run.startedAt)}>
      {ago(run.startedAt, now)}
    </time>
  )
}

export function Nothing() {
  return <span className="muted">–</span>
}

function Unread({ run }: { readonly run: RunSummary }) {
  if (run.reading === undefined) return <Nothing />
  return (
    <span className="muted" title="Its log is still being read.">
      …
    </span>
  )
}
