import type { LaunchChanges } from '../../../../src/dashboard/contract/launch.js'

/** Changes as they stand in the address: `set=train.epochs=2`, as often as there are. */
export function changesToParams(changes: LaunchChanges): readonly string[] {
  return Object.entries(changes).map(([path, value]) => `${path}=${value}`)
}

/** Only the first equals sign divides: a value may hold more. What has none is no change. */
export function changesFromParams(params: readonly string[]): LaunchChanges {
  const entries = params.flatMap((param): [string, string][] => {
    const at = param.indexOf('=')
    return at < 1 ? [] : [[param.slice(0, at), param.slice(at + 1)]]
  })
  return Object.fromEntries(entries)
}

/** Undefined takes a change back. */
export function withChanged(changes: LaunchChanges, path: string, value: string | undefined): LaunchChanges {
  const { [path]: _before, ...others } = changes
  return value === undefined ? others : { ...others, [path]: value }
}
