import { resolve } from 'node:path'
import { exitCodes } from '../../../core/errors/errors.js'
import { divideTasks, wantedCounts } from '../../../prepare/divide.js'
import { sightSentences, suggestedRatio } from '../../../prepare/how-many.js'
import { splitFiles, writeNewFiles } from '../../../prepare/output.js'
import { shownScorer } from '../../../prepare/scorer.js'
import { plural, shownPath } from '../../output/text.js'
import { type Io, printLine } from '../../terminal/io.js'
import { type ColumnFlags, openDraft } from './source.js'

export interface SplitFlags extends ColumnFlags {
  readonly ratio?: string | undefined
  readonly counts?: string | undefined
  readonly seed: number
  readonly out: string
  readonly force?: true | undefined
  readonly json?: true | undefined
}

/** Splits tasks into three files, stratified by type. Near-duplicates stay in the same split. */
export async function splitTasks(io: Io, source: string, flags: SplitFlags): Promise<number> {
  const { tasks, scorer, folder } = await openDraft(io, source, flags)
  const ratio = flags.ratio ?? suggestedRatio(tasks.length)
  const division = divideTasks(tasks, wantedCounts(tasks.length, { ratio, counts: flags.counts }), flags.seed)
  const files = splitFiles(division, { from: folder, to: resolve(io.cwd, flags.out) })
  const shown = (file: string) => shownPath(file, io.cwd)
  await writeNewFiles(files, { force: flags.force === true, shown })
  const unused = division.unused.length
  if (flags.json === true) {
    const written = files.map(({ split, file, count }) => ({ split, file, tasks: count }))
    printLine(io, JSON.stringify({ files: written, unused, ratio: flags.counts ?? ratio, seed: flags.seed }))
    return exitCodes.ok
  }
  for (const { file, count } of files) printLine(io, `Wrote ${shown(file)}: ${plural(count, 'task')}`)
  if (unused > 0) printLine(io, `Left out: ${plural(unused, 'task')} beyond --counts`)
  printLine(io, `Split ${flags.counts ?? ratio} with seed ${flags.seed}. Add to skillopt.yaml:\n`)
  const lines = files.map(({ split, file }) => `    ${split}: ${shown(file)}`)
  printLine(io, ['  environment:', ...lines, `    scorer: ${shownScorer(scorer.scorer)}`].join('\n'))
  printLine(io, '\nWith these numbers:')
  const counts = { val: division.val.length, test: division.test.length }
  for (const sentence of sightSentences(counts)) printLine(io, `  ${sentence}`)
  return exitCodes.ok
}
