import { useQuery } from '../../parts/address.js'
import type { TextForm } from './long-text.js'

export function useTextForm(): TextForm {
  const [query] = useQuery()
  return query.get('text') === 'rendered' ? 'rendered' : 'written'
}

/** Switch between Markdown and plain text. Only the reader can tell which suits a message. */
export function TextFormChoice() {
  const [, change] = useQuery()
  const form = useTextForm()
  return (
    <fieldset className="attempts-outcomes">
      <legend className="visually-hidden">Texts of the conversation</legend>
      {(['written', 'rendered'] as const).map(each => (
        <label key={each}>
          <input
            type="radio"
            name="text-form"
            checked={each === form}
            onChange={() => change({ text: each === 'written' ? undefined : each })}
          />
          <span>{{ written: 'As written', rendered: 'As Markdown' }[each]}</span>
        </label>
      ))}
    </fieldset>
  )
}
