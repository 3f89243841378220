import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { RunView } from '../../../../src/core/view/run-view.js'
import { useQuery } from '../../parts/address.js'
import { Chart } from '../../parts/chart.js'
import { count, plural } from '../../parts/format.js'
import { Empty } from '../../parts/states.js'
import { wholeOnly, wholeSteps } from './axes.js'
import { budgetSeries } from './budget.js'
import { DecisionTable } from './decision-table.js'
import { EpochEnd } from './epoch-end.js'
import { StepRow } from './step-row.js'
import { epochsOf, matchesStep } from './steps-list.js'
import { TrialEdits } from './trial-edits.js'

/**
 * All steps with their edits, gate decisions and epoch ends. The URL names the expanded items:
 * `?step=3&step=5&analysts=3&epoch=2`.
 */
export function StepsPage({ run, view }: { readonly run: string; readonly view: RunView }) {
  const { steps, epochEnds, lastVerdict } = view
  if (steps.length === 0 && lastVerdict === undefined) {
    return (
      <Empty title={view.kind === 'train' ? 'No steps yet.' : 'This run has no steps.'}>
        <p>
          {view.kind === 'train'
            ? 'First the seed skill is scored on validation. Steps, edits and decisions appear here by themselves.'
            : 'Only a training proposes edits and decides on them. What this run did is on its overview.'}
        </p>
      </Empty>
    )
  }
  return (
    <div className="stack">
      {view.loop === 'trials' && <TrialEdits trialEdits={view.trialEdits} />}
      <DecisionTable
        run={run}
        steps={steps}
        epochEnds={epochEnds}
        lastVerdict={lastVerdict}
        finalTest={view.finalTest}
      />
      {steps.length > 0 && (
        <>
          {view.loop === 'steps' && <BudgetChart view={view} />}
          <StepList run={run} steps={steps} epochEnds={epochEnds} />
        </>
      )}
    </div>
  )
}

const BudgetChart = memo(
  BudgetNow,
  // Calls and attempts arrive by the hundred, but they do not change the budget.
  (before, after) => before.view.steps === after.view.steps && before.view.outcome === after.view.outcome,
)

function BudgetNow({ view }: { readonly view: RunView }) {
  const { config, epochs, stepsPerEpoch, steps, outcome } = view
  const series = useMemo(
    () => budgetSeries({ config, epochs, stepsPerEpoch, steps, outcome }),
    [config, epochs, stepsPerEpoch, steps, outcome],
  )
  return (
    <section className="stack" aria-labelledby="budget">
      <h2 id="budget">The budget of edits</h2>
      <Chart
        title="Edits that a step may make, and those that it made"
        xName="step"
        yName="edits"
        series={series}
        xText={count}
        xSteps={wholeSteps}
        yText={wholeOnly}
        height={220}
      />
    </section>
  )
}

const StepList = memo(function StepList({
  run,
  steps,
  epochEnds,
}: { readonly run: string } & Pick<RunView, 'steps' | 'epochEnds'>) {
  const [query] = useQuery()
  const opened = useOpened('step')
  const analysed = useOpened('analysts')
  const ended = useOpened('epoch')
  useShownFirst(query)
  const filter = { words: query.get('q') ?? '', outcome: query.get('outcome') ?? '' }
  const isFiltered = filter.words.trim() !== '' || filter.outcome !== ''
  const shown = isFiltered ? steps.filter(step => matchesStep(step, filter)) : steps
  return (
    <section className="stack" aria-labelledby="steps">
      <header className="spread">
        <h2 id="steps">Steps and their edits</h2>
        <span className="small muted" role="status">
          {isFiltered
            ? `${count(shown.length)} of ${plural(steps.length, 'step')}`
            : plural(steps.length, 'step')}
        </span>
      </header>
      <StepFilters outcomes={[...new Set(steps.map(({ outcome }) => outcome ?? 'under-way'))]} />
      {shown.length === 0 && (
        <p className="muted">No step matches. Take a word away, or choose any outcome.</p>
      )}
      {epochsOf(shown, isFiltered ? [] : epochEnds).map(({ epoch, steps: own, end }) => (
        <section key={epoch} className="run-tight" aria-labelledby={`in-epoch-${epoch}`}>
          <h3 id={`in-epoch-${epoch}`}>Epoch {epoch}</h3>
          <ol className="run-steps">
            {own.map(step => (
              <StepRow
                key={step.step}
                run={run}
                step={step}
                isOpen={opened.has(step.step)}
                toggle={opened.toggle}
                hasAnalysts={analysed.has(step.step)}
                toggleAnalysts={analysed.toggle}
              />
            ))}
          </ol>
          {end !== undefined && (
            <EpochEnd run={run} end={end} isOpen={ended.has(epoch)} toggle={ended.toggle} />
          )}
        </section>
      ))}
    </section>
  )
})

/** The numbers of the expanded items, which the URL holds. */
function useOpened(name: 'step' | 'analysts' | 'epoch') {
  const [query, change] = useQuery()
  const all = query.getAll(name)
  const latest = useRef(all)
  latest.current = all
  const toggle = useCallback(
    (number: number, isOpen: boolean) => {
      const others = latest.current.filter(other => other !== String(number))
      change({ [name]: isOpen ? [...others, String(number)] : others })
    },
    [change, name],
  )
  return { has: (number: number) => all.includes(String(number)), toggle }
}

/** Scrolls once to the step or epoch end that the URL links to. */
function useShownFirst(query: URLSearchParams): void {
  const wanted = useRef(firstWanted(query))
  useEffect(() => {
    const id = wanted.current
    wanted.current = undefined
    if (id !== undefined) document.getElementById(id)?.scrollIntoView({ block: 'start' })
  }, [])
}

function firstWanted(query: URLSearchParams): string | undefined {
  const [epoch, step] = [query.get('epoch'), query.get('step')]
  return epoch !== null ? `epoch-${epoch}` : step !== null ? `step-${step}` : undefined
}

/** Milliseconds after the last keystroke until the search is written to the URL. */
const pauseMs = 250

function StepFilters({ outcomes }: { readonly outcomes: readonly string[] }) {
  const [query, change] = useQuery()
  const asked = query.get('q') ?? ''
  const [text, setText] = useState(asked)
  useEffect(() => setText(asked), [asked])
  useEffect(() => {
    if (text === asked) return
    const timer = setTimeout(() => change({ q: text }), pauseMs)
    return () => clearTimeout(timer)
  }, [text, asked, change])
  const chosen = query.get('outcome') ?? ''
  return (
    <search className="row" aria-label="Filter steps">
      <div className="field">
        <label htmlFor="steps-q">Words in edits</label>
        <input
          id="steps-q"
          type="search"
          maxLength={200}
          value={text}
          onChange={event => setText(event.target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor="steps-outcome">Outcome of the step</label>
        <select id="steps-outcome" value={chosen} onChange={event => change({ outcome: event.target.value })}>
          <option value="">any</option>
          {[...new Set([...outcomes, ...(chosen === '' ? [] : [chosen])])].map(outcome => (
            <option key={outcome} value={outcome}>
              {outcome.replaceAll('-', ' ')}
            </option>
          ))}
        </select>
      </div>
    </search>
  )
}
