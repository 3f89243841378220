import { dirname, resolve } from 'node:path'
import { exitCodes } from '../../../core/errors/errors.js'
import { withFilesFrom } from '../../../prepare/files.js'
import { serialiseTasks, writeNewFiles } from '../../../prepare/output.js'
import { shownScorer } from '../../../prepare/scorer.js'
import { clean, plural, shownPath } from '../../output/text.js'
import { type Io, printLine } from '../../terminal/io.js'
import { printFinding } from './print.js'
import { openDraft, type SourceFlags } from './source.js'

export interface DraftFlags extends SourceFlags {
  readonly out: string
  readonly force?: true | undefined
  readonly json?: true | undefined
}

/** Converts a table or a folder into a task file and reports how each column was interpreted. */
export async function draftTasks(io: Io, source: string, flags: DraftFlags): Promise<number> {
  const { tasks, columns, scorer, problems, folder } = await openDraft(io, source, flags)
  const file = resolve(io.cwd, flags.out)
  const shown = shownPath(file, io.cwd)
  const fields = tasks.map(task => withFilesFrom(task.fields, folder, dirname(file)))
  const content = serialiseTasks(fields, file)
  await writeNewFiles([{ file, content }], { force: flags.force === true, shown: () => shown })
  if (flags.json === true) {
    printLine(io, JSON.stringify({ file, tasks: tasks.length, columns, ...scorer, problems }))
    return exitCodes.ok
  }
  printLine(io, `${clean(source)}: ${plural(tasks.length, 'task')}`)
  for (const column of columns) printLine(io, `  ${clean(column)}`)
  printLine(io, `  scorer: ${shownScorer(scorer.scorer)} (${clean(scorer.reason)})`)
  if (problems.length > 0) {
    const text = `not usable: ${plural(problems.length, 'task')}`
    printFinding(io, { level: 'warning', text, tasks: problems })
  }
  printLine(io, `\nWrote ${shown}. Add to skillopt.yaml:\n`)
  printLine(io, `  environment:\n    path: ${shown}\n    scorer: ${shownScorer(scorer.scorer)}`)
  printLine(io, `\nNext: \`skillopt tasks check ${shown}\`, then \`skillopt tasks split ${shown}\`.`)
  return exitCodes.ok
}
