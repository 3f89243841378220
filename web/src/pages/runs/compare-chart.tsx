import { useMemo } from 'react'
import type { ComparedRun } from '../../../../src/dashboard/contract/compare.js'
import { useQuery } from '../../parts/address.js'
import { Chart } from '../../parts/chart.js'
import { points } from '../../parts/format.js'
import { axes, axisIn, axisWords, curveKindIn, curveKinds, curvesOf, curveWords } from './curves.js'

/** The scores of all runs over the chosen x-axis. */
export function CompareChart({ runs }: { readonly runs: readonly ComparedRun[] }) {
  const [query, change] = useQuery()
  const by = axisIn(query)
  const kind = curveKindIn(query)
  const { series, notes } = useMemo(() => curvesOf(runs, by, kind), [runs, by, kind])
  const { name, text, steps } = axisWords[by]
  return (
    <section className="panel" aria-label="Scores of the runs">
      <div className="row runs-axes">
        <Choice
          legend="Score against"
          name="by"
          values={axes}
          chosen={by}
          word={value => axisWords[value].choice}
          choose={value => change({ by: value === 'step' ? undefined : value })}
        />
        <Choice
          legend="Score"
          name="score"
          values={curveKinds}
          chosen={kind}
          word={value => curveWords[value]}
          choose={value => change({ score: value === 'best' ? undefined : value })}
        />
      </div>
      <Chart
        // A chart cannot change its axis labels, so a different axis creates a new chart.
        key={`${by} ${kind}`}
        title={`${kind === 'best' ? 'Best validation score so far' : 'Validation score'} by ${name}`}
        xName={name}
        yName="score"
        series={series}
        xText={text}
        yText={points}
        height={360}
        {...(steps === undefined ? {} : { xSteps: steps })}
      />
      {notes.length > 0 && (
        <ul className="small muted runs-notes" aria-label="What the chart does not show">
          {notes.map(note => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Choice<Value extends string>({
  legend,
  name,
  values,
  chosen,
  word,
  choose,
}: {
  readonly legend: string
  readonly name: string
  readonly values: readonly Value[]
  readonly chosen: Value
  readonly word: (value: Value) => string
  readonly choose: (value: Value) => void
}) {
  return (
    <fieldset className="runs-choices">
      <legend className="small muted">{legend}</legend>
      <div className="row">
        {values.map(value => (
          <label key={value}>
            <input type="radio" name={name} checked={value === chosen} onChange={() => choose(value)} />{' '}
            {word(value)}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
