import { useId, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { AttemptDetail, AttemptLine } from '../../../../src/dashboard/contract/attempts.js'
import { useQuery } from '../../parts/address.js'
import { count, plural, visibleLine } from '../../parts/format.js'
import { choiceOf, OutcomeBadge, placeOf, scoresOf } from './outcome.js'
import { compareHref, counterpartOf } from './pairs.js'

/** The other attempts at the same task, with their outcomes and skills. */
export function OtherAttempts({ detail: { line, ofTask, ofTaskCount } }: { readonly detail: AttemptDetail }) {
  const all = `/?${new URLSearchParams({ task: line.task, sort: 'time' })}`
  return (
    <section className="attempt-others" aria-labelledby="others">
      <h3 id="others">All attempts at this task</h3>
      <ol className="attempt-list">
        {ofTask.map(each => (
          <OtherAttempt key={each.seq} line={each} shown={line} />
        ))}
      </ol>
      <p className="small">
        {ofTask.length < ofTaskCount && `${count(ofTask.length)} of ${plural(ofTaskCount, 'attempt')}. `}
        <Link href={all}>In the list</Link>
      </p>
    </section>
  )
}

function OtherAttempt({ line, shown }: { readonly line: AttemptLine; readonly shown: AttemptLine }) {
  const [query] = useQuery()
  const isShown = line.seq === shown.seq
  const name = `${visibleLine(line.skill.name)}, ${placeOf(line)}`
  return (
    <li className={isShown ? 'attempt-shown' : undefined}>
      <span className="row">
        {isShown ? (
          <strong>{visibleLine(line.skill.name)}</strong>
        ) : (
          <Link href={`/${line.seq}${query.size === 0 ? '' : `?${query}`}`}>
            {visibleLine(line.skill.name)}
          </Link>
        )}
        <OutcomeBadge outcome={line.outcome} />
        <span className="figures small">{scoresOf(line)}</span>
      </span>
      <span className="row small muted">
        {placeOf(line)}
        {isShown ? (
          <span>this one</span>
        ) : (
          <Link href={compareHref(shown, line)} aria-label={`Compare with ${name}`}>
            compare
          </Link>
        )}
      </span>
    </li>
  )
}

/** Chooses another attempt to compare with this one. */
export function CompareWith({ detail: { line, ofTask } }: { readonly detail: AttemptDetail }) {
  const [, go] = useLocation()
  const id = useId()
  const suggested = counterpartOf(line, ofTask)
  const [chosen, setChosen] = useState(suggested?.seq)
  if (suggested === undefined || chosen === undefined) return null
  return (
    <form
      className="row attempt-compare"
      onSubmit={event => {
        event.preventDefault()
        go(compareHref(line, { seq: chosen }))
      }}
    >
      <label htmlFor={id}>Compare with</label>
      <select id={id} value={chosen} onChange={event => setChosen(Number(event.target.value))}>
        {ofTask
          .filter(({ seq }) => seq !== line.seq)
          .map(each => (
            <option key={each.seq} value={each.seq}>
              {choiceOf(each)}
            </option>
          ))}
      </select>
      <button type="submit">Compare</button>
    </form>
  )
}
