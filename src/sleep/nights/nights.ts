import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { InputError, messageOf } from '../../core/errors/errors.js'
import { contentHash } from '../../core/text/hash.js'
import { inWords, isThere, readIfThere, removeDrafts, writePrivateFile } from '../../system/private-file.js'
import {
  begunSchema,
  type NightBegun,
  type NightOutcome,
  type NightPlan,
  outcomeSchema,
  planSchema,
} from '../model/night-record.js'

/** A night, as its files on disk describe it. */
export interface Night {
  readonly number: number
  readonly folder: string
  readonly begun: NightBegun
  readonly plan: NightPlan | undefined
  readonly outcome: NightOutcome | undefined
  /** Path of the proposal, if there is one. */
  readonly proposal: string | undefined
}

/**
 * Returns the folder name of a target's run, such as `skill-notes` for `skill:notes`. Different targets never
 * share a name.
 */
export function targetSlug(name: string): string {
  const slug = name.replace(':', '-').replace(/[^a-z0-9-]+/g, '_')
  return slug === name.replace(':', '-') ? slug : `${slug}-${contentHash(name).slice(0, 6)}`
}

export const nightsFolder = (projectFolder: string): string => join(projectFolder, 'nights')

const nightName = /^\d{3,6}$/

/** Lists all nights of a project, oldest first. */
export async function listNights(projectFolder: string): Promise<readonly Night[]> {
  const folder = nightsFolder(projectFolder)
  if (!(await isThere(folder))) return []
  const names = (await inWords(folder, () => readdir(folder))).filter(name => nightName.test(name)).sort()
  const nights: Night[] = []
  for (const name of names) {
    const night = await readNight(join(folder, name))
    if (night !== undefined) nights.push(night)
  }
  return nights.toSorted((one, other) => one.number - other.number)
}

/** Reads a night; undefined if the folder has no begun.json yet. */
async function readNight(folder: string): Promise<Night | undefined> {
  const begun = await readRecord(join(folder, 'begun.json'), begunSchema)
  if (begun === undefined) return undefined
  const plan = await readRecord(join(folder, 'plan.json'), planSchema)
  const outcome = await readRecord(join(folder, 'outcome.json'), outcomeSchema)
  const proposal = join(folder, 'proposal')
  return {
    number: begun.number,
    folder,
    begun,
    plan,
    outcome,
    proposal: (await isThere(proposal)) ? proposal : undefined,
  }
}

async function readRecord<T extends z.ZodType>(file: string, schema: T): Promise<z.output<T> | undefined> {
  const text = await readIfThere(file)
  if (text === undefined) return undefined
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    throw new InputError(`${file} is damaged, or of another version: ${messageOf(error)}`, {
      hint: 'Move the folder of that night away. What was adopted from it stays.',
      cause: error,
    })
  }
}

/** Creates the night's folder and records the start. */
export async function beginNight(projectFolder: string, begun: NightBegun): Promise<Night> {
  const folder = join(nightsFolder(projectFolder), String(begun.number).padStart(3, '0'))
  await inWords(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }))
  await removeDrafts(folder)
  await writeOnce(folder, 'begun.json', begun)
  return {
    number: begun.number,
    folder,
    begun,
    plan: undefined,
    outcome: undefined,
    proposal: undefined,
  }
}

export const pinPlan = (folder: string, plan: NightPlan): Promise<void> =>
  writeOnce(folder, 'plan.json', plan)
export const endNight = (folder: string, outcome: NightOutcome): Promise<void> =>
  writeOnce(folder, 'outcome.json', outcome)

async function writeOnce(folder: string, name: string, record: unknown): Promise<void> {
  await writePrivateFile(join(folder, name), `${JSON.stringify(record, null, 2)}\n`)
}
