import { useMemo } from 'react'
import { Markdown } from '../../parts/markdown.js'
import { type BlockRow, blockRows } from './blocks.js'

/** Two rendered texts next to each other, with the differing blocks marked. */
export function RenderedDiff({
  before,
  after,
  mode,
  names,
}: {
  readonly before: string
  readonly after: string
  readonly mode: 'inline' | 'side'
  readonly names: readonly [string, string]
}) {
  const rows = useMemo(() => blockRows(before, after), [before, after])
  if (rows.every(({ kind }) => kind === 'same')) {
    return (
      <p className="state">
        {names[0]} and {names[1]} are the same{before === after ? '' : ', but for white space'}.
      </p>
    )
  }
  return (
    <section
      className={`skill-blocks skill-blocks-${mode}`}
      aria-label={`${names[0]} compared with ${names[1]}`}
    >
      {mode === 'side' && (
        <div className="skill-block-row skill-block-names">
          <p>{names[0]}</p>
          <p>{names[1]}</p>
        </div>
      )}
      {rows.map((row, index) => (
        <Row key={index} row={row} mode={mode} />
      ))}
    </section>
  )
}

function Row({ row, mode }: { readonly row: BlockRow; readonly mode: 'inline' | 'side' }) {
  if (row.kind === 'same') {
    return (
      <div className="skill-block-row">
        <Block text={row.text} change="same" />
        {/* Side by side, an unchanged block appears twice. Screen readers skip the copy. */}
        {mode === 'side' && (
          <div aria-hidden="true" className="skill-block">
            <Markdown text={row.text} level={3} />
          </div>
        )}
      </div>
    )
  }
  return (
    <div className="skill-block-row">
      <Block text={row.before} change="removed" />
      <Block text={row.after} change="added" />
    </div>
  )
}

function Block({ text, change }: { readonly text: string; readonly change: 'same' | 'removed' | 'added' }) {
  if (text === '') return <div className="skill-block skill-block-none" />
  return (
    <div className={`skill-block skill-block-${change}`}>
      {change !== 'same' && (
        <p className="skill-block-sign">
          <span aria-hidden="true">{change === 'added' ? '+' : '−'}</span>
          <span className="visually-hidden">{change}:</span>
        </p>
      )}
      <Markdown text={text} level={3} />
    </div>
  )
}
