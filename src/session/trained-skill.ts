import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InputError } from '../core/errors/errors.js'
import { checkSkill } from '../core/skill/skill.js'
import { readRun } from '../store/read-run.js'
import { findRun, newestFinished, readVersion } from '../store/run-directories.js'
import { readText } from '../system/documents.js'
import type { Setup } from '../trainer/loops/setup.js'

/** A skill, read from its file or from the run that trained it. */
export interface TrainedSkill {
  readonly text: string
  /** The file name as given by the user, or `RUN@VERSION`. */
  readonly from: string
  /** The directory of the run that trained it; undefined for a skill from a file. */
  readonly run: string | undefined
}

/** Names the best skill of a project's newest finished run. Likewise, `@v3` names version 3 of that run. */
export const newestBest = '@best'

const versionSuffix = /@(v?\d+|best)$/

/**
 * Reads a skill file, a run's best skill, or `RUN@VERSION`. Without RUN, the newest finished run of `project`
 * is used.
 */
export async function readTrained(
  named: string,
  { project, cwd }: { readonly project: string; readonly cwd: string },
): Promise<TrainedSkill> {
  const path = resolve(cwd, named)
  if (/\.md$/i.test(named) || (await isFile(path)))
    return { text: await readSkill(path, named), from: named, run: undefined }
  const suffix = versionSuffix.exec(named)?.[0] ?? newestBest
  const runName = named.replace(versionSuffix, '')
  const run =
    runName === ''
      ? await newestRunOf(project, cwd)
      : await findRun(runName, cwd).catch(error => throwNotFound(named, error))
  const { text, from } = await readVersion(`${run}${suffix}`, cwd)
  return { text, from, run }
}

/** Warns if the skill was trained on other splits, because it may then have seen the test tasks. */
export async function trainingWarnings(
  { from, run }: TrainedSkill,
  { fingerprints }: Pick<Setup, 'fingerprints'>,
): Promise<string[]> {
  if (run === undefined) return []
  const before = await fingerprintsOf(run)
  const changed = ['train', 'val'].filter(split => before[split] !== fingerprints[split])
  if (changed.length === 0) return []
  return [
    `${from} was trained with other ${changed.join(' and ')} tasks than the project has now: some of the test tasks may not be new to it.`,
  ]
}

export async function readSkill(path: string, shownAs = path): Promise<string> {
  const text = await readText(path, `The skill ${shownAs}`)
  checkSkill(text, shownAs)
  return text
}

async function newestRunOf(project: string, cwd: string): Promise<string> {
  const run = await newestFinished(project, cwd)
  if (run !== undefined) return run
  throw new InputError(`No finished training run of "${project}" in runs/.`, {
    hint: 'Train it first (skillopt train), or name a skill with --skill: a file, a run, or RUN@VERSION.',
  })
}

function throwNotFound(named: string, error: unknown): never {
  if (!(error instanceof InputError)) throw error
  throw new InputError(`There is no skill file or run "${named}" here.`, {
    hint: error.hint,
    cause: error,
  })
}

async function fingerprintsOf(directory: string): Promise<Readonly<Record<string, string>>> {
  for await (const event of (await readRun(directory)).events()) {
    if (event.type === 'run.started') return event.body.fingerprints
  }
  return {}
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    entry => entry.isFile(),
    () => false,
  )
}
