import type {
  LaunchCheck,
  LaunchFork,
  LaunchOption,
  LaunchOptions,
  LaunchProject,
} from '../../../../src/dashboard/contract/launch.js'
import { useQuery } from '../../parts/address.js'
import { AllOptions } from './all-options.js'
import { caps } from './caps.js'
import { changesFromParams, changesToParams, withChanged } from './changes.js'
import { OptionField } from './option-field.js'
import { Outlook } from './outlook.js'
import { useCheck } from './use-check.js'

/** Shared state of the form's parts. */
export interface FormState {
  readonly changes: Readonly<Record<string, string>>
  readonly check: LaunchCheck | undefined
  /** Paths of all options in the form. */
  readonly paths: ReadonlySet<string>
  /** Sets a change; `undefined` removes it. */
  readonly set: (path: string, value: string | undefined) => void
}

const upFront = [
  'preset',
  ...['target', 'optimizer', 'judge'].map(role => `models.${role}`),
  ...caps.map(({ name }) => `limits.${name}`),
]

/** The settings of a training next to their forecast. Changes are kept in the URL. */
export function LaunchForm({
  project,
  options: { options, models },
  fork,
}: {
  readonly project: LaunchProject
  readonly options: LaunchOptions
  readonly fork: LaunchFork | undefined
}) {
  const [query, change] = useQuery()
  const changes = changesFromParams(query.getAll('set'))
  const request = { project: project.id, changes, ...(fork === undefined ? {} : { fork }) }
  const checked = useCheck(request)
  const state: FormState = {
    changes,
    check: checked.check,
    paths: new Set([...options, ...(checked.check?.environment ?? [])].map(({ path }) => path)),
    set: (path, value) => change({ set: changesToParams(withChanged(changes, path, value)) }),
  }
  const byPath = new Map(options.map(option => [option.path, option]))
  const field = (path: string, name: string) => {
    const option = byPath.get(path)
    return option === undefined ? null : <OptionField key={path} option={option} name={name} state={state} />
  }
  const rest: readonly LaunchOption[] = [
    ...options.filter(({ path }) => !upFront.includes(path)),
    ...(checked.check?.environment ?? []),
  ]
  return (
    <div className="launch-columns">
      <form className="stack" onSubmit={event => event.preventDefault()} aria-label="Settings">
        <datalist id="launch-models">
          {models.map(model => (
            <option key={model} value={model} />
          ))}
        </datalist>
        <section className="panel">
          <h2>Models and preset</h2>
          <div className="launch-fields">
            {field('models.target', 'Target')}
            {field('models.optimizer', 'Optimizer')}
            {field('models.judge', 'Judge')}
            {field('preset', 'Preset')}
          </div>
        </section>
        <section className="panel">
          <h2>Caps</h2>
          <p className="muted small">
            Hard limits: the training stops before it passes one, and can be resumed.
          </p>
          <div className="launch-fields launch-fields-narrow">
            {caps.map(({ name, label }) => field(`limits.${name}`, label))}
          </div>
        </section>
        <AllOptions options={rest} state={state} />
      </form>
      <Outlook request={request} checked={checked} state={state} />
    </div>
  )
}
