import { basename, dirname, extname, join, resolve } from 'node:path'
import { exitCodes } from '../../../core/errors/errors.js'
import { type Duplicate, findDuplicates } from '../../../prepare/duplicates.js'
import { withFilesFrom } from '../../../prepare/files.js'
import { serialiseTasks, writeNewFiles } from '../../../prepare/output.js'
import { clean, plural, shownPath } from '../../output/text.js'
import { type Io, printLine } from '../../terminal/io.js'
import { type ColumnFlags, openDraft } from './source.js'

export interface DedupeFlags extends ColumnFlags {
  readonly near?: true | undefined
  readonly out?: string | undefined
  readonly force?: true | undefined
  readonly json?: true | undefined
}

/** Writes the tasks without duplicates of earlier tasks, and lists the duplicates. */
export async function dedupeTasks(io: Io, source: string, flags: DedupeFlags): Promise<number> {
  const { tasks, originals, folder } = await openDraft(io, source, flags)
  const { exact, near, conflicts } = findDuplicates(tasks)
  const repeats = flags.near === true ? [...exact, ...near] : exact
  const removed = new Set<unknown>(repeats.map(({ task }) => task))
  const kept = originals.filter((_, place) => !removed.has(tasks[place]))
  const file = resolve(io.cwd, flags.out ?? besideOf(source))
  const shown = shownPath(file, io.cwd)
  const fields = kept.map(task => withFilesFrom(task, folder, dirname(file)))
  const content = serialiseTasks(fields, file)
  await writeNewFiles([{ file, content }], { force: flags.force === true, shown: () => shown })
  if (flags.json === true) {
    printLine(io, JSON.stringify({ file, kept: kept.length, removed: repeats.map(idsOf) }))
    return exitCodes.ok
  }
  for (const { task, of } of repeats) {
    const how = exact.some(repeat => repeat.task === task) ? 'repeats' : 'nearly repeats'
    printLine(io, `removed ${clean(task.id)} (${clean(task.at)}), which ${how} ${clean(of.id)}`)
  }
  if (flags.near !== true && near.length > 0)
    printLine(io, `kept ${plural(near.length, 'near-duplicate')}; --near removes them too`)
  for (const group of conflicts) {
    const ids = group.map(({ id }) => clean(id)).join(', ')
    printLine(io, `kept ${ids}: same question, different answers; decide which is right`)
  }
  printLine(io, `Wrote ${shown}: ${plural(kept.length, 'task')}, ${removed.size} removed.`)
  return exitCodes.ok
}

function besideOf(source: string): string {
  const extension = extname(source)
  return join(
    dirname(source),
    `${basename(source, extension)}-unique${extension === '' ? '.jsonl' : extension}`,
  )
}

function idsOf({ task, of }: Duplicate): { id: string; repeats: string } {
  return { id: task.id, repeats: of.id }
}
