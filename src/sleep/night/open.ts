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
  /** Throws on problems that would fail a night without a plan. A night with a plan resumes it unchecked. */
  readonly check: () => Promise<void>
}

/** Returns the interrupted night or a new one, with all earlier nights. */
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
    // The night had produced nothing yet, and there may be new sessions since.
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

/**
 * Adoptions refer to their night by number even if its folder was moved away, so a number is never reused.
 */
async function lastNumber({ folder }: SleepProject, nights: readonly Night[]): Promise<number> {
  const { all } = await readAdoptions(folder)
  const adopted = all.map(({ proposal }) => Number(/^night-(\d+)$/.exec(proposal)?.[1] ?? 0))
  return Math.max(0, nights.at(-1)?.number ?? 0, ...adopted)
}

/** Ends a night without a proposal; its spending is still recorded. */
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
    format: nightFormat,
    outcome,
    reason,
    sessions,
    tasks: tasks.length,
    targets: [],
    simulated: false,
    endedAt: new Date().toISOString(),
    spent: await spentBy(night),
  }
  await finishHandoff(join(night.folder, 'handoff'))
  await rm(keptProject(night.folder), { recursive: true, force: true })
  await endNight(night.folder, ended)
  return { ...night, outcome: ended }
}
