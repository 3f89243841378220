import type { GateName } from '../../../../src/dashboard/contract/details.js'
import type { filterNames } from '../trajectories/filters.js'

/** Hrefs of a run's pages, for links. */

const base = (run: string) => `~/runs/${encodeURIComponent(run)}`

export function gateHref(run: string, name: GateName): string {
  return `${base(run)}/gate/${encodeURIComponent(name)}`
}

/** The steps page with one step expanded. */
export function stepHref(run: string, step: number): string {
  return `${base(run)}/gate?step=${step}`
}

type Filter = Readonly<Partial<Record<(typeof filterNames)[number], string>>>

export function attemptsHref(run: string, filter: Filter = {}): string {
  const query = new URLSearchParams(filter)
  return `${base(run)}/trajectories${query.size === 0 ? '' : `?${query}`}`
}

/** The same task under two skills, side by side. */
export function compareHref(run: string, task: string, from: string, to: string): string {
  return `${base(run)}/trajectories/compare?${new URLSearchParams({ task, from, to })}`
}

/** Link to the diff of two skills, each given by id or by hash. */
export function changesHref(run: string, from: string, to: string): string {
  return `${base(run)}/skill?${new URLSearchParams({ from, to, as: 'changes' })}`
}

export function skillHref(run: string, version: string): string {
  return `${base(run)}/skill?${new URLSearchParams({ to: version })}`
}

/** Link to the end of an epoch on the steps page. */
export function epochHref(run: string, epoch: number): string {
  return `${base(run)}/gate?epoch=${epoch}`
}
