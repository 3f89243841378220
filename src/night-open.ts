import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type NightOutcome, nightFormat } from './core/night.js'
import { hasRun, viewRun } from './directories.js'
import { finishHandoff } from './models/handoff.js'
import { beginNight, endNight, listNights, type Night } from './sleep/nights.js'
import type { SleepProject } from './sleep/places.js'
import { inWords } from './sleep/private-file.js'
import { spentOf } from './sleep/proposal/outcome.js'

export const miningDirectory = ({ folder }: Pick<Night, 'folder'>): string => join(folder, 'runs', 'mining')

/** The night that was stopped, or a new one; with all that went before. */
export async function openNight(
  project: SleepProject,
  { fresh }: { readonly fresh: boolean },
): Promise<{ readonly current: Night; readonly earlier: readonly Night[] }> {
  const nights = await listNights(project.folder)
  const last = nights.at(-1)
  if (last === undefined || last.outcome !== undefined) return begin(project, nights)
  const earlier = nights.slice(0, -1)
  if (last.plan === undefined && !(await hasRun(miningDirectory(last)))) {
    // It had not come to anything, and sessions may have been added since.
    await inWords(last.folder, () => rm(last.folder, { recursive: true }))
    return begin(project, earlier)
  }
  if (!fresh) return { current: last, earlier }
  const reason = 'Another night was begun in its place.'
  const given = await endEarly(last, { outcome: 'given-up', reason, sessions: 0, tasks: [] })
  return begin(project, [...earlier, given])
}

async function begin(project: SleepProject, earlier: readonly Night[]) {
  const number = (earlier.at(-1)?.number ?? 0) + 1
  const begun = { format: nightFormat, number, project: project.root, at: new Date().toISOString() } as const
  return { current: await beginNight(project.folder, begun), earlier }
}

/** A night that has nothing to put up for review. What reading took is told all the same. */
export async function endEarly(
  night: Night,
  {
    outcome,
    reason,
    sessions,
    tasks,
  }: Pick<NightOutcome, 'outcome' | 'reason' | 'sessions'> & { readonly tasks: readonly unknown[] },
): Promise<Night> {
  const mining = miningDirectory(night)
  const ended: NightOutcome = {
    ...{ format: nightFormat, outcome, reason, sessions, tasks: tasks.length, targets: [], simulated: false },
    endedAt: new Date().toISOString(),
    spent: spentOf((await hasRun(mining)) ? [await viewRun(mining)] : []),
  }
  await finishHandoff(join(night.folder, 'handoff'))
  await endNight(night.folder, ended)
  return { ...night, outcome: ended }
}
