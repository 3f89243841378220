import { InputError } from '../core/errors/errors.js'
import type { RunView } from '../core/view/fold.js'
import type { RunState } from '../core/view/run-state.js'
import type { RunReader } from '../store/read-run.js'
import { isAlive } from '../system/process-identity.js'

/**
 * The state of a run. A killed run cannot record that in its log, so the state depends on whether its process
 * still exists.
 */
export async function stateOf(view: Pick<RunView, 'outcome' | 'kind' | 'stages' | 'pid'>): Promise<RunState> {
  if (view.outcome !== 'running') return view.outcome === 'cap' ? 'cap reached' : view.outcome
  // Evaluations, gate checks and probes have no final event. They are finished when all announced stages are.
  const announced = view.kind === 'eval' || view.kind === 'gate-check' || view.kind === 'probe'
  if (announced && view.stages.length > 0 && view.stages.every(({ finished }) => finished)) return 'finished'
  const alive = view.pid !== undefined && (await isAlive(view.pid, undefined))
  return alive ? 'running' : 'killed'
}

/** The text of a skill version: `v3`, `seed`, `best` or `last`. */
export async function textOfVersion(
  { reader, view }: { readonly reader: Pick<RunReader, 'get'>; readonly view: RunView },
  named: string,
): Promise<string> {
  if (named === 'seed') return reader.get(view.seedSkill)
  if (named === 'best' && view.best) return reader.get(view.best.text)
  const number = /^v?(\d+)$/.exec(named)?.[1]
  const version =
    named === 'last' ? view.versions.at(-1) : view.versions.find(({ version }) => String(version) === number)
  if (version) return reader.get(version.text)
  const versions = view.versions.map(each => `v${each.version}`)
  throw new InputError(`Run ${view.run} has no version "${named}".`, {
    hint:
      versions.length === 0
        ? 'It has no versions yet.'
        : `Versions: ${versions.join(', ')}; seed, best and last work too.`,
  })
}
