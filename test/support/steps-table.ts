/** A row of `history.json`, with the fields that the table shows. */
export interface StepLine {
  readonly step: number
  readonly epoch: number
  readonly budget: number
  readonly outcome: string
  readonly train?: { readonly hard: number }
  readonly gate?: { readonly score: number; readonly current: number }
  readonly edits: readonly { readonly fate: string }[]
}

/** The steps of a run, one per line. */
export function stepsTable(steps: readonly StepLine[]): string {
  const percent = (share: number | undefined) => (share === undefined ? '' : `${(100 * share).toFixed(0)}%`)
  const head = ['epoch', 'step', 'budget', 'train', 'edits made', 'candidate', 'current', 'outcome']
  const rows = steps.map(({ epoch, step, budget, train, edits, gate, outcome }) => [
    ...[epoch, step, budget].map(String),
    percent(train?.hard),
    String(edits.filter(({ fate }) => fate === 'applied').length),
    percent(gate?.score),
    percent(gate?.current),
    outcome.replace('-', ' '),
  ])
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map(row => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 7 ? cell : cell.padStart(widths[column] ?? 0))).join('  ')
  return [head, ...rows].map(line).join('\n')
}
