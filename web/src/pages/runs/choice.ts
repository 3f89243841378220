import { comparedAtMost } from '../../../../src/dashboard/contract/compare.js'

/** The runs named in the URL, without duplicates. */
export function chosenIn(query: URLSearchParams): readonly string[] {
  return [...new Set(query.getAll('run'))].filter(id => id !== '')
}

/** Adds or removes a run. Does not add a run beyond the maximum. */
export function toggled(chosen: readonly string[], id: string): readonly string[] {
  if (chosen.includes(id)) return chosen.filter(other => other !== id)
  return chosen.length >= comparedAtMost ? chosen : [...chosen, id]
}

/** The URL of a page about these runs. */
export function withRuns(path: string, ids: readonly string[]): string {
  return ids.length === 0 ? path : `${path}?${new URLSearchParams(ids.map(id => ['run', id]))}`
}
