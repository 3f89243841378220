import type { LaunchChanges } from '../../../../src/dashboard/contract/launch.js'

/** Changes as query parameters, one `set=train.epochs=2` each. */
export function changesToParams(changes: LaunchChanges): readonly string[] {
  return Object.entries(changes).map(([path, value]) => `${path}=${value}`)
}

/**
 * Splits each parameter at its first equals sign, because a value may contain more of them. Parameters
 * without one are ignored.
 */
export function changesFromParams(params: readonly string[]): LaunchChanges {
  const entries = params.flatMap((param): [string, string][] => {
    const at = param.indexOf('=')
    return at < 1 ? [] : [[param.slice(0, at), param.slice(at + 1)]]
  })
  return Object.fromEntries(entries)
}

/** Sets one change; `undefined` removes it. */
export function withChanged(changes: LaunchChanges, path: string, value: string | undefined): LaunchChanges {
  const { [path]: _before, ...others } = changes
  return value === undefined ? others : { ...others, [path]: value }
}
