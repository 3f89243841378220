import { testedPairs } from '../../../app/evaluation-details.js'
import { importRun } from '../../../app/import-run.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { provenanceOf, taskCounts } from '../../../core/text/format.js'
import { verdictOf } from '../../../core/view/run-verdict.js'
import { readRun } from '../../../store/read-run.js'
import { oneLine, plural, points, shownPath } from '../../output/text.js'
import { type Io, printLine, sayWarnings } from '../../terminal/io.js'

export interface ImportFlags {
  readonly name?: string | undefined
  readonly json?: true | undefined
}

export async function importReference(io: Io, from: string, flags: ImportFlags): Promise<number> {
  const { directory, view, notes } = await importRun({ from, name: flags.name, cwd: io.cwd })
  const shown = shownPath(directory, io.cwd)
  if (flags.json) {
    printLine(io, JSON.stringify({ directory: shown, notes, ...view }, null, 2))
    return exitCodes.ok
  }
  const accepted = view.steps.filter(({ outcome }) => outcome === 'accepted').length
  const reader = await readRun(directory)
  const verdict = verdictOf(view, await testedPairs(view, ref => reader.get(ref)))
  const lines = [
    `${io.colors.bold(view.run)}${provenanceOf(view)}`,
    `${plural(view.steps.length, 'step')}, ${accepted} accepted; ${taskCounts(view)}`,
    view.best === undefined
      ? 'no validation score recorded'
      : `best on validation ${points(view.best.score)} (v${view.best.version})`,
    ...(verdict === undefined ? [] : [oneLine(verdict.sentence)]),
    `Imported to ${shown}. See it with: skillopt show ${view.run}`,
  ]
  printLine(io, lines.join('\n'))
  sayWarnings(io, notes)
  return exitCodes.ok
}
