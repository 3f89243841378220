import type { ReactNode } from 'react'

export interface Column<Row> {
  readonly key: string
  readonly name: string
  /** Shown in the column header instead of the name. */
  readonly head?: ReactNode
  readonly align?: 'start' | 'end'
  /** Whether rows can be sorted by this column. */
  readonly sort?: boolean
  /** Whether the cell is the header of its row, which screen readers announce with each cell. */
  readonly header?: boolean
  readonly cell: (row: Row) => ReactNode
}

export interface Sort {
  readonly key: string
  readonly descending: boolean
}

/**
 * A table in a scrolling box. The caller sorts the rows; `onSort` receives the column that was clicked. With
 * `cards`, each row becomes a card on narrow screens.
 */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  sort,
  onSort,
  rowClass,
  cards = false,
}: {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  readonly sort?: Sort
  readonly onSort?: (key: string) => void
  readonly rowClass?: (row: Row) => string | undefined
  readonly cards?: boolean
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className={`table-box${cards ? ' table-cards' : ''}`} aria-label={caption} tabIndex={0}>
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(column => (
              <HeadCell key={column.key} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={rowKey(row)} className={rowClass?.(row)}>
              {columns.map(column => (
                <BodyCell key={column.key} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function HeadCell<Row>({
  column,
  sort,
  onSort,
}: {
  readonly column: Column<Row>
  readonly sort: Sort | undefined
  readonly onSort: ((key: string) => void) | undefined
}) {
  const { key, name, head = name, align } = column
  const className = align === 'end' ? 'end' : undefined
  if (column.sort !== true || onSort === undefined) {
    return (
      <th scope="col" className={className}>
        {head}
      </th>
    )
  }
  const direction = sort?.key !== key ? 'none' : sort.descending ? 'descending' : 'ascending'
  return (
    <th scope="col" className={className} aria-sort={direction}>
      <button type="button" className="table-sort" onClick={() => onSort(key)}>
        {head}
        <span aria-hidden="true">{{ none: '', descending: ' ↓', ascending: ' ↑' }[direction]}</span>
      </button>
    </th>
  )
}

function BodyCell<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const className = column.align === 'end' ? 'end' : undefined
  return column.header === true ? (
    <th scope="row" className={className} data-label={column.name}>
      {column.cell(row)}
    </th>
  ) : (
    <td className={className} data-label={column.name}>
      {column.cell(row)}
    </td>
  )
}

/** The sort order after a click on a column. A second click reverses the direction. */
export function nextSort(sort: Sort | undefined, key: string, descendingFirst = false): Sort {
  return sort?.key === key ? { key, descending: !sort.descending } : { key, descending: descendingFirst }
}

/** Parses the sort order in the URL: `cost` or `-cost`. */
export function sortFromText(text: string | null): Sort | undefined {
  if (text === null || text === '' || text === '-') return undefined
  return text.startsWith('-') ? { key: text.slice(1), descending: true } : { key: text, descending: false }
}

export function sortToText({ key, descending }: Sort): string {
  return `${descending ? '-' : ''}${key}`
}

/** Sorts rows by a value. Rows without a value come last in either direction. */
export function sorted<Row>(
  rows: readonly Row[],
  valueIn: (row: Row) => string | number | undefined,
  descending: boolean,
): readonly Row[] {
  const sign = descending ? -1 : 1
  return rows.toSorted((left, right) => {
    const [a, b] = [valueIn(left), valueIn(right)]
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    return (
      sign * (typeof a === 'number' && typeof b === 'number' ? a - b : compareTexts(String(a), String(b)))
    )
  })
}

const compareTexts = new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare
