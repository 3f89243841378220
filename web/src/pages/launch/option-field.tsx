import { useId, useState } from 'react'
import type { LaunchOption } from '../../../../src/dashboard/contract/launch.js'
import { visible, visibleLine } from '../../parts/format.js'
import { factsOf } from './facts.js'
import type { FormState } from './form.js'
import { Prose } from './prose.js'

/** One option of the form: its control, description, current value with source, and errors. */
export function OptionField({
  option,
  name,
  state,
}: {
  readonly option: LaunchOption
  /** Label that is shown instead of the option's path. */
  readonly name?: string
  readonly state: FormState
}) {
  const { path, description, kind, locked } = option
  const control = useId()
  const about = useId()
  const { changes, check } = state
  const isChanged = changes[path] !== undefined
  const problems = check?.problems.filter(problem => problem.path === path) ?? []
  const named = <span className={name === undefined ? 'mono' : undefined}>{name ?? path}</span>
  return (
    <div className={`launch-option${isChanged ? ' launch-changed' : ''}`} id={anchorOf(path)}>
      <div className="launch-option-name">
        {kind === 'choices' || locked !== undefined ? named : <label htmlFor={control}>{named}</label>}
        {isChanged && (
          <button
            type="button"
            className="quiet launch-reset"
            onClick={() => state.set(path, undefined)}
            aria-label={`Undo the change of ${path}`}
          >
            Undo
          </button>
        )}
      </div>
      {locked === undefined ? (
        <Control
          id={control}
          about={about}
          option={option}
          shown={changes[path] ?? check?.values?.[path]?.value ?? ''}
          isWrong={problems.length > 0}
          set={value => state.set(path, value)}
        />
      ) : (
        <code className="launch-locked">{check?.values?.[path]?.value ?? option.byDefault ?? 'not set'}</code>
      )}
      <div id={about} className="launch-option-about">
        {problems.map(({ message }) => (
          <p key={message} className="bad">
            {visible(message)}
          </p>
        ))}
        <p>
          <Prose text={description} />
        </p>
        <p>{factsOf(option, changes, check?.values)}</p>
      </div>
    </div>
  )
}

export const anchorOf = (path: string): string => `option-${path}`

interface ControlProps {
  readonly id: string
  /** Id of the element with the control's description. */
  readonly about: string
  readonly option: LaunchOption
  readonly shown: string
  readonly isWrong: boolean
  readonly set: (value: string | undefined) => void
}

function Control(props: ControlProps) {
  const { id, about, option, shown, isWrong, set } = props
  if (option.kind === 'choices') return <Choices {...props} />
  if (option.kind !== 'choice' && option.kind !== 'switch') return <Typed {...props} />
  const choices = option.kind === 'switch' ? ['true', 'false'] : (option.choices ?? [])
  return (
    <select
      id={id}
      aria-describedby={about}
      aria-invalid={isWrong}
      value={shown}
      onChange={event => set(event.target.value === '' ? undefined : event.target.value)}
    >
      {/* The project's value may not be among the choices, for example if it names a custom gate. */}
      {!choices.includes(shown) && (
        <option value={shown}>{shown === '' ? 'not set' : visibleLine(shown)}</option>
      )}
      {choices.map(choice => (
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </select>
  )
}

/** A text field for an option. If the user leaves it empty, it reverts to the project's value. */
function Typed({ id, about, option: { kind }, shown, isWrong, set }: ControlProps) {
  const [draft, setDraft] = useState<string>()
  const common = {
    id,
    'aria-describedby': about,
    'aria-invalid': isWrong,
    value: draft ?? shown,
    placeholder: 'not set',
    onChange: (event: { target: { value: string } }) => {
      setDraft(event.target.value)
      set(event.target.value === '' ? undefined : event.target.value)
    },
    onBlur: () => setDraft(undefined),
  }
  if (kind === 'long text') return <textarea {...common} rows={3} />
  return (
    <input
      {...common}
      autoComplete="off"
      spellCheck={false}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      list={kind === 'model' ? 'launch-models' : undefined}
    />
  )
}

function Choices({ about, option: { path, choices = [] }, shown, set }: ControlProps) {
  const chosen = shown.split(',').filter(choice => choice !== '')
  return (
    <fieldset className="row" aria-label={path} aria-describedby={about}>
      {choices.map(choice => (
        <label key={choice}>
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            onChange={event => {
              const wanted = choices.filter(one =>
                one === choice ? event.target.checked : chosen.includes(one),
              )
              set(wanted.join(','))
            }}
          />{' '}
          {choice}
        </label>
      ))}
    </fieldset>
  )
}
