import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { type DiffLine, type DiffRow, diffRows, foldRows, linesInline, type Piece } from './diff-rows.js'
import { plural, visible } from './format.js'

type Names = readonly [string, string]
type Change = DiffLine['change']

/** Returns the link to the details of a line. */
type LineHref = (side: 'before' | 'after', line: number) => string

/**
 * The diff of two texts, inline or side by side, as plain text. With `lineHref`, the numbers of changed lines
 * are links.
 */
export function TextDiff({
  before,
  after,
  mode,
  names,
  lineHref,
}: {
  readonly before: string
  readonly after: string
  readonly mode: 'inline' | 'side'
  readonly names: Names
  readonly lineHref?: LineHref
}) {
  const blocks = useMemo(() => foldRows(diffRows(before, after)), [before, after])
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const title = `${names[0]} compared with ${names[1]}`
  if (before === after) {
    return (
      <p className="state">
        {names[0]} and {names[1]} are the same.
      </p>
    )
  }
  const isSide = mode === 'side'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className={`diff diff-${mode}`} aria-label={title} tabIndex={0}>
      <table>
        <caption className="visually-hidden">{title}</caption>
        {isSide && <SideColumns />}
        <thead>{isSide ? <SideHead names={names} /> : <InlineHead names={names} />}</thead>
        <tbody>
          {blocks.flatMap(({ kind, start, rows }) => {
            if (kind === 'fold' && !opened.has(start)) {
              const open = () => setOpened(new Set([...opened, start]))
              return [<Fold key={`fold ${start}`} lines={rows.length} columns={isSide ? 4 : 3} open={open} />]
            }
            return isSide
              ? rows.map((row, index) => (
                  <SideRow key={`row ${start + index}`} row={row} lineHref={lineHref} />
                ))
              : linesInline(rows).map(line => (
                  <InlineRow
                    key={`line ${line.before ?? ''}:${line.after ?? ''}`}
                    line={line}
                    lineHref={lineHref}
                  />
                ))
          })}
        </tbody>
      </table>
    </section>
  )
}

/** Sets the widths of the columns. The cells of the first row span two columns and cannot set them. */
function SideColumns() {
  return (
    <colgroup>
      <col className="diff-number" />
      <col />
      <col className="diff-number" />
      <col />
    </colgroup>
  )
}

function SideHead({ names }: { readonly names: Names }) {
  return (
    <tr>
      {names.map((name, index) => (
        <th key={index === 0 ? 'before' : 'after'} scope="colgroup" colSpan={2}>
          {visible(name)}
        </th>
      ))}
    </tr>
  )
}

function InlineHead({ names: [left, right] }: { readonly names: Names }) {
  return (
    <tr>
      <th scope="col" colSpan={2}>
        Line
      </th>
      <th scope="col">
        <span className="diff-sign">−</span> {visible(left)} <span className="diff-sign">+</span>{' '}
        {visible(right)}
      </th>
    </tr>
  )
}

function Fold({
  lines,
  columns,
  open,
}: {
  readonly lines: number
  readonly columns: number
  readonly open: () => void
}) {
  return (
    <tr className="diff-fold">
      <td colSpan={columns}>
        <button type="button" className="quiet" onClick={open}>
          Show {plural(lines, 'unchanged line')}
        </button>
      </td>
    </tr>
  )
}

interface Linked {
  /** Creates the links of changed lines. */
  readonly lineHref: LineHref | undefined
}

function SideRow({ row: { kind, before, after }, lineHref }: { readonly row: DiffRow } & Linked) {
  const href = kind === 'same' ? undefined : lineHref
  return (
    <tr>
      <NumberCell side="before" line={before?.line} lineHref={href} />
      <TextCell pieces={before?.pieces} change={kind === 'same' ? 'same' : 'removed'} />
      <NumberCell side="after" line={after?.line} lineHref={href} />
      <TextCell pieces={after?.pieces} change={kind === 'same' ? 'same' : 'added'} />
    </tr>
  )
}

function InlineRow({ line, lineHref }: { readonly line: DiffLine } & Linked) {
  const href = line.change === 'same' ? undefined : lineHref
  return (
    <tr>
      <NumberCell side="before" line={line.before} lineHref={href} />
      <NumberCell side="after" line={line.after} lineHref={href} />
      <TextCell pieces={line.pieces} change={line.change} />
    </tr>
  )
}

function NumberCell({
  side,
  line,
  lineHref,
}: { readonly side: 'before' | 'after'; readonly line: number | undefined } & Linked) {
  return (
    <td className="diff-number">
      {line === undefined || lineHref === undefined ? (
        line
      ) : (
        <Link href={lineHref(side, line)} title="Where this line came from">
          {line}
        </Link>
      )}
    </td>
  )
}

const signs: Readonly<Record<Change, string>> = { same: ' ', removed: '−', added: '+' }

function TextCell({
  pieces,
  change,
}: {
  readonly pieces: readonly Piece[] | undefined
  readonly change: Change
}) {
  if (pieces === undefined) return <td className="diff-text diff-nothing" />
  const Marked = change === 'added' ? 'ins' : 'del'
  return (
    <td className={`diff-text diff-${change}`}>
      <span className="diff-sign" aria-hidden="true">
        {signs[change]}
      </span>
      {change !== 'same' && <span className="visually-hidden">{change}: </span>}
      {withPlaces(pieces).map(({ text, changed, at }) =>
        changed ? <Marked key={at}>{visible(text)}</Marked> : <span key={at}>{visible(text)}</span>,
      )}
    </td>
  )
}

function withPlaces(pieces: readonly Piece[]): readonly (Piece & { readonly at: number })[] {
  let at = 0
  return pieces.map(piece => {
    const placed = { ...piece, at }
    at += piece.text.length
    return placed
  })
}
