import type { RunView } from '../core/state.js'
import { dotted, leafPaths, valueAt } from '../project/tree.js'
import type { Setting } from '../report/source.js'

export function settingsOf({ config, sources }: Pick<RunView, 'config' | 'sources'>): Setting[] {
  return leafPaths(config).map(path => ({
    path: dotted(path),
    value: JSON.stringify(valueAt(config, path)),
    source: sources[dotted(path)] ?? 'default',
  }))
}
