import { dotted, leafPaths, valueAt } from '../config/paths.js'
import type { RunView } from './run-view.js'

export interface Setting {
  readonly path: string
  /** The value as JSON. */
  readonly value: string
  /** Origin: a flag, the environment, a file, or `default`. */
  readonly source: string
}

/** Every setting of a run, with its origin. */
export function settingsOf({ config, sources }: Pick<RunView, 'config' | 'sources'>): Setting[] {
  return leafPaths(config).map(path => ({
    path: dotted(path),
    value: JSON.stringify(valueAt(config, path)),
    source: sources[dotted(path)] ?? 'default',
  }))
}
