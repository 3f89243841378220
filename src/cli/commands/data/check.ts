import { resolve } from 'node:path'
import { exitCodes } from '../../../core/errors/errors.js'
import { checkData, shownCounts } from '../../../prepare/data-check.js'
import { whereToGet } from '../../../prepare/data-copy.js'
import { benchmarkNamed } from '../../../project/benchmarks.js'
import { clean, plural } from '../../output/text.js'
import { type Io, printLine } from '../../terminal/io.js'
import { printFinding } from '../tasks/print.js'

export interface PlaceFlags {
  readonly from: string
  readonly files?: string | undefined
  readonly json?: true | undefined
}

/** Reports what is wrong with a local copy of a benchmark, or missing from it. */
export async function checkBenchmark(io: Io, name: string, flags: PlaceFlags): Promise<number> {
  const benchmark = await benchmarkNamed(name)
  const report = await checkData(benchmark, copyPlace(io, flags))
  const { form, items, counts, findings } = report
  const failed = findings.some(({ level }) => level === 'problem')
  if (flags.json === true) {
    const shown = { benchmark: name, from: flags.from, form: form ?? null, items, counts: counts ?? null }
    printLine(io, JSON.stringify({ ...shown, ok: !failed, findings }))
    return failed ? exitCodes.badInput : exitCodes.ok
  }
  if (form !== undefined) {
    const divided = counts === undefined ? 'not split yet' : shownCounts(counts)
    printLine(io, `${clean(flags.from)}: ${plural(items, 'item')} of ${benchmark.name} (${divided})`)
  }
  for (const finding of findings) printFinding(io, finding)
  if (!failed) printLine(io, `${io.colors.green('ok')}    all items are usable`)
  else if (form !== undefined) printLine(io, `\n${whereToGet(benchmark)}.`)
  return failed ? exitCodes.badInput : exitCodes.ok
}

export function copyPlace(io: Io, { from, files }: PlaceFlags) {
  return {
    from: resolve(io.cwd, from),
    shownFrom: from,
    files: files === undefined ? undefined : resolve(io.cwd, files),
  }
}
