import { InputError } from '../../core/errors/errors.js'
import type { Split } from '../../core/task/task.js'

const splitNames: Readonly<Record<string, Split | 'all'>> = {
  train: 'train',
  val: 'val',
  test: 'test',
  all: 'all',
  // Names of splits in the Python package.
  valid_seen: 'val',
  selection: 'val',
  valid_unseen: 'test',
}

export function splitNamed(name: string): Split | 'all' {
  const split = Object.hasOwn(splitNames, name) ? splitNames[name] : undefined
  if (split !== undefined) return split
  throw new InputError(`Unknown split "${name}".`, {
    hint: `--split must be one of ${Object.keys(splitNames).join(', ')}.`,
  })
}
