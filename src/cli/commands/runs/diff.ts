import { textOfVersion } from '../../../app/run-state.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { openRun } from '../../inputs/open-run.js'
import { unifiedDiff } from '../../output/run-report.js'
import { type Io, printLine } from '../../terminal/io.js'

export async function diff(io: Io, named: string, from: string, to: string): Promise<number> {
  const run = await openRun(io.cwd, named)
  const [before, after] = await Promise.all([textOfVersion(run, from), textOfVersion(run, to)])
  if (before === after) printLine(io, `${from} and ${to} are the same text.`)
  else printLine(io, unifiedDiff(before, after, { from, to, colors: io.colors }))
  return exitCodes.ok
}
