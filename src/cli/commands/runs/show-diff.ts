import { textOfVersion } from '../../../app/run-state.js'
import { exitCodes, InputError } from '../../../core/errors/errors.js'
import type { OpenedRun } from '../../inputs/open-run.js'
import { unifiedDiff } from '../../output/run-report.js'
import { type Io, printLine } from '../../terminal/io.js'

/** `show --diff`: compares the seed with the best skill unless two versions are given. */
export async function showDiff(io: Io, run: OpenedRun, versions: readonly string[]): Promise<number> {
  const [from = 'seed', to = 'best', ...more] = versions
  if (versions.length === 1 || more.length > 0) {
    throw new InputError(
      `--diff compares two versions; ${versions.length} ${versions.length === 1 ? 'was' : 'were'} given.`,
      {
        hint: 'Put the run first: skillopt show RUN --diff v3 v7. Without versions, --diff compares seed and best.',
      },
    )
  }
  const [before, after] = await Promise.all([textOfVersion(run, from), textOfVersion(run, to)])
  if (before === after) printLine(io, `${from} and ${to} are the same text.`)
  else printLine(io, unifiedDiff(before, after, { from, to, colors: io.colors }))
  return exitCodes.ok
}
