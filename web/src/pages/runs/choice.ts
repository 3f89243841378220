import { comparedAtMost } from '../../../../src/dashboard/contract/compare.js'

/** The runs that an address names, each once. */
export function chosenIn(query: URLSearchParams): readonly string[] {
  return [...new Set(query.getAll('run'))].filter(id => id !== '')
}

/** With a run that was not chosen, or without one that was; one too many stays out. */
export function toggled(chosen: readonly string[], id: string): readonly string[] {
  if (chosen.includes(id)) return chosen.filter(other => other !== id)
  return chosen.length >= comparedAtMost ? chosen : [...chosen, id]
}

/** The address of a page about these runs. */
export function withRuns(path: string, ids: readonly string[]): string {
  return ids.length === 0 ? path : `${path}?${new URLSearchParams(ids.map(id => ['run', id]))}`
}
