import { type KeyboardEvent, useEffect, useRef } from 'react'
import type { SkillSource } from '../../../../src/dashboard/contract/skill.js'
import { visible } from '../../parts/format.js'

/** The text with the origin of each line. Tab reaches it once; the arrow keys move between lines. */
export function SourceLines({
  source: { lines, origins },
  line,
  choose,
}: {
  readonly source: SkillSource
  readonly line: number | undefined
  readonly choose: (line: number) => void
}) {
  const list = useRef<HTMLOListElement>(null)
  const buttonOf = (number: number) => list.current?.children[number - 1]?.querySelector('button')
  useEffect(() => {
    if (line !== undefined) list.current?.children[line - 1]?.scrollIntoView({ block: 'nearest' })
  }, [line])

  const onKeyDown = (event: KeyboardEvent<HTMLOListElement>) => {
    const at = lines.findIndex((_, index) => buttonOf(index + 1) === document.activeElement) + 1
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 1, End: lines.length }[event.key]
    if (at === 0 || to === undefined) return
    event.preventDefault()
    buttonOf(Math.min(Math.max(1, to), lines.length))?.focus()
  }

  const labelsOf = (names: readonly string[]) => names.map(name => origins[name]?.label ?? name).join(', ')
  return (
    <ol className="skill-lines" ref={list} onKeyDown={onKeyDown}>
      {lines.map(({ text, origins: from }, index) => {
        const number = index + 1
        const isNew = from.some(origin => origin !== 'seed')
        return (
          <li key={number} id={`L${number}`}>
            <button
              type="button"
              className={`skill-line${isNew ? ' skill-line-new' : ''}`}
              tabIndex={number === (line ?? 1) ? 0 : -1}
              aria-expanded={number === line}
              aria-controls="provenance"
              onClick={() => choose(number)}
            >
              <span className="skill-line-number">
                <span className="visually-hidden">line </span>
                {number}
              </span>
              <span className="skill-line-text">{visible(text)}</span>
              <span className="skill-line-origin">{labelsOf(from)}</span>
            </button>
          </li>
        )
      })}
    </ol>
  )
}
