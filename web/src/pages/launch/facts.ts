import type { LaunchChanges, LaunchCheck, LaunchOption } from '../../../../src/dashboard/contract/launch.js'

/** Describes where an option's value comes from, its default, and the values it accepts. */
export function factsOf(
  { path, byDefault, expected, kind, locked }: LaunchOption,
  changes: LaunchChanges,
  values: LaunchCheck['values'],
): string {
  const source = values?.[path]?.source
  return [
    changes[path] === undefined ? originOf(source) : 'changed here',
    ...(byDefault === undefined || source === 'default' ? [] : [`default ${byDefault}`]),
    ...(kind === 'number' || kind === 'text' || kind === 'model' ? [expected] : []),
    ...(locked === undefined ? [] : [`changed in the project’s file only: ${locked.replace(/^It/, 'it')}`]),
  ].join(' · ')
}

function originOf(source: string | undefined): string {
  if (source === undefined) return 'not set'
  if (source === 'default') return 'the default'
  // A flag that was not set in this form was set for the forked run.
  return source.startsWith('flag ') ? 'as in the run' : `from ${source.replace(/^file /, '')}`
}
