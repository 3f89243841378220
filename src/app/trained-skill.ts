import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InputError } from '../core/errors/errors.js'
import { readSkill } from '../session/measuring.js'
import { readRun } from '../store/read-run.js'
import { findRun, readVersion } from '../store/run-directories.js'
import type { Setup } from '../trainer/loops/setup.js'

/** A skill that training made, as a person names it: by its file, its run, or `RUN@VERSION`. */
export interface TrainedSkill {
  readonly text: string
  readonly from: string
  /** The directory of its run, where a run is what was named. */
  readonly run: string | undefined
  readonly warnings: readonly string[]
}

export async function findTrained(
  named: string,
  { fingerprints }: Pick<Setup, 'fingerprints'>,
  cwd: string,
): Promise<TrainedSkill> {
  const path = resolve(cwd, named)
  if (await isFile(path))
    return { text: await readSkill(path, named), from: named, run: undefined, warnings: [] }
  const reference = /@(v?\d+|best)$/.test(named) ? named : `${named}@best`
  const run = await findRun(reference.slice(0, reference.lastIndexOf('@')), cwd).catch(notFound(named))
  const { text, from } = await readVersion(reference, cwd)
  const before = await fingerprintsOf(run)
  const changed = ['train', 'val'].filter(split => before[split] !== fingerprints[split])
  const warnings =
    changed.length === 0
      ? []
      : [
          `${from} was trained with other ${changed.join(' and ')} tasks than the project has now: some of the test tasks may not be new to it.`,
        ]
  return { text, from, run, warnings }
}

const notFound =
  (named: string) =>
  (error: unknown): never => {
    if (!(error instanceof InputError)) throw error
    throw new InputError(`There is no skill file or run "${named}" here.`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
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
