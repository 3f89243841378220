import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { finishHandoff } from '../../models/handoff.js'
import { hasRun } from '../../store/run-directories.js'
import { inWords, removeDrafts } from '../../system/private-file.js'
import { readAdoptions } from '../adopt/index.js'
import { type NightOutcome, nightFormat } from '../model/night-record.js'
import { beginNight, endNight, listNights, type Night } from '../nights/nights.js'
import type { SleepProject } from '../settings/places.js'
import { spentBy } from './spending.js'
import { keptProject } from './target-setup.js'

export const miningDirectory = ({ folder }: Pick<Night, 'folder'>): string => join(folder, 'runs', 'mining')

interface Opening {
  readonly fresh: boolean
  /** Refuses what would end a night that has no plan yet: one that has goes on with that. */
  readonly check: () => Promise<void>
}

/** The night that was stopped, or a new one; with all that went before. */
export async function openNight(
  project: SleepProject,
  { fresh, check }: Opening,
): Promise<{ readonly current: Night; readonly earlier: readonly Night[] }> {
  const nights = await listNights(project.folder)
  const last = nights.at(-1)
  if (fresh || last?.plan === undefined || last.outcome !== undefined) await check()
  if (last === undefined || last.outcome !== undefined) return begin(project, nights)
  const earlier = nights.slice(0, -1)
  if (last.plan === undefined && !(await hasRun(miningDirectory(last)))) {
    // It had not come to anything, and sessions may have been added since.
    await inWords(last.folder, () => rm(last.folder, { recursive: true }))
    return begin(project, earlier)
  }
  await removeDrafts(last.folder)
  if (!fresh) return { current: last, earlier }
  const reason = 'Another night was begun in its place.'
  const { sessions = 0, tasks = [] } = last.plan ?? {}
  const given = await endEarly(last, { outcome: 'given-up', reason, sessions, tasks })
  return begin(project, [...earlier, given])
}

async function begin(project: SleepProject, earlier: readonly Night[]) {
  const number = (await lastNumber(project, earlier)) + 1
  const begun = { format: nightFormat, number, project: project.root, at: new Date().toISOString() } as const
  return { current: await beginNight(project.folder, begun), earlier }
}

/** Adoptions name the night that they come from, also where its folder was moved away: no other may pass for it. */
async function lastNumber({ folder }: SleepProject, nights: readonly Night[]): Promise<number> {
  const { all } = await readAdoptions(folder)
  const adopted = all.map(({ proposal }) => Number(/^night-(\d+)$/.exec(proposal)?.[1] ?? 0))
  return Math.max(0, nights.at(-1)?.number ?? 0, ...adopted)
}

/** A night that has nothing to put up for review. What it took is told all the same. */
export async function endEarly(
  night: Night,
  {
    outcome,
    reason,
    sessions,
    tasks,
  }: Pick<NightOutcome, 'outcome' | 'reason' | 'sessions'> & { readonly tasks: readonly unknown[] },
): Promise<Night> {
  const ended: NightOutcome = {
    ...{ format: nightFormat, outcome, reason, sessions, tasks: tasks.length, targets: [], simulated: false },
    endedAt: new Date().toISOString(),
    spent: await spentBy(night),
  }
  await finishHandoff(join(night.folder, 'handoff'))
  await rm(keptProject(night.folder), { recursive: true, force: true })
  await endNight(night.folder, ended)
  return { ...night, outcome: ended }
}
