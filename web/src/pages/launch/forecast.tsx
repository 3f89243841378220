import type { ForecastRange, LaunchForecast } from '../../../../src/dashboard/contract/launch.js'
import { count, money, shortCount } from '../../parts/format.js'
import { Stat, Stats } from '../../parts/stat.js'
import { DataTable } from '../../parts/table.js'

/** The total forecast of a training. */
export function ForecastTotal({
  forecast: { total, warnings, onTop },
}: {
  readonly forecast: LaunchForecast
}) {
  return (
    <>
      {warnings.map(warning => (
        <p key={warning} className="launch-warning">
          <strong>Warning:</strong> {warning}
        </p>
      ))}
      <Stats>
        <Stat label="Calls" value={count(total.calls.likely)} note={range(total.calls, shortCount)} />
        <Stat label="Tokens" value={shortCount(total.tokens.likely)} note={range(total.tokens, shortCount)} />
        <Stat label="Cost" value={likelyCost(total.cost)} note={costRange(total.cost)} />
      </Stats>
      <p className="muted small">Most likely, and from the least to the most. A forecast, not a bill.</p>
      {onTop.map(what => (
        <p key={what} className="small">
          Not in these figures: what {what} take, which is unknown.
        </p>
      ))}
    </>
  )
}

/** The forecast by stage and by preset, and what it is based on. */
export function ForecastDetails({
  forecast,
  choose,
}: {
  readonly forecast: LaunchForecast
  readonly choose: (preset: string) => void
}) {
  const { rows, presets } = forecast
  return (
    <>
      <h3>By stage</h3>
      <DataTable
        caption="Forecast by stage"
        columns={[
          { key: 'stage', name: 'Stage', header: true, cell: row => row.stage },
          { key: 'role', name: 'Model', cell: row => row.role },
          { key: 'calls', name: 'Calls', align: 'end', cell: row => shortCount(row.calls.likely) },
          { key: 'tokens', name: 'Tokens', align: 'end', cell: row => shortCount(row.tokens.likely) },
          { key: 'cost', name: 'Cost', align: 'end', cell: row => likelyCost(row.cost) },
        ]}
        rows={rows}
        rowKey={row => `${row.stage} ${row.role}`}
      />
      <h3>Under each preset</h3>
      <DataTable
        caption="Forecast under each preset"
        columns={[
          {
            key: 'preset',
            name: 'Preset',
            header: true,
            cell: row =>
              row.preset === forecast.preset ? (
                <strong>{row.preset} (chosen)</strong>
              ) : (
                <button type="button" className="quiet launch-preset" onClick={() => choose(row.preset)}>
                  {row.preset}
                </button>
              ),
          },
          { key: 'calls', name: 'Calls', align: 'end', cell: row => shortCount(row.calls.likely) },
          { key: 'tokens', name: 'Tokens', align: 'end', cell: row => shortCount(row.tokens.likely) },
          { key: 'cost', name: 'Cost', align: 'end', cell: row => likelyCost(row.cost) },
          {
            key: 'most',
            name: 'At most',
            align: 'end',
            cell: row => (row.cost === undefined ? 'unknown' : money(row.cost.high)),
          },
        ]}
        rows={presets}
        rowKey={row => row.preset}
      />
      <Basis forecast={forecast} />
    </>
  )
}

function Basis({
  forecast: { measured, assumptions, prices, guessesLengths },
}: {
  readonly forecast: LaunchForecast
}) {
  return (
    <details>
      <summary>What this rests on</summary>
      <ul className="launch-basis">
        {measured.map(text => (
          <li key={text}>Measured: {text}.</li>
        ))}
        {assumptions.map(text => (
          <li key={text}>Assumed: {text}.</li>
        ))}
        {prices.map(({ role, model, price, from, date }) => (
          <li key={role}>
            Price of the {role}, {model}:{' '}
            {price === undefined
              ? 'unknown'
              : `$${price.input} in and $${price.output} out per million tokens, from the ${from === 'config' ? 'project’s file' : from}${date === undefined ? '' : ` of ${date}`}`}
            .
          </li>
        ))}
        {guessesLengths && (
          <li>
            How long replies are is a guess so far: <code>skillopt train --dry-run --probe</code> makes a few
            calls to find out.
          </li>
        )}
      </ul>
    </details>
  )
}

export const likelyCost = (cost: ForecastRange | undefined): string =>
  cost === undefined ? 'unknown' : money(cost.likely)

export const costRange = (cost: ForecastRange | undefined): string =>
  cost === undefined ? 'a price is not known' : range(cost, money)

export function range({ low, high }: ForecastRange, format: (value: number) => string): string {
  const [from, to] = [format(low), format(high)]
  return from === to ? from : `${from} to ${to}`
}
