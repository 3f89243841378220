import { useQuery as useFetched } from '@tanstack/react-query'
import { type AttemptFacets, taskChanges } from '../../../../src/dashboard/contract/attempts.js'
import type { SkillVersions } from '../../../../src/dashboard/contract/skill.js'
import { getJson } from '../../api/client.js'
import { useQuery } from '../../parts/address.js'
import { count, visibleLine } from '../../parts/format.js'
import { findVersion } from '../skill/versions.js'

/** Filters tasks attempted with two skills by whether the second did better or worse. */
export function ChangeFilter({
  run,
  changes,
}: {
  readonly run: string
  readonly changes: AttemptFacets['changes']
}) {
  const [query, change] = useQuery()
  const { data } = useFetched({
    queryKey: ['versions', run, 'of attempts'],
    queryFn: ({ signal }) => getJson<SkillVersions>(`/api/runs/${encodeURIComponent(run)}/versions`, signal),
  })
  const versions = (data?.versions ?? []).filter(({ sameAs }) => sameAs === undefined)
  if (versions.length < 2) return null
  // Maps a name in the URL to a version's id. The name may be an alias (`seed`, `best`) or a version whose
  // text equals an earlier one's.
  const idOf = (name: string | null) => {
    const found = name === null || data === undefined ? undefined : findVersion(data, name)
    return found?.sameAs ?? found?.id ?? ''
  }
  const [from, to, chosen] = [idOf(query.get('from')), idOf(query.get('to')), query.get('change') ?? '']
  const select = (name: 'from' | 'to', value: string) => (
    <select
      aria-label={name === 'from' ? 'Changed from skill' : 'Changed to skill'}
      value={value}
      onChange={event =>
        change({ [name]: event.target.value, ...(event.target.value === '' ? { change: undefined } : {}) })
      }
    >
      <option value="">–</option>
      {versions.map(({ id, name: shown, isBest }) => (
        <option key={id} value={id}>
          {visibleLine(shown)}
          {isBest ? ' (best)' : ''}
        </option>
      ))}
    </select>
  )
  return (
    <div className="row attempts-change">
      <span>Tasks tried with both</span>
      {select('from', from)}
      <span>and</span>
      {select('to', to)}
      {changes !== undefined && (
        <fieldset className="attempts-outcomes">
          <legend className="visually-hidden">How they changed</legend>
          {['', ...taskChanges].map(value => (
            <label key={value}>
              <input
                type="radio"
                name="change"
                checked={value === chosen}
                onChange={() => change({ change: value })}
              />
              <span>
                {value === '' ? 'any' : { better: '↑ better', worse: '↓ worse', same: '= same' }[value]}
                <span className="muted figures">
                  {' '}
                  {value === '' ? '' : count(changes[value as keyof typeof changes])}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </div>
  )
}
