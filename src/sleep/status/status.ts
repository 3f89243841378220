import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import { holderOf } from '../../store/lock.js'
import { isThere, readIfThere } from '../../system/private-file.js'
import { describeTarget, type Receipt, readAdoptions, readLive } from '../adopt/index.js'
import { readBook } from '../book/book.js'
import type { ProposalTarget } from '../model/proposal.js'
import { type TaskSplit, taskBookSchema, taskSplits } from '../model/sleep-task.js'
import { type Night, nightsFolder } from '../nights/nights.js'
import { type NightProposal, readProposals, waiting } from '../proposal/night-proposals.js'
import { createSchedule, nightLog, type Scheduled, scheduleKey } from '../schedule/index.js'
import { type SleepProject, type Surroundings, sleepHome } from '../settings/places.js'

/** The state of Sleep in a project. Reading it changes nothing. */
export interface SleepStatus {
  readonly project: string
  readonly folder: string
  /** True if Sleep has stored anything for the project. */
  readonly isKnown: boolean
  /** All nights, oldest first. Empty if the nights cannot be read. */
  readonly nights: readonly Night[]
  readonly proposals: readonly NightProposal[]
  /** All adoptions and undos, oldest first. `standing` holds the adoptions that still stand. */
  readonly adoptions: { readonly all: readonly Receipt[]; readonly standing: readonly Receipt[] }
  /** The newest finished night. */
  readonly lastNight: Night | undefined
  /** The night that has no outcome yet, because it is running or was interrupted. */
  readonly openNight:
    | {
        readonly night: Night
        readonly isAtWork: boolean
        /**
         * Path of the file with prompts that wait for an answer. Set only if people or agents answer for a
         * model.
         */
        readonly prompts: string | undefined
      }
    | undefined
  readonly waiting: WaitingProposal | undefined
  /** The newest adoption that stands, and its night. */
  readonly adopted: { readonly receipt: Receipt; readonly night: number | undefined } | undefined
  readonly tasks: { readonly splits: Readonly<Record<TaskSplit, number>>; readonly dropped: number }
  readonly harvestedAt: string | undefined
  readonly schedule: Scheduled | undefined
  /** Problems that occurred while reading the state, as sentences. */
  readonly problems: readonly string[]
  /** Log of scheduled nights. */
  readonly log: string
}

export interface WaitingProposal {
  readonly proposal: NightProposal
  /** Differences from the state at the start of the night, as sentences. Empty if nothing changed. */
  readonly changed: readonly string[]
}

export async function sleepStatus(
  { root, folder }: SleepProject,
  { env }: Pick<Surroundings, 'env'>,
): Promise<SleepStatus> {
  const problems: string[] = []
  const noting = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      problems.push(error.message)
      return undefined
    }
  }
  const found = await noting(() => readProposals(folder))
  const book = await noting(() => readBook(folder, root))
  const adoptions = await noting(() => readAdoptions(folder))
  const receipt = adoptions?.standing.at(-1)
  const schedule = await noting(() => scheduleOf(root, env))
  problems.push(...(found?.damaged ?? []).map(({ problem }) => problem))
  const nights = found?.nights ?? []
  const open = nights.findLast(({ outcome }) => outcome === undefined)
  const proposal = found && waiting(found)
  const holder = open && (await holderOf(nightsFolder(folder)))
  const from = found?.proposals.find(one => one.proposal.id === receipt?.proposal)
  return {
    project: root,
    folder,
    isKnown: await isThere(folder),
    schedule,
    log: nightLog(folder),
    nights,
    proposals: found?.proposals ?? [],
    adoptions: adoptions ?? { all: [], standing: [] },
    problems: [...new Set(problems)],
    lastNight: nights.findLast(({ outcome }) => outcome !== undefined),
    openNight: open && { night: open, isAtWork: holder !== undefined, prompts: await promptsOf(open) },
    waiting: proposal && { proposal, changed: await changedSince(proposal) },
    adopted: receipt && { receipt, night: from?.night.number },
    tasks: {
      splits: Object.fromEntries(
        taskSplits.map(split => [split, book?.tasks.filter(task => task.split === split).length ?? 0]),
      ) as Record<TaskSplit, number>,
      dropped: book?.dropped.length ?? 0,
    },
    harvestedAt: book?.harvestedAt,
  }
}

async function promptsOf({ folder }: Night): Promise<string | undefined> {
  const prompts = join(folder, 'handoff', 'PROMPTS.md')
  return (await isThere(prompts)) ? prompts : undefined
}

async function scheduleOf(root: string, env: Surroundings['env']): Promise<Scheduled | undefined> {
  const key = scheduleKey(root)
  return (await createSchedule({ env }).list()).find(scheduled => scheduled.key === key)
}

export async function changedSince({ proposal, open }: NightProposal): Promise<string[]> {
  const targets = proposal.targets.filter(({ name }) => open.includes(name))
  const changes = await Promise.all(targets.map(target => changeOf(target, proposal.roots)))
  return changes.flatMap(change => change ?? [])
}

/** Describes how a target has changed since the night began. Adoption checks if the file may be written. */
async function changeOf(target: ProposalTarget, roots: readonly string[]): Promise<string | undefined> {
  const { name, path, before, regionBefore } = target
  try {
    const now = describeTarget(name, await readLive(path, roots))
    if (now.before === before) return undefined
    if (now.before === null) return `${path} was deleted since.`
    if (before === null) return `${path} was made by somebody since.`
    return now.regionBefore === regionBefore
      ? `${path} was changed since, around the region: that stays when the proposal is adopted.`
      : `The managed region of ${path} was changed since: only single edits can be adopted.`
  } catch (error) {
    if (error instanceof InputError) return error.message
    throw error
  }
}

/** Lists all projects that have a state folder. */
export async function knownProjects(surroundings: Surroundings): Promise<{
  readonly projects: readonly SleepProject[]
  /** State folders that do not say to which project they belong. */
  readonly unknown: readonly string[]
}> {
  const home = join(sleepHome(surroundings), 'projects')
  const names = (await isThere(home)) ? (await readdir(home)).sort() : []
  const projects: SleepProject[] = []
  const unknown: string[] = []
  for (const name of names) {
    const folder = join(home, name)
    const root = await rootOf(folder)
    if (root === undefined) unknown.push(folder)
    else projects.push({ root, folder })
  }
  return { projects, unknown }
}

const aboutProject = taskBookSchema.pick({ project: true }).loose()

async function rootOf(folder: string): Promise<string | undefined> {
  for (const file of [join(folder, 'tasks.json'), ...(await firstNights(folder))]) {
    const root = projectIn((await readIfThere(file)) ?? '')
    if (root !== undefined) return root
  }
  return undefined
}

/**
 * Reads the project's path from a record; undefined if the text is damaged, which the project's own status
 * reports.
 */
function projectIn(text: string): string | undefined {
  try {
    return aboutProject.parse(JSON.parse(text)).project
  } catch {
    return undefined
  }
}

async function firstNights(folder: string): Promise<string[]> {
  const nights = nightsFolder(folder)
  if (!(await isThere(nights))) return []
  return (await readdir(nights))
    .filter(name => /^\d+$/.test(name))
    .map(name => join(nights, name, 'begun.json'))
}
